// Tests scatter tiles, atomics from many threads, single elements of memory, and tiles from addresses.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "tests/targets/cpu/text_kernel.h"

#include <climits>

namespace xt {
namespace {

// Offsets of elements that are masked off may have any value: they access no memory. The same holds for offsets out of bounds.
TEST(CpuScatter, TouchesOnlyWhatIsSelectedAndInside) {
  KernelMaker m;
  Value *in = m.param(m.context.memref({kDynamic}, Elem::F32)), *offsets = m.param(m.matrix(Elem::Index)),
        *out = m.param(m.matrix(Elem::F32)), *zero = m.index(0);
  Value *at = m.load(m.tile(offsets, {zero, zero}, {1, 10}));
  Value *tile = m.scatterTile(in, at), *mask = m.mask({m.index(1), m.index(6)}, {1, 10});
  Value *x = m.gather(tile, mask);
  x->definingOp()->setAttr("padding", -5.0);
  m.scatter(m.binary(OpKind::AddF, x, x), mask, tile);
  m.store(x, m.tile(out, {zero, zero}, {1, 10}));
  m.store(m.atomic("addf", x, m.b.value(OpKind::UpdateTileOffset, {tile, m.index(1)}, tile->type())),
          m.tile(out, {m.index(1), zero}, {1, 10}));
  Array a(Elem::F32, {7}), where(Elem::Index, {1, 10}), c(Elem::F32, {2, 10});
  for (int64_t i = 0; i < 7; ++i) a.set({i}, static_cast<double>(i + 1));
  const int64_t list[] = {3, 6, -1, 7, INT64_MAX, INT64_MIN, int64_t{1} << 40, INT64_MAX / 4, -(int64_t{1} << 50), 1};
  for (int64_t i = 0; i < 10; ++i) storeInteger(Elem::Index, where.at({0, i}), list[i]);
  expectAsInterpreter(m, {{&a, {}}, {&where, {}}, {&c, {}}}, {}, processors());
  Diagnostics diagnostics;
  auto executable = cpuTarget().compile(m.module, {}, diagnostics);
  ASSERT_TRUE((*executable)->launch(*m.kernel, {a.arg(), where.arg(), c.arg()}, {}).ok());
  const double expected[] = {4, 7, -5, -5, -5, -5, -5, -5, -5, -5};
  for (int64_t i = 0; i < 10; ++i) EXPECT_EQ(c.number({0, i}), expected[i]) << i;
  EXPECT_EQ(a.number({3}), 8);
}

// Every workgroup adds to the same elements, and the sums are exact: no update may be lost, whatever the width of the type and
// the position of the element in its word.
TEST(CpuAtomic, NoUpdateIsLost) {
  for (int e = 0; e < kElemCount; ++e) {
    auto elem = static_cast<Elem>(e);
    if (isStorageFloat(elem)) continue; // has no arithmetic
    SCOPED_TRACE(elemName(elem));
    KernelMaker m;
    m.param(m.context.memref({kDynamic}, Elem::I8));
    Value *sums = m.param(m.matrix(elem)), *counts = m.param(m.context.memref({kDynamic}, elem));
    m.gridOver(0, 0, 1);
    Value *zero = m.index(0);
    Type type = m.context.vector({3, 5}, elem);
    Value *one = isFloat(elem) ? m.b.constantFloat(type, 1) : m.b.constantInt(type, 1);
    const char *kind = elem == Elem::I1 ? "xori" : "add";
    m.atomic(kind, one, m.tile(sums, {zero, m.index(-1)}, {3, 5}));
    Type indices = m.context.vector({3, 5}, Elem::Index);
    // 15 elements update 5 of them, so that there are also conflicts within one op.
    m.atomic(kind, one, m.scatterTile(counts, m.iota(indices, 1)));
    int64_t groups = elem == Elem::F8E4M3 ? 5 : elem == Elem::F8E5M2 ? 2 : elem == Elem::BF16 ? 80 : 200;
    Array launched(Elem::I8, {groups}), out(elem, {2, 4}), line(elem, {5});
    expectAsInterpreter(m, {{&launched, {}}, {&out, {}}, {&line, {}}}, {}, {processors()[0]}, {}, 4);
  }
}

TEST(CpuAtomic, AssignAndExtremes) {
  for (Elem elem : {Elem::F32, Elem::F16, Elem::I32, Elem::U8, Elem::I4, Elem::F8E4M3}) {
    SCOPED_TRACE(elemName(elem));
    KernelMaker m;
    Value *in = m.param(m.matrix(elem)), *out = m.param(m.matrix(elem)), *before = m.param(m.matrix(elem)), *zero = m.index(0);
    const std::vector<const char *> kinds =
        isFloat(elem)
            ? std::vector<const char *>{"assign", "maximumf", "minimumf", "maxnumf", "minnumf", "mulf", "addf"}
            : std::vector<const char *>{"assign", "maxs", "maxu", "mins", "minu", "muli", "addi", "andi", "ori", "xori"};
    Value *x = m.load(m.tile(in, {zero, zero}, {3, 40}));
    int64_t row = 0;
    for (const char *kind : kinds) {
      m.store(m.atomic(kind, x, m.tile(out, {m.index(row), m.index(-2)}, {3, 40})),
              m.tile(before, {m.index(row), zero}, {3, 40}));
      row += 2; // the tiles overlap
    }
    Array a(elem, {3, 40}), b(elem, {20, 33}, 2), c(elem, {24, 40});
    RandomNumbers random(4);
    random.fill(a);
    random.fill(b);
    random.fill(c);
    expectAsInterpreter(m, {{&a, {}}, {&b, {}}, {&c, {}}}, {}, processors());
  }
}

TEST(CpuMemory, AddressesOverAnyView) {
  TextKernel kernel(R"(
kernel @k(%P: i64, %A: memref<?x?xf16>, %C: memref<?x?xf16>) {
  %rows = dim(%A, 0)
  %columns = dim(%A, 1)
  %t = init_tile %P[-1, 2], [%rows, %columns], [%columns, 1] : i64 -> tile<8x16xf16>
  %x = load_tile %t {padding = 3.0}
  %o = init_tile %C[0, 0] -> tile<8x16xf16>
  store_tile %x, %o
  %u = update_tile_offset %t, 3, 1
  store_tile %x, %u
  %half = %rows / 2
  %v = init_tile %A[0, 0], [%half, 5], [%columns, 1] -> tile<8x16xf16>
  %y = load_tile %v {padding = -1.0}
  %p = init_tile %C[8, 0] -> tile<8x16xf16>
  store_tile %y, %p
}
)");
  if (!kernel) return;
  Array a(Elem::F16, {7, 11}), c(Elem::F16, {16, 16});
  RandomNumbers(2).fill(a);
  auto outcome = kernel.launch({&a, &a, &c});
  ASSERT_TRUE(outcome.ok) << outcome.error.message;
  Array before(Elem::F16, {7, 11});
  RandomNumbers(2).fill(before);
  for (int64_t i = 0; i < 8; ++i)
    for (int64_t j = 0; j < 16; ++j) {
      bool inside = i >= 1 && i - 1 < 7 && j + 2 < 11;
      EXPECT_EQ(c.number({i, j}), inside ? before.number({i - 1, j + 2}) : 3.0);
      EXPECT_EQ(c.number({8 + i, j}), i < 3 && j < 5 ? a.number({i, j}) : -1.0);
      if (i + 2 < 7 && j + 3 < 11) {
        EXPECT_EQ(a.number({i + 2, j + 3}), c.number({i, j}));
      }
    }
}

TEST(CpuMemory, SingleElementsOfEveryRank) {
  TextKernel kernel(R"(
kernel @k(%A: memref<?x?x?xf32>, %B: memref<?xf32>, %M: memref<?x?xi4, affine_map<(d0, d1) -> (d1, d0)>>, %S: memref<?x?xbf16, strided<[?, 2]>>) {
  for %i = -1 to 4 {
    for %j = -1 to 3 {
      %x = memref.load %A[%i, %j, 1]
      %y = memref.load %B[%i * 2 + %j]
      %z = %x + %y
      memref.store %z, %A[%j, %i, 0]
      %p = memref.load %M[%i, %j]
      memref.store %p, %M[%j, %i]
      %q = memref.load %S[%i, %j]
      memref.store %q, %S[%j + 1, %i]
    }
  }
  %C = memref.cast %B : memref<?xf32> -> memref<1x?x1xf32>
  %w = memref.load %C[0, 2, 0]
  memref.store %w, %C[0, 0, 0]
  memref.store %w, %C[1, 1, 0]
  %D = memref.cast %C : memref<1x?x1xf32> -> memref<?xf32>
  memref.store %w, %D[3]
}
)");
  if (!kernel) return;
  Array a(Elem::F32, {3, 4, 2}), b(Elem::F32, {9}), matrix(Elem::I4, {5, 3}, 0, true), wide(Elem::BF16, {4, 4});
  RandomNumbers random(3);
  for (Array *array : {&a, &b, &matrix, &wide}) random.fill(*array, true);
  // The parameter `strided` gets every other element of a wider array.
  Module &module = kernel.module();
  std::vector<LaunchArg> args{a.arg(), b.arg(), matrix.arg(), wide.arg()};
  args[3].buffer.sizes = {4, 2};
  args[3].buffer.strides = {4, 2};
  Array expected[] = {a, b, matrix, wide};
  std::vector<LaunchArg> expectedArgs;
  for (size_t i = 0; i < 4; ++i) {
    expectedArgs.push_back(args[i]);
    expectedArgs[i].buffer.data = expected[i].view().data;
  }
  ASSERT_TRUE(interpret(kernel.kernel(), expectedArgs, {}).ok());
  Diagnostics diagnostics;
  auto executable = cpuTarget().compile(module, {}, diagnostics);
  ASSERT_TRUE(executable.ok());
  ASSERT_TRUE((*executable)->launch(kernel.kernel(), args, {}).ok());
  const Array *got[] = {&a, &b, &matrix, &wide};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(difference(*got[i], expected[i], {}), "") << i;
}

// Each workgroup has its own shared local memory, on every thread.
TEST(CpuMemory, SharedLocalMemoryAtWorkgroupScope) {
  TextKernel kernel(R"(
#l = #wg_map<sg_layout = [2, 2], sg_data = [4, 8]>
kernel @k(%A: memref<?x?xf16>, %C: memref<?x?xf16>) grid (%i = 0 to dim(%A, 0) step 8) {
  %m = alloc_slm : memref<3x9x20xf16, slm>
  %t = init_tile %A[%i, 0] -> tile<8x16xf16, #l>
  %x = load_tile %t
  for %k = 0 to 3 {
    %s = init_tile %m[%k, 1, 2] -> tile<8x16xf16, #l>
    store_tile %x, %s
    barrier
    %u = init_tile %m[%k, 0, 0] -> tile<8x16xf16, #l>
    %w = init_tile %m[%k, 1, 3] -> tile<8x16xf16, #l>
    %y = load_tile %w
    %x = %x + %y
    fence
    barrier
  }
  %e = memref.load %m[2, 8, 2]
  %v = splat %e : f16 -> vector<8x16xf16, #l>
  %z = %x + %v
  %o = init_tile %C[%i, 0] -> tile<8x16xf16, #l>
  store_tile %z, %o
}
)");
  Array a(Elem::F16, {50, 16}), c(Elem::F16, {50, 16});
  RandomNumbers(3).fill(a, true);
  // Column 18 is never written: a value read from it propagates to column 13 in three rounds.
  if (!kernel) return;
  Array first = c, second = c;
  for (Array *out : {&first, &second}) {
    auto outcome = kernel.launch({&a, out}, {}, out == &first ? 1 : 4);
    ASSERT_TRUE(outcome.ok) << outcome.error.message;
  }
  Array expected = c;
  ASSERT_TRUE(interpret(kernel.kernel(), {a.arg(), expected.arg()}, *computeGrid(kernel.kernel(), {a.arg(), c.arg()})).ok());
  for (int64_t i = 0; i < 50; ++i)
    for (int64_t j = 0; j < 12; ++j) {
      EXPECT_EQ(first.number({i, j}), expected.number({i, j})) << i << ", " << j;
      EXPECT_EQ(second.number({i, j}), expected.number({i, j})) << i << ", " << j;
    }
}

} // namespace
} // namespace xt
