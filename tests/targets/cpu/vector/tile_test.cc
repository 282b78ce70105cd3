// Compares tiles with the interpreter: loads, stores and products at random positions of random arrays.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "tests/targets/cpu/compare.h"

namespace xt {
namespace {

constexpr int kTileRounds = XT_FUZZ_ROUNDS / 16;

std::vector<CpuInfo> oneOf(RandomNumbers &random) { return {random.pick(processors())}; }

Elem anyElem(RandomNumbers &random) { return static_cast<Elem>(random.between(0, kElemCount - 1)); }

// A matrix parameter of any storage with its array. tile() makes tiles of any shape at any offset, which are moved a few times.
struct RandomTile {
  std::unique_ptr<Array> array;
  Value *memref = nullptr;
  bool columnMajor = false;
  std::vector<int64_t> leading;

  RandomTile(KernelMaker &m, Elem elem, RandomNumbers &random, bool smallIntegers = false) {
    columnMajor = random.chance(30);
    bool isStatic = random.chance(30);
    std::vector<int64_t> sizes;
    for (int64_t rank = random.chance(25) ? random.between(3, 5) : 2; rank > 2; --rank) sizes.push_back(random.between(1, 3));
    sizes.push_back(random.between(random.chance(5) ? 0 : 1, 40));
    sizes.push_back(random.between(random.chance(5) ? 0 : 1, 90));
    if (isStatic)
      for (int64_t &size : sizes) size = std::max<int64_t>(size, 1);
    bool strided = random.chance(40);
    array = std::make_unique<Array>(elem, sizes, strided ? random.between(0, 7) : 0, columnMajor);
    random.fill(*array, smallIntegers);
    MemoryLayout memory;
    std::vector<int64_t> shape = isStatic ? sizes : std::vector<int64_t>(sizes.size(), kDynamic);
    auto rank = static_cast<int64_t>(sizes.size());
    if (strided) {
      memory.kind = MemoryLayout::Kind::Strided;
      for (int64_t stride : array->view().strides)
        memory.strides.push_back(stride == 1 || (isStatic && random.chance(50)) ? stride : kDynamic);
      if (random.chance(30)) memory.strides.assign(sizes.size(), kDynamic);
    } else if (columnMajor) {
      memory.kind = MemoryLayout::Kind::Permuted;
      for (int64_t d = 0; d < rank - 2; ++d) memory.permutation.push_back(d);
      memory.permutation.push_back(rank - 1);
      memory.permutation.push_back(rank - 2);
    }
    for (size_t d = 0; d + 2 < sizes.size(); ++d)
      leading.push_back(random.between(random.chance(10) ? -1 : 0, sizes[d] - (random.chance(90) ? 1 : 0)));
    memref = m.param(m.context.memref(shape, elem, MemorySpace::Global, memory));
  }

