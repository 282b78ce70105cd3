// Tests transposes and loads that transpose, of every element type, at sizes around those of the squares that are transposed in
// registers.
#include "ir/elem_kinds.h"
#include "tests/targets/cpu/compare.h"

namespace xt {
namespace {

struct Shape {
  int64_t rows, columns, y, x; // sizes of the tile, and its offset
};

void expectTransposes(Elem elem, const Shape &shape, bool columnMajor, const std::vector<CpuInfo> &cpus) {
  SCOPED_TRACE(str(elemName(elem), " ", shape.rows, "x", shape.columns, " at ", shape.y, ",", shape.x,
                   columnMajor ? " column-major" : ""));
  KernelMaker m;
  Value *in = m.param(columnMajor ? m.columnMajorMatrix(elem) : m.matrix(elem)), *out = m.param(m.matrix(elem)),
        *back = m.param(m.matrix(elem));
  Value *tile = m.tile(in, {m.index(shape.y), m.index(shape.x)}, {shape.rows, shape.columns},
                       columnMajor ? Order::ColumnMajor : Order::RowMajor);
  Value *transposed = m.loadTransposed(tile);
  if (isFloat(elem)) transposed->definingOp()->setAttr("padding", AttrValue(2.0));
  Value *zero = m.index(0);
  m.store(transposed, m.tile(out, {zero, zero}, {shape.columns, shape.rows}));
  m.store(m.transpose(transposed), m.tile(back, {zero, zero}, {shape.rows, shape.columns}));
  Array a(elem, {37, 41}, 0, columnMajor), b(elem, {shape.columns, shape.rows}, 3), c(elem, {shape.rows, shape.columns});
  RandomNumbers random(static_cast<uint64_t>(shape.rows * 1000 + shape.columns));
  random.fill(a);
  expectAsInterpreter(m, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, cpus);
}

TEST(Transpose, EveryTypeAndSize) {
  constexpr Elem kElems[] = {Elem::F64, Elem::F32, Elem::TF32, Elem::F16, Elem::BF16, Elem::F8E4M3, Elem::I1,    Elem::I4,
                             Elem::I8,  Elem::I16, Elem::I64,  Elem::U8,  Elem::U4,   Elem::F4E2M1, Elem::F8E8M0};
  constexpr Shape kShapes[] = {{1, 1, 0, 0},  {16, 16, 0, 0}, {32, 16, 3, 5},   {17, 33, 1, 2},    {1, 40, 5, 0},
                               {40, 1, 0, 7}, {5, 3, -2, -1}, {20, 24, 30, 30}, {16, 48, -20, -3}, {8, 8, 100, 0}};
  size_t number = 0;
  for (Elem elem : kElems)
    for (const Shape &shape : kShapes)
      for (bool columnMajor : {false, true}) {
        // The processors are the host and one of the older processors.
        std::vector<CpuInfo> cpus{processors()[0]};
        if (processors().size() > 1) cpus.push_back(processors()[1 + ++number % (processors().size() - 1)]);
        expectTransposes(elem, shape, columnMajor, cpus);
      }
}

} // namespace
} // namespace xt
