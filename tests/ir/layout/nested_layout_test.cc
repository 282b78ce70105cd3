// Tests nested_layout sentence by sentence: quoted comments are the text of the 'iree_vector_ext' Dialect, NestedLayoutAttr.
// nested_layout_fuzz_test.cc compares random ones with its formulas.
#include "ir/layout/distributed_shape.h"
#include "tests/ir/layout/layout_fixture.h"

namespace xt {
namespace {

class NestedLayoutPage : public LayoutTest {
protected:
  // The first owner on `axis` of each element, row-major.
  static Extents firstOwners(const Layout *layout, Axis axis) {
    Extents shape(layout->shape().begin(), layout->shape().end()), result;
    for (int64_t e = 0; e < product(shape); ++e) result.push_back(layout->owners(indexOf(e, shape), axis)[0]);
    return result;
  }
  // The row-major numbers of the elements of a lane, in the order of its registers.
  static Extents heldBy(const Layout *layout, int64_t subgroup, int64_t lane) {
    Extents shape(layout->shape().begin(), layout->shape().end()), result;
    for (int64_t r = 0; r < layout->axisSize(Axis::Register); ++r)
      result.push_back(elementAt(indexOfRegister(*layout, subgroup, lane, r), shape));
    return result;
  }
};

const NestedLayout kFullExample{{2, 1}, {2, 4}, {1, 1}, {16, 4}, {1, 4}, {1, 0}, {1, 16}};

// "We consider the following levels of hierarchy, inspired by GPUs: Subgroups per workgroup, Threads per subgroup, Elements per
// thread. Note that elements in a thread is also conceptually viewed as a 3 dimensions. i.e. elements per thread = batch x outer
// x element."
TEST_F(NestedLayoutPage, LevelsOfTheHierarchy) {
  NestedLayout map{{2, 3}, {5, 1}, {2, 2}, {4, 8}, {3, 2}, {3, 1}, {8, 1}};
  const Layout *layout = make(nested(map), {2 * 5 * 2 * 4 * 3, 3 * 2 * 8 * 2});
  EXPECT_EQ(layout->subgroups(), product(map.subgroupTile));
  EXPECT_EQ(layout->axisSize(Axis::Lane), product(map.threadTile));
  EXPECT_EQ(layout->axisSize(Axis::Register), product(map.batchTile) * product(map.outerTile) * product(map.elementTile));
}

// "a single dimensional vector say vector< n x f16> is viewed as a vector<subgroup x batch x outer x thread x element> 5
// dimensional vector." "Each level of tiling represents a count of tiles over the next level (rather than a list of tile
// sizes)."
TEST_F(NestedLayoutPage, OneDimensionIsViewedAsFive) {
  NestedLayout map{{2}, {3}, {5}, {4}, {2}, {1}, {1}};
  const Layout *layout = make(nested(map), {2 * 3 * 5 * 4 * 2});
  int64_t index = 0;
  for (int64_t subgroup = 0; subgroup < 2; ++subgroup)
    for (int64_t batch = 0; batch < 3; ++batch)
      for (int64_t outer = 0; outer < 5; ++outer)
        for (int64_t thread = 0; thread < 4; ++thread)
          for (int64_t element = 0; element < 2; ++element, ++index) {
            Extents at = {index};
            EXPECT_EQ(layout->owners(at, Axis::Subgroup), Extents{subgroup});
            EXPECT_EQ(layout->owners(at, Axis::Lane), Extents{thread});
            EXPECT_EQ(layout->owners(at, Axis::Register), Extents{(batch * 5 + outer) * 2 + element});
          }
}

// "For a two dimensional vector, each above sub-dimension would be doubled. i.e. vector< n1 x n2 x f16> is viewed as a
// vector<subgroup1 x subgroup2 x batch1 x batch2 x ... x element1 x element2>"
TEST_F(NestedLayoutPage, TwoDimensionsAreViewedAsTen) {
  NestedLayout map{{2, 3}, {3, 2}, {1, 2}, {2, 4}, {2, 1}, {1, 2}, {4, 1}};
  const Extents shape = {24, 48}, view = {2, 3, 3, 2, 1, 2, 2, 4, 2, 1};
  const Layout *layout = make(nested(map), shape);
  for (int64_t e = 0; e < product(view); ++e) {
    Extents v = indexOf(e, view);
    Extents at = {(((v[0] * 3 + v[2]) * 1 + v[4]) * 2 + v[6]) * 2 + v[8],
                  (((v[1] * 2 + v[3]) * 2 + v[5]) * 4 + v[7]) * 1 + v[9]};
    EXPECT_EQ(layout->owners(at, Axis::Subgroup), Extents{v[0] * 1 + v[1] * 2});
    EXPECT_EQ(layout->owners(at, Axis::Lane), Extents{v[6] * 4 + v[7] * 1});
    int64_t position = elementAt({v[2], v[3], v[4], v[5], v[8], v[9]}, distributedShape(map));
    EXPECT_EQ(layout->owners(at, Axis::Register), Extents{registerOf(map, position)});
  }
}

// "virtual_subgroup_id[i] = (subgroup_id / subgroup_stride[i]) % subgroup_tile_size[i]", "virtual_thread_id[i] = (thread_id /
// thread_stride[i]) % thread_tile_size[i]"; "the inverse mapping would be: subgroup_id = sum_i(subgroup_stride[i] *
// virtual_subgroup_id[i]) % mul_i(subgroup_tile_size[i])", and thread_id alike, "for i = [0 : rank(undistributed_vector)]".
TEST_F(NestedLayoutPage, VirtualIds) {
  const Extents tile = {4, 2, 3}, strides = {2, 1, 8};
  const Layout *subgroups = make(nested({tile, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, strides, {0, 0, 0}}), tile);
  const Layout *threads = make(nested({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, tile, {1, 1, 1}, {0, 0, 0}, strides}), tile);
  for (int64_t id = 0; id < product(tile); ++id) {
    Extents virtualId;
    int64_t inverse = 0;
    for (size_t i = 0; i < tile.size(); ++i) {
      virtualId.push_back(id / strides[i] % tile[i]);
      inverse += strides[i] * virtualId[i];
    }
    EXPECT_EQ(inverse % product(tile), id);
    EXPECT_EQ(indexOfRegister(*subgroups, id, 0, 0), virtualId);
    EXPECT_EQ(indexOfRegister(*threads, 0, id, 0), virtualId);
    EXPECT_EQ(subgroups->owners(virtualId, Axis::Subgroup), Extents{id});
    EXPECT_EQ(threads->owners(virtualId, Axis::Lane), Extents{id});
  }
}

// "NOTE: if stride is zero, it represents non-distribution of that dimension on that hierarchy."
TEST_F(NestedLayoutPage, StrideZeroLeavesADimensionUndistributed) {
  const Layout *rows = make(nested({{4, 1}, {1, 2}, {1, 1}, {1, 8}, {2, 2}, {1, 0}, {0, 1}}), {8, 32});
  for (int64_t s = 0; s < 4; ++s) EXPECT_EQ(rows->sliceOf(Axis::Subgroup, s, 1).size(), 32u) << "all columns";
  for (int64_t l = 0; l < 8; ++l) EXPECT_EQ(rows->sliceOf(Axis::Lane, l, 0).size(), 8u) << "all rows";
  EXPECT_EQ(collapsedShape(*rows), (Extents{2, 4}));
  const Layout *none = make(nested({{1}, {3}, {2}, {1}, {4}, {0}, {0}}), {24});
  EXPECT_EQ(none->subgroups(), 1);
  EXPECT_EQ(none->axisSize(Axis::Lane), 1);
  EXPECT_EQ(collapsedShape(*none), Extents{24});
  // Any stride does so under a tile of 1.
  EXPECT_EQ(make(nested({{1}, {3}, {2}, {1}, {4}, {7}, {9}}), {24}), none);
  EXPECT_EQ(errorOf(nested({{2}, {1}, {1}, {1}, {1}, {0}, {0}}), {2}),
            "subgroup_strides[0] is 0, which leaves the dimension undistributed, but subgroup_tile[0] is 2 @0");
  EXPECT_EQ(errorOf(nested({{1, 1}, {1, 1}, {1, 1}, {2, 3}, {1, 1}, {0, 0}, {1, 0}}), {2, 3}),
            "thread_strides[1] is 0, which leaves the dimension undistributed, but thread_tile[1] is 3 @1");
}

// "consider distributing vector<4x2xf16> to a subgroup_tile=[4, 2], subgroup_stride=[1, 4] will arrange the subgroups in the
// order: virtual_subgroups_ids: [0][0], [0][1], [1][0], [1][1], [2][0], [2][1], [3][0], [3][1]; subgroups_ids: 0, 4, 1, 5, 2, 6,
// 3, 7". "The subgroups are placed contiguously with their shape and ordering determined by: subgroup_tile …,
// subgroup_strides".
TEST_F(NestedLayoutPage, SubgroupsPerWorkgroup) {
  const Layout *layout = make(nested({{4, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 4}, {0, 0}}), {4, 2});
  EXPECT_EQ(firstOwners(layout, Axis::Subgroup), (Extents{0, 4, 1, 5, 2, 6, 3, 7}));
  EXPECT_EQ(layout->picture(), "one cell = 1x1, the number is the subgroup\n0 4\n1 5\n2 6\n3 7\n");
  const Layout *rowMajor = make(nested({{4, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 1}, {0, 0}}), {4, 2});
  EXPECT_EQ(firstOwners(rowMajor, Axis::Subgroup), (Extents{0, 1, 2, 3, 4, 5, 6, 7}));
  // "The logic is quite similiar to subgroup distribution using the tile sizes and the 'thread_strides'."
  const Layout *threads = make(nested({{1, 1}, {1, 1}, {1, 1}, {4, 2}, {1, 1}, {0, 0}, {1, 4}}), {4, 2});
  EXPECT_EQ(firstOwners(threads, Axis::Lane), (Extents{0, 4, 1, 5, 2, 6, 3, 7}));
  // The page leaves open what ids between the strides hold; its formulas give them copies.
  const Layout *gaps = make(nested({{2}, {1}, {1}, {1}, {1}, {4}, {0}}), {2});
  EXPECT_EQ(gaps->owners(Extents{1}, Axis::Subgroup), (Extents{4, 5, 6, 7}));
}

// "Tiling levels must not overlap."
TEST_F(NestedLayoutPage, OverlappingLevelsAreRejected) {
  EXPECT_EQ(errorOf(nested({{1, 1}, {1, 1}, {1, 1}, {16, 4}, {1, 1}, {0, 0}, {1, 8}}), {16, 4}),
            "thread_strides[1] = 8 is too small: smaller strides already number the first 16 lanes; the next free stride is "
            "16 @1");
  EXPECT_EQ(errorOf(nested({{2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 0}}), {2, 2}),
            "subgroup_strides[1] = 1 is too small: smaller strides already number the first 2 subgroups; the next free "
            "stride is 2 @1");
  EXPECT_EQ(errorOf(nested({{2, 4, 2}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {4, 1, 2}, {0, 0, 0}}), {2, 4, 2}),
            "subgroup_strides[2] = 2 is too small: smaller strides already number the first 4 subgroups; the next free "
            "stride is 4 @2");
  // Here the ids 0, 1, 4 would hold the first row, and only 2, 3 the second.
  EXPECT_EQ(errorOf(nested({{2, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {2, 5}, {0, 0}}), {2, 2}),
            "subgroup_strides[1] = 5 is not a multiple of 4: smaller strides already number the first 4 subgroups @1");
}

// "If the total number of subgroups used exceeds the number of subgroups of the hardware, then the subgroup used (say x) is x
// mod num_subgroups: num_subgroups = 4; 0, 4, 1, 5, 2, 6, 3, 7 | mod 4 V 0, 0, 1, 1, 2, 2, 3, 3"
TEST_F(NestedLayoutPage, MoreVirtualSubgroupsThanReal) {
  const Layout *layout = make(nested({{4, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 4}, {0, 0}}), {4, 2});
  const Layout *real = onSubgroupsModulo(context_, layout, 4);
  ASSERT_NE(real, nullptr);
  EXPECT_EQ(firstOwners(real, Axis::Subgroup), (Extents{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(real->text(), "#wg_map<sg_layout = [4, 1], sg_data = [1, 2]>");
  EXPECT_EQ(collapsedShape(*real), (Extents{1, 2}));
  // With 2 subgroups, the even rows belong to the first one: the digit of the rows is split.
  const Layout *two = onSubgroupsModulo(context_, layout, 2);
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(firstOwners(two, Axis::Subgroup), (Extents{0, 0, 1, 1, 0, 0, 1, 1}));
  EXPECT_EQ(onSubgroupsModulo(context_, layout, 1), make(wg({1, 1}, {4, 2}), {4, 2}));
  EXPECT_EQ(onSubgroupsModulo(context_, layout, 8), layout);
  // "The total number of subgroups used (computed by multiplying each dim in subgroup_tile) should be a multiple of number of
  // subgroups in the harware."
  EXPECT_EQ(onSubgroupsModulo(context_, layout, 3), nullptr);
  EXPECT_EQ(subgroupsModulo(layout, 100), (Extents{1, 2, 4, 8}));
  EXPECT_EQ(subgroupsModulo(layout, 5), (Extents{1, 2, 4}));
  // Subgroups 0, 4 and 8 of a 3x4 arrangement are a diagonal, which no layout gives to one subgroup.
  const Layout *grid = make(nested({{3, 4}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 3}, {0, 0}}), {3, 4});
  EXPECT_EQ(onSubgroupsModulo(context_, grid, 4), nullptr);
  EXPECT_EQ(subgroupsModulo(grid, 100), (Extents{1, 3, 6, 12}));
}

// "So after the vector is distributed per thread on a subgroup, it is viewed as [batch] x [outer] x [element] where each
// sub-dimensions group has dimensions equal to original rank of the undistributed vector."
TEST_F(NestedLayoutPage, ShapesOfEveryRank) {
  const Extents batch = {2, 3, 1, 2, 1}, outer = {1, 2, 2, 1, 3}, element = {4, 1, 2, 1, 2};
  for (size_t rank = 1; rank <= 5; ++rank) {
    auto first = [&](const Extents &values) {
      return Extents(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank));
    };
    NestedLayout map{Extents(rank, 1), first(batch),     first(outer),    Extents(rank, 1),
                     first(element),   Extents(rank, 0), Extents(rank, 0)};
    map.subgroupTile[0] = 2, map.subgroupStrides[0] = 1;
    map.threadTile[rank - 1] = 4, map.threadStrides[rank - 1] = 1;
    Extents shape, full, each;
    for (size_t d = 0; d < rank; ++d) {
      each.push_back(batch[d] * outer[d] * element[d]);
      shape.push_back(map.subgroupTile[d] * map.threadTile[d] * each[d]);
    }
    for (const Extents *level : {&batch, &outer, &element})
      full.insert(full.end(), level->begin(), level->begin() + static_cast<std::ptrdiff_t>(rank));
    const Layout *layout = make(nested(map), shape);
    EXPECT_EQ(distributedShape(map), full);
    EXPECT_EQ(collapsedShape(*layout), each);
    EXPECT_EQ(layout->axisSize(Axis::Register), product(full));
    // The last subgroup and lane hold the last element of the tile in their last register.
    Extents last = shape;
    for (int64_t &extent : last) --extent;
    EXPECT_EQ(indexOfRegister(*layout, 1, 3, product(full) - 1), last);
    EXPECT_EQ(registerOf(map, product(full) - 1), product(full) - 1);
    EXPECT_EQ(registerOf(map, 0), 0);
  }
}

// "The first level, batches, are a way to represent instruction unrolling. For example, an intrinsic which can only take 4x4
// shape at a time, uses batches to unroll a 16x16 shape to the native intrinsice shape."
TEST_F(NestedLayoutPage, BatchesUnrollAnInstruction) {
  NestedLayout map{{1, 1}, {4, 4}, {1, 1}, {4, 4}, {1, 1}, {0, 0}, {4, 1}};
  const Layout *layout = make(nested(map), {16, 16}),
               *native = make(nested({{1, 1}, {1, 1}, {1, 1}, {4, 4}, {1, 1}, {0, 0}, {4, 1}}), {4, 4});
  EXPECT_EQ(distributedShape(map), (Extents{4, 4, 1, 1, 1, 1}));
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 16; ++column) {
      EXPECT_EQ(layout->owners(Extents{row, column}, Axis::Lane), native->owners(Extents{row % 4, column % 4}, Axis::Lane));
      EXPECT_EQ(layout->owners(Extents{row, column}, Axis::Register), Extents{row / 4 * 4 + column / 4}) << "the batch";
    }
}

// "The second level, outers, is a way to represent thread layout duplication required by a particular intrinsic." "outer_tile=[2,
// 1], thread_tile=[2, 5]: the thread Layout of shape 2x5 duplicated 2 times, to get a layout of shape 4x5; outer = 0,0: [0 1 2 3
// 4] [5 6 7 8 9] outer = 1,0: [0 1 2 3 4] [5 6 7 8 9]". "outer_tile represents the number of outers in a batch."
TEST_F(NestedLayoutPage, OutersDuplicateTheThreads) {
  NestedLayout map{{1, 1}, {1, 1}, {2, 1}, {2, 5}, {1, 1}, {0, 0}, {5, 1}};
  const Layout *layout = make(nested(map), {4, 5});
  EXPECT_EQ(layout->picture(), "one cell = 1x1, the number is the lane\n0 1 2 3 4\n5 6 7 8 9\n0 1 2 3 4\n5 6 7 8 9\n");
  for (int64_t row = 0; row < 4; ++row)
    EXPECT_EQ(layout->owners(Extents{row, 3}, Axis::Register), Extents{row / 2}) << "the outer";
  map.batchTile = {3, 1};
  EXPECT_EQ(collapsedShape(*make(nested(map), {12, 5})), (Extents{6, 1}));
}

// "The final level of tiling, representing the minimum shape of vector that is treated as an atom. element_tile represents the
// native size of the vector."
TEST_F(NestedLayoutPage, ElementsAreAnAtom) {
  NestedLayout map{{1, 1}, {2, 1}, {1, 1}, {2, 2}, {2, 4}, {0, 0}, {2, 1}};
  const Layout *layout = make(nested(map), {8, 8});
  for (int64_t row = 0; row < 8; row += 2)
    for (int64_t column = 0; column < 8; column += 4)
      for (int64_t e = 0; e < 8; ++e)
        EXPECT_EQ(layout->owners(Extents{row + e / 4, column + e % 4}, Axis::Lane),
                  layout->owners(Extents{row, column}, Axis::Lane));
  // In the full form an atom is contiguous.
  for (int64_t e = 0; e < 8; ++e)
    EXPECT_EQ(indexOfRegister(*layout, 0, 3, registerOf(map, 8 + e)), (Extents{6 + e / 4, 4 + e % 4}));
}

// "Vector to be distributed: vector<64x64xf16>", "conceptually viewed as a: vector<[2x1]x[2x4]x[1x1]x[16x4]x[1x4]>". "The
// subgroup_strides being [1, 0] means each subgroup is going to get a vector as follows: subgroup0 … from …[0, …], subgroup1 …
// from …[1, …], subgroup2 … from …[0, …], subgroup3 … from …[1, …]".
TEST_F(NestedLayoutPage, FullExampleSubgroups) {
  const Layout *layout = make(nested(kFullExample), {64, 64});
  EXPECT_EQ(layout->text(), "#layout<[2:sg*1, 2, 16:lane*1], [4, 4:lane*16, 4]>");
  EXPECT_EQ(nested(kFullExample).text(), "#nested_layout<subgroup_tile = [2, 1], batch_tile = [2, 4], outer_tile = [1, 1], "
                                         "thread_tile = [16, 4], element_tile = [1, 4], subgroup_strides = [1, 0], "
                                         "thread_strides = [1, 16]>");
  EXPECT_EQ(layout->subgroups(), 2);
  // The page has four subgroups for two parts: the last two hold copies.
  const Layout *four = onSubgroupsModulo(context_, layout, 4);
  ASSERT_NE(four, nullptr);
  EXPECT_EQ(four->subgroups(), 4);
  EXPECT_EQ(four->subgroupShape(), (Extents{32, 64})) << "vector<[2x4]x[1x1]x[16x4]x[1x4]>";
  for (int64_t s = 0; s < 4; ++s) {
    Extents part;
    for (int64_t e = 0; e < 32 * 64; ++e) part.push_back(s % 2 * 32 * 64 + e);
    EXPECT_EQ(four->elementsOf(s), part);
  }
  EXPECT_EQ(onSubgroupsModulo(context_, layout, 3), nullptr) << "subgroups 0 and 2 would hold the first part, and 1 the second";
}

// "thread0: vector<[2x4]x[1x1]x[1x4]> from vector<[2x4]x[1x1]x[16x4]x[1x4]>[:,:,:,:,0,0,:,:]", "thread1 … [:,:,:,:,1,0,:,:]",
// "thread16 … [:,:,:,:,0,1,:,:]". "Finally we are left with a distributed vector of conceptual view: vector<[2x4]x[1x1]x[1x4]>
// where the actual shape is: vector<2x16>."
TEST_F(NestedLayoutPage, FullExampleThreads) {
  const Layout *layout = make(nested(kFullExample), {64, 64});
  EXPECT_EQ(layout->axisSize(Axis::Lane), 64);
  EXPECT_EQ(distributedShape(kFullExample), (Extents{2, 4, 1, 1, 1, 4}));
  EXPECT_EQ(collapsedShape(*layout), (Extents{2, 16}));
  struct {
    int64_t id, row, column;
  } threads[] = {{0, 0, 0}, {1, 1, 0}, {16, 0, 1}, {63, 15, 3}};
  for (int64_t s = 0; s < 2; ++s)
    for (auto [id, row, column] : threads) {
      Extents slice, byPosition;
      for (int64_t batch0 = 0; batch0 < 2; ++batch0)
        for (int64_t batch1 = 0; batch1 < 4; ++batch1)
          for (int64_t element = 0; element < 4; ++element)
            slice.push_back(((s * 2 + batch0) * 16 + row) * 64 + (batch1 * 4 + column) * 4 + element);
      EXPECT_EQ(heldBy(layout, s, id), slice) << "thread " << id;
      for (int64_t p = 0; p < 32; ++p)
        byPosition.push_back(elementAt(indexOfRegister(*layout, s, id, registerOf(kFullExample, p)), {64, 64}));
      EXPECT_EQ(byPosition, slice) << "both forms have the same order here, because the row has one atom";
    }
}

// The collapsed form exists for every notation, and the number of a register is the position in it.
TEST_F(NestedLayoutPage, CollapsedShapesOfOtherNotations) {
  const Layout *maps = make(xe(wg({2, 2}, {12, 32}), sg({2, 8}, {1, 2})), {24, 64});
  EXPECT_EQ(collapsedShape(*maps), (Extents{6, 4}));
  EXPECT_EQ(indexOfRegister(*maps, 3, 9, 0), (Extents{13, 34}));
  EXPECT_EQ(indexOfRegister(*maps, 3, 9, 6), (Extents{15, 50}));
  EXPECT_EQ(collapsedShape(*make(wg({2, 2}, {32, 128}), {128, 128})), (Extents{64, 128})) << "a subgroup, without lanes";
  EXPECT_EQ(collapsedShape(*make(sg({16}, {1}), {16})), Extents{1});
}

// The parameters of the page: seven lists with one entry for each dimension.
TEST_F(NestedLayoutPage, ErrorsOfLists) {
  EXPECT_EQ(errorOf(nested({{2}, {2}, {1}, {4}, {1}, {1}, {1}}), {20}),
            "subgroup_tile * batch_tile * outer_tile * thread_tile * element_tile = 2 * 2 * 1 * 4 * 1 = 16, but the extent is "
            "20 @0");
  EXPECT_EQ(errorOf(nested({{2}, {1}, {1}, {1}, {1}, {-1}, {0}}), {2}), "subgroup_strides[0] is -1; it must be at least 0 @0");
  EXPECT_EQ(errorOf(nested({{2}, {1}, {1}, {0}, {1}, {1}, {0}}), {2}), "thread_tile[0] is 0; it must be at least 1 @0");
  const NestedLayout good{{2}, {1}, {1}, {1}, {1}, {1}, {0}};
  const std::pair<Extents NestedLayout::*, std::string> lists[] = {
      {&NestedLayout::subgroupTile, "subgroup_tile"},  {&NestedLayout::batchTile, "batch_tile"},
      {&NestedLayout::outerTile, "outer_tile"},        {&NestedLayout::threadTile, "thread_tile"},
      {&NestedLayout::elementTile, "element_tile"},    {&NestedLayout::subgroupStrides, "subgroup_strides"},
      {&NestedLayout::threadStrides, "thread_strides"}};
  for (const auto &[list, name] : lists) {
    NestedLayout map = good;
    map.*list = {1, 1};
    EXPECT_EQ(errorOf(nested(map), {2}), name + " = [1, 1] has 2 entries, but the shape has 1 dimension @-1");
  }
  int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(errorOf(nested({{huge}, {huge}, {1}, {1}, {1}, {1}, {0}}), {2}),
            "subgroup_tile * batch_tile * outer_tile * thread_tile * element_tile = 1099511627776 * 1099511627776 * 1 * 1 * 1 "
            "does not fit 64 bits @0");
  EXPECT_EQ(errorOf(nested({{2}, {1}, {1}, {1}, {1}, {INT64_MAX}, {0}}), {2}),
            "the subgroups of 2:sg*9223372036854775807 do not fit 64 bits @0");
}

} // namespace
} // namespace xt
