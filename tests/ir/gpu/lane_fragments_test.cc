// Compares the fragments of a matrix product, and the owners along one dimension on any axis, with the definition, element by
// element.
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

using Extents = std::vector<int64_t>;

const Layout *make(Context &context, const LayoutSpec &spec, const Extents &shape) {
  LayoutOrError made = makeLayout(context, spec, shape);
  const Layout *const *layout = std::get_if<const Layout *>(&made);
  return layout ? *layout : nullptr;
}
LayoutSpec sg(Extents layout, Extents data) {
  LayoutSpec spec;
  spec.sg = SgMap{std::move(layout), std::move(data)};
  return spec;
}

TEST(OwnerSlices, AreWhatOwnersSay) {
  Context context;
  size_t tried = 0;
  for (int64_t rows : {1, 2, 4})
    for (int64_t columns : {2, 3, 8})
      for (int64_t down : {1, 2, 3})
        for (int64_t across : {1, 2})
          for (int64_t rounds : {1, 2}) {
            LayoutSpec spec = sg({rows, columns}, {down, across});
            if (tried % 2) spec.wg = WgMap{{2, 1}, {rows * down * rounds, columns * across}};
            Extents shape = {rows * down * rounds * (tried % 2 ? 2 : 1), columns * across};
            const Layout *layout = make(context, spec, shape);
            ASSERT_TRUE(layout);
            ++tried;
            for (Axis axis : {Axis::Lane, Axis::Subgroup}) {
              std::vector<Extents> held(static_cast<size_t>(layout->axisSize(axis)), Extents(2, 0));
              for (int64_t owner = 0; owner < layout->axisSize(axis); ++owner)
                for (int d = 0; d < 2; ++d) {
                  Extents expected;
                  for (int64_t i = 0; i < shape[static_cast<size_t>(d)]; ++i) {
                    bool found = false; // whether the element is owned somewhere along the other dimension
                    for (int64_t k = 0; k < shape[static_cast<size_t>(1 - d)]; ++k) {
                      Extents owners = layout->owners(d == 0 ? Extents{i, k} : Extents{k, i}, axis);
                      found |= std::find(owners.begin(), owners.end(), owner) != owners.end();
                    }
                    if (found) expected.push_back(i);
                  }
                  EXPECT_EQ(layout->sliceOf(axis, owner, d), expected);
                  EXPECT_EQ(layout->ownerShape(axis)[static_cast<size_t>(d)], static_cast<int64_t>(expected.size()));
                }
            }
          }
  EXPECT_EQ(tried, 108u);
}

class Fragments : public ::testing::Test {
protected:
  Type vector(Extents shape, Elem elem) { return context_.vector(std::move(shape), elem); }
  std::optional<DpasFragments> find(Type a, Type b, Type c, int64_t lanes) {
    auto found = dpasFragments(context_, a, b, c, lanes);
    if (auto *mismatch = std::get_if<DpasMismatch>(&found)) {
      message_ = mismatch->message;
      operand_ = mismatch->operand;
      return std::nullopt;
    }
    return std::get<DpasFragments>(found);
  }
  Context context_;
  std::string message_;
  size_t operand_ = 99;
};

// The RFC's example: 8x16 times 16x16 on 16 lanes.
TEST_F(Fragments, OfTheRfc) {
  Type c = vector({8, 1}, Elem::F32);
  for (Type a : {vector({4, 2}, Elem::BF16), vector({4, 1, 2}, Elem::BF16)})
    for (Type b : {vector({8, 2}, Elem::BF16), vector({8, 1, 2}, Elem::BF16), vector({16, 1}, Elem::BF16)})
      for (Type sum : {c, Type()}) {
        auto found = find(a, b, sum, 16);
        ASSERT_TRUE(found) << message_;
        EXPECT_EQ((Extents{found->rows, found->columns, found->depth}), (Extents{8, 16, 16}));
        EXPECT_EQ(found->a, make(context_, sg({2, 8}, {1, 2}), {8, 16}));
        EXPECT_EQ(found->b, make(context_, sg({1, 16}, {2, 1}), {16, 16}));
        EXPECT_EQ(found->c, make(context_, sg({1, 16}, {1, 1}), {8, 16}));
      }
  EXPECT_EQ(find(vector({8, 1}, Elem::BF16), vector({8, 2}, Elem::BF16), c, 16)->a,
            make(context_, sg({1, 16}, {1, 1}), {8, 16}));
}

