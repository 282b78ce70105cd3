#include "tests/targets/cpu/products/nest_product.h"

#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "passes/form_nests.h"
#include "tests/targets/cpu/product_loop.h"

namespace xt {
namespace {

Elem sumElem(Elem input) { return isInteger(input) ? Elem::I32 : input == Elem::F64 ? Elem::F64 : Elem::F32; }

Value *side(KernelMaker &m, Value *matrix, std::vector<Value *> at, std::vector<int64_t> shape, bool transposed, bool columns) {
  if (transposed) std::swap(at[0], at[1]), std::swap(shape[0], shape[1]);
  return m.tile(matrix, at, shape, columns ? Order::ColumnMajor : Order::RowMajor);
}

} // namespace

void make(KernelMaker &m, const NestProduct &p) {
  Elem sum = sumElem(p.input), output = p.fused ? Elem::F16 : sum;
  auto matrix = [&](Elem elem, bool columns) { return columns ? m.columnMajorMatrix(elem) : m.matrix(elem); };
  Value *a = m.param(matrix(p.input, p.columnsA)), *b = m.param(matrix(p.other.value_or(p.input), p.columnsB)),
        *c = m.param(m.matrix(output));
  Value *bias = p.fused ? m.param(m.matrix(Elem::F32)) : nullptr;
  Value *i = m.gridOver(2, 0, p.tile.rows), *j = m.gridOver(2, 1, p.tile.columns);
  Value *start = m.index(p.shift), *zero = m.index(0), *step = m.index(p.tile.depth);
  if (p.beginsFar)
    i = m.binary(OpKind::SubI, m.index(2 * p.tile.rows + (p.tile.rows << 19)), m.binary(OpKind::MulI, i, m.index(1 << 19)));
  else
    i = m.binary(OpKind::AddI, i, start);
  j = m.binary(OpKind::AddI, j, start);
  Value *ta = side(m, a, {i, m.index(p.shift + p.shiftOfA)}, {p.tile.rows, p.tile.depth}, p.transposeA, p.columnsA);
  Value *tb = side(m, b, {start, j}, {p.tile.depth, p.tile.columns}, p.transposeB, p.columnsB);
  Value *tc = m.tile(c, {i, j}, {p.tile.rows, p.tile.columns});
  Type type = m.context.vector({p.tile.rows, p.tile.columns}, sum);
  Value *acc = p.adds ? m.load(tc) : isFloat(sum) ? m.b.constantFloat(type, 0) : m.b.constantInt(type, 0);
  Value *depth = m.dim(a, p.transposeA ? 0 : 1);
  Value *result = multiplyAlongK(m, {ta, tb, p.transposeA, p.transposeB, start, depth, step, acc});
  if (p.fused) {
    Value *row = m.broadcast(m.load(m.tile(bias, {zero, j}, {1, p.tile.columns})), 0, p.tile.rows);
    result = m.cast(OpKind::TruncF, m.binary(OpKind::AddF, m.binary(OpKind::AddF, result, result), row), Elem::F16);
  }
  m.store(result, tc);
}

size_t formIn(KernelMaker &m) {
  Diagnostics diagnostics;
  EXPECT_TRUE(formNests(m.module, diagnostics).ok());
  size_t nests = 0;
  walk(m.kernel->body, [&](Op &op) { nests += op.kind() == OpKind::Nest; });
  return nests;
}

void fill(Array &array, int64_t seed) {
  int64_t state = seed;
  array.forEach([&](const std::vector<int64_t> &index) {
    state = (state * 1103515245 + 12345) & 0x7fffffff;
    array.set(index, static_cast<double>((state >> 16) % (isInteger(array.elem()) ? 256 : 4)));
  });
}

void expectAsLoop(const NestProduct &p, const std::vector<CpuInfo> &cpus, int threads) {
  KernelMaker loop, nest;
  make(loop, p);
  make(nest, p);
  ASSERT_EQ(formIn(nest), 1u);
  auto array = [&](Elem elem, int64_t rows, int64_t columns, bool transposed, bool columnMajor, int64_t seed,
                   int64_t bytesApart = 0) {
    if (transposed) std::swap(rows, columns);
    int64_t gap = bytesApart > 0 ? bytesApart / elemInfo(elem).storageBytes - columns : 3;
    auto made = std::make_unique<Array>(elem, std::vector<int64_t>{rows, columns}, gap, columnMajor, 1, bytesApart > 0);
    fill(*made, seed);
    return made;
  };
  auto a = array(p.input, p.sizes[0] - p.fewerRows, p.sizes[2], p.transposeA, p.columnsA, 1);
  auto b = array(p.other.value_or(p.input), p.sizes[2], p.sizes[1], p.transposeB, p.columnsB, 2, p.bytesApart);
  auto c = array(p.fused ? Elem::F16 : sumElem(p.input), p.sizes[0], p.sizes[1], false, false, 3);
  auto bias = array(Elem::F32, 1, p.sizes[1], false, false, 4);
  std::vector<LaunchArray> args{{a.get(), {}}, {b.get(), {}}, {c.get(), {}}};
  if (p.fused) args.push_back({bias.get(), {}});
  expectAsInterpreter(nest.module, *loop.kernel, args, {}, cpus, {}, threads);
  // The nest itself also runs on the interpreter.
  expectAsInterpreter(loop.module, *nest.kernel, args, {}, {cpus[0]}, {}, threads);
}

std::vector<CpuInfo> processorsOfAllFacts() {
  std::vector<CpuInfo> cpus = processors();
  for (bool CpuTuning::*fact : {&CpuTuning::lineSplitLoadsAreFree, &CpuTuning::l3IsFast, &CpuTuning::hidesConversions}) {
    cpus.push_back(cpus[0]);
    cpus.back().tuning.*fact = !(cpus[0].tuning.*fact);
  }
  return cpus;
}

} // namespace xt