  Value *tile(KernelMaker &m, std::vector<int64_t> shape, RandomNumbers &random) {
    std::vector<Value *> offsets;
    for (int64_t index : leading) offsets.push_back(m.index(index));
    const std::vector<int64_t> &sizes = array->view().sizes;
    bool far = random.chance(3);
    for (size_t d = 0; d < 2; ++d) {
      int64_t size = sizes[sizes.size() - 2 + d];
      int64_t offset = random.chance(40) ? 0 : random.between(-shape[d], size + 3);
      offsets.push_back(m.index(far ? random.pick<int64_t>({INT64_MIN, INT64_MAX, INT64_MIN + 1, int64_t{1} << 40}) : offset));
    }
    Value *result = m.tile(memref, offsets, shape, columnMajor ? Order::ColumnMajor : Order::RowMajor);
    while (random.chance(25)) result = m.move(result, m.index(random.between(-5, 5)), m.index(random.between(-5, 5)));
    return result;
  }
};

void launch(KernelMaker &m, const std::vector<RandomTile *> &tiles, RandomNumbers &random) {
  std::vector<LaunchArray> args;
  for (RandomTile *tile : tiles) args.push_back({tile->array.get(), {}});
  expectAsInterpreter(m, args, {}, oneOf(random));
}

TEST(CpuTile, CopiesAtRandom) {
  for (int round = 0; round < kTileRounds; ++round) {
    SCOPED_TRACE(str("round ", round));
    RandomNumbers random(static_cast<uint64_t>(round));
    KernelMaker m;
    Elem elem = anyElem(random);
    RandomTile from(m, elem, random), to(m, elem, random);
    std::vector<int64_t> shape{random.between(1, 24), random.between(1, 80)};
    Value *tile = from.tile(m, shape, random);
    Value *value = random.chance(50) ? m.load(tile) : m.load(tile, static_cast<double>(random.between(0, 1)));
    if (random.chance(10)) m.b.create(OpKind::PrefetchTile, {tile}, {});
    m.store(value, to.tile(m, shape, random));
    if (random.chance(20)) m.store(value, from.tile(m, shape, random)); // overwrites the matrix that was read
    launch(m, {&from, &to}, random);
  }
}

TEST(CpuTile, ProductsAtRandom) {
  const std::vector<Elem> elems{Elem::F64,    Elem::F32,    Elem::TF32, Elem::F16, Elem::BF16,
                                Elem::F8E4M3, Elem::F8E5M2, Elem::I8,   Elem::U8};
  for (int round = 0; round < kTileRounds; ++round) {
    SCOPED_TRACE(str("round ", round));
    RandomNumbers random(static_cast<uint64_t>(round));
    KernelMaker m;
    Elem elem = random.pick(elems), right = elem;
    if (elem == Elem::I8 && random.chance(50)) right = Elem::U8;
    Elem sum = elem == Elem::F64 ? Elem::F64 : isInteger(elem) ? Elem::I32 : Elem::F32;
    if (sum == Elem::F32 && random.chance(30)) sum = random.chance(50) ? Elem::F16 : Elem::BF16;
    int64_t rows = random.between(1, 20), columns = random.between(1, 150), depth = random.between(1, 20);
    // The elements are small integers, so that sums are exact in any order.
    RandomTile a(m, elem, random, true), b(m, right, random, true), c(m, sum, random, true);
    Value *x = m.load(a.tile(m, {rows, depth}, random)), *y = m.load(b.tile(m, {depth, columns}, random));
    if (random.chance(20)) x = m.b.constantInt(x->type(), 2);
    Value *z = nullptr;
    if (random.chance(70)) z = m.load(c.tile(m, {rows, columns}, random));
    if (z && random.chance(30)) z = isFloat(sum) ? m.unary(OpKind::NegF, z) : m.binary(OpKind::SubI, z, z);
    Value *product = m.mma(x, y, z, sum);
    m.store(product, c.tile(m, {rows, columns}, random));
    if (z && random.chance(30)) m.store(z, c.tile(m, {rows, columns}, random)); // so its value must survive the product
    if (random.chance(20)) m.store(x, a.tile(m, {rows, depth}, random));
    launch(m, {&a, &b, &c}, random);
  }
}

// With FMA, the CPU and the interpreter round every sum once, in the same order.
TEST(CpuTile, ProductsOfAnyNumbers) {
  if (!processors()[0].fma) GTEST_SKIP() << "this processor has no FMA";
  for (Elem elem : {Elem::F64, Elem::F32, Elem::TF32, Elem::F16, Elem::BF16, Elem::F8E5M2})
    for (int round = 0; round < 4; ++round) {
      SCOPED_TRACE(str(elemName(elem), " ", round));
      RandomNumbers random(static_cast<uint64_t>(round));
      KernelMaker m;
      Elem sum = elem == Elem::F64 ? Elem::F64 : Elem::F32;
      Array a(elem, {9, 31}), b(elem, {31, 70}), c(sum, {9, 70});
      auto fill = [&](Array &array) {
        array.forEach(
            [&](const std::vector<int64_t> &i) { array.set(i, static_cast<double>(random.between(-1000, 1000)) / 512); });
      };
      fill(a);
      fill(b);
      Value *x = m.param(m.matrix(elem)), *y = m.param(m.matrix(elem)), *z = m.param(m.matrix(sum));
      Value *zero = m.index(0);
      m.store(m.mma(m.load(m.tile(x, {zero, zero}, {9, 31})), m.load(m.tile(y, {zero, zero}, {31, 70})), nullptr, sum),
              m.tile(z, {zero, zero}, {9, 70}));
      expectAsInterpreter(m, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, {processors()[0]});
    }
}

// The matrices have no rows, no columns, or neither. The descriptor of an empty buffer may have any values.
TEST(CpuTile, EmptyBase) {
  for (const auto &sizes : std::vector<std::vector<int64_t>>{{0, 5}, {5, 0}, {0, 0}}) {
    KernelMaker m;
    Value *x = m.param(m.matrix(Elem::F32)), *y = m.param(m.matrix(Elem::F32));
    Value *zero = m.index(0);
    m.store(m.load(m.tile(x, {zero, zero}, {4, 20}), 7.5), m.tile(y, {zero, zero}, {4, 20}));
    m.store(m.load(m.tile(y, {zero, zero}, {4, 20})), m.tile(x, {zero, zero}, {4, 20}));
    Array in(Elem::F32, sizes), out(Elem::F32, {4, 20});
    expectAsInterpreter(m, {{&in, {}}, {&out, {}}}, {}, processors());
  }
}

TEST(CpuTile, GridWithoutVariables) {
  KernelMaker m;
  Value *out = m.param(m.context.memref({kDynamic, kDynamic, kDynamic, kDynamic}, Elem::I32));
  std::vector<Value *> ids;
  for (const char *d : {"z", "y", "x"}) {
    ids.push_back(m.b.value(OpKind::BlockId, {}, m.context.index()));
    ids.back()->definingOp()->setAttr("dimension", std::string(d));
  }
  Value *number = m.binary(OpKind::AddI, m.binary(OpKind::MulI, ids[0], m.index(100)),
                           m.binary(OpKind::AddI, m.binary(OpKind::MulI, ids[1], m.index(10)), ids[2]));
  ids.push_back(m.index(0));
  m.store(m.splat(m.cast(OpKind::IndexCast, number, Elem::I32), {1, 1}), m.tile(out, ids, {1, 1}));
  Array array(Elem::I32, {2, 3, 4, 1});
  expectAsInterpreter(m, {{&array, {}}}, {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}}, processors(), {}, 2);
  Array row(Elem::I32, {1, 1, 5, 1});
  expectAsInterpreter(m, {{&row, {}}}, {{0, 1, 5}}, processors());
  expectAsInterpreter(m, {{&row, {}}}, {}, processors());
}

} // namespace
} // namespace xt