TEST_F(Fragments, OfOtherTypesAndSubgroups) {
  struct Case {
    Extents a, b, c;
    Elem elem;
    int64_t lanes;
    Extents product, wiLayout, wiData;
  };
  for (const Case &test : std::vector<Case>{{{4, 4}, {8, 1, 4}, {8, 1}, Elem::I8, 16, {8, 16, 32}, {2, 8}, {1, 4}},
                                            {{4, 1}, {8, 1}, {8, 1}, Elem::TF32, 16, {8, 16, 8}, {2, 8}, {1, 1}},
                                            {{8, 2}, {8, 1, 2}, {8, 1}, Elem::F16, 8, {8, 8, 16}, {1, 8}, {1, 2}},
                                            {{4, 2}, {8, 2, 2}, {8, 2}, Elem::F16, 16, {8, 32, 16}, {2, 8}, {1, 2}},
                                            {{4, 4}, {16, 1, 2}, {4, 1}, Elem::F16, 8, {4, 8, 32}, {1, 8}, {1, 2}},
                                            {{2, 2}, {8, 1, 2}, {8, 1}, Elem::F16, 32, {8, 32, 16}, {4, 8}, {1, 2}}}) {
    auto found = find(vector(test.a, test.elem), vector(test.b, test.elem), vector(test.c, Elem::F32), test.lanes);
    ASSERT_TRUE(found) << message_;
    EXPECT_EQ((Extents{found->rows, found->columns, found->depth}), test.product);
    EXPECT_EQ(found->a, make(context_, sg(test.wiLayout, test.wiData), {found->rows, found->depth}));
    EXPECT_EQ(found->b->ownerShape(Axis::Lane), (Extents{found->depth, test.c[1]}));
    EXPECT_EQ(found->c->ownerShape(Axis::Lane), test.c);
  }
}

// What a lane holds of a joint matrix makes a product.
TEST_F(Fragments, OfJointMatrices) {
  auto matrix = [&](MatrixUse use, Extents shape, Elem elem) {
    TypeData data = vector(std::move(shape), elem).data();
    data.matrix.use = use;
    return context_.intern(std::move(data));
  };
  struct Case {
    Extents a, b; // MxK and KxN
    Elem elem;
    int64_t lanes;
    Extents wiLayout, wiData; // of a
  };
  for (const Case &test : std::vector<Case>{{{8, 16}, {16, 16}, Elem::F16, 16, {1, 16}, {1, 1}},
                                            {{8, 32}, {32, 16}, Elem::I8, 16, {1, 16}, {1, 2}},
                                            {{8, 64}, {64, 16}, Elem::F16, 16, {1, 16}, {1, 2}},
                                            {{8, 128}, {128, 16}, Elem::I8, 16, {1, 16}, {1, 4}},
                                            {{8, 8}, {8, 16}, Elem::TF32, 16, {2, 8}, {1, 1}},
                                            {{8, 8}, {8, 32}, Elem::F16, 16, {4, 4}, {1, 2}},
                                            {{8, 16}, {16, 8}, Elem::F16, 8, {1, 8}, {1, 2}}}) {
    Type a = matrix(MatrixUse::A, test.a, test.elem), b = matrix(MatrixUse::B, test.b, test.elem),
         c = matrix(MatrixUse::Accumulator, {test.a[0], test.b[1]}, Elem::F32);
    EXPECT_EQ(matrixSgMap(context_, a, test.lanes), (SgMap{test.wiLayout, test.wiData}));
    auto found = find(matrixFragment(context_, a, test.lanes), matrixFragment(context_, b, test.lanes),
                      matrixFragment(context_, c, test.lanes), test.lanes);
    ASSERT_TRUE(found) << message_;
    EXPECT_EQ(found->a, make(context_, sg(test.wiLayout, test.wiData), test.a));
    EXPECT_EQ((Extents{found->rows, found->columns, found->depth}), (Extents{test.a[0], test.b[1], test.a[1]}));
  }
  EXPECT_FALSE(matrixSgMap(context_, matrix(MatrixUse::Accumulator, {8, 8}, Elem::F32), 16));
  EXPECT_FALSE(matrixSgMap(context_, matrix(MatrixUse::A, {3, 16}, Elem::F16), 32));
  EXPECT_FALSE(matrixFragment(context_, matrix(MatrixUse::A, {8, 6}, Elem::F16), 16));
}

TEST_F(Fragments, OfNoProduct) {
  Type a = vector({4, 2}, Elem::F16), b = vector({8, 1, 2}, Elem::F16), c = vector({8, 1}, Elem::F32);
  EXPECT_FALSE(find(vector({2, 4}, Elem::F16), b, c, 16));
  EXPECT_EQ(operand_, 0u);
  EXPECT_FALSE(find(vector({4, 2, 2}, Elem::F16), b, c, 16));
  EXPECT_FALSE(find(vector({1}, Elem::F16), b, c, 16));
  EXPECT_EQ(operand_, 0u);
  EXPECT_FALSE(find(a, vector({8, 1, 4}, Elem::F16), c, 16));
  EXPECT_EQ(operand_, 1u);
  EXPECT_FALSE(find(a, b, vector({8, 2}, Elem::F32), 16));
  EXPECT_EQ(operand_, 1u);
  EXPECT_FALSE(find(a, b, vector({8}, Elem::F32), 16));
  EXPECT_EQ(operand_, 2u);
  // No map distributes 8 rows and 16 columns over 12 lanes, and the elements of operand `a` do not fill one row of the depth.
  EXPECT_FALSE(find(a, b, c, 12));
  EXPECT_FALSE(find(vector({1, 1}, Elem::F16), vector({512, 1, 2}, Elem::F16), Type(), 16));
}

} // namespace
} // namespace xt
