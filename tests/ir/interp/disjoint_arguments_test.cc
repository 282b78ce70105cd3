#include "ir/interp/disjoint_arguments.h"

#include "ir/elem_kinds.h"
#include "kernel_fixture.h"

#include <array>

namespace xt {
namespace {

// A kernel that writes %C and reads %A and %B.
class DisjointArguments : public KernelTest, public testing::WithParamInterface<std::optional<Form>> {
protected:
  DisjointArguments() {
    std::vector<Value *> params;
    for (const char *name : {"A", "B", "C"}) {
      params.push_back(matrixParam(Elem::F32));
      params.back()->setName(name);
    }
    store(load(tileAt(params[0], 0, 0, {8, 16})), tileAt(params[2], 0, 0, {8, 16}));
    load(tileAt(params[1], 0, 0, {8, 16}));
    if (GetParam()) kernel.forms.add(*GetParam());
  }
  static LaunchArg array(float *data, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
    LaunchArg arg;
    arg.kind = LaunchArg::Kind::Buffer;
    arg.buffer = {data, Elem::F32, std::move(sizes), std::move(strides)};
    return arg;
  }
  std::string why(const LaunchArg &a, const LaunchArg &b, const LaunchArg &c) const {
    return whyNotDisjoint(kernel, {a, b, c});
  }
  static bool orSame() { return GetParam() == Form::DisjointOrSame; }
  static bool none() { return !GetParam(); }

  std::array<float, 4096> memory{};
};

TEST_P(DisjointArguments, NeighbouringArraysAreDisjoint) {
  LaunchArg a = array(&memory[0], {8, 16}, {16, 1}), c = array(&memory[128], {8, 16}, {16, 1});
  EXPECT_EQ(why(a, a, c), "") << "what is only read may overlap";
}

TEST_P(DisjointArguments, TheSameArray) {
  LaunchArg a = array(&memory[0], {8, 16}, {16, 1}), b = array(&memory[1000], {8, 16}, {16, 1});
  EXPECT_EQ(why(a, b, a), orSame() || none() ? "" : "`%C` overlaps `%A`");
  LaunchArg fewer = array(&memory[0], {4, 16}, {16, 1}), row = array(&memory[0], {1, 16}, {99, 1});
  EXPECT_EQ(why(fewer, b, a), orSame() || none() ? "" : "`%C` overlaps `%A`") << "the same places";
  EXPECT_EQ(why(row, b, a), none() ? "" : "`%C` overlaps `%A`") << "the strides are others";
  LaunchArg folded = array(&memory[0], {8, 32}, {16, 1});
  EXPECT_EQ(why(folded, b, a), none() ? "" : "`%C` overlaps `%A`") << "its rows overlap";
}

TEST_P(DisjointArguments, ShiftedArrays) {
  LaunchArg a = array(&memory[0], {8, 16}, {16, 1}), b = array(&memory[1000], {8, 16}, {16, 1});
  EXPECT_EQ(why(a, b, array(&memory[127], {8, 16}, {16, 1})), none() ? "" : "`%C` overlaps `%A`");
  EXPECT_EQ(why(b, a, array(&memory[127], {8, 16}, {16, 1})), none() ? "" : "`%C` overlaps `%B`");
  EXPECT_EQ(why(array(&memory[0], {8, 16}, {32, 1}), b, array(&memory[16], {8, 16}, {32, 1})),
            none() ? "" : "`%C` overlaps `%A`")
      << "columns of one matrix are taken to overlap";
}

TEST_P(DisjointArguments, ElementsWithSeveralIndices) {
  LaunchArg a = array(&memory[0], {8, 16}, {0, 1}), b = array(&memory[1000], {8, 16}, {15, 1});
  EXPECT_EQ(why(a, a, array(&memory[2000], {8, 16}, {-16, 1})), "");
  EXPECT_EQ(why(a, a, array(&memory[2000], {8, 16}, {1, 8})), "");
  EXPECT_EQ(why(a, a, array(&memory[2000], {4, 0}, {0, 1})), "") << "no elements";
  EXPECT_EQ(why(a, a, b), none() ? "" : "some elements of `%C` have several indices");
}

TEST_P(DisjointArguments, TheInterpreterRefusesOthers) {
  LaunchArg a = array(&memory[0], {8, 16}, {16, 1}), c = array(&memory[1], {8, 16}, {16, 1});
  Result<void> done = tryRun({a, a, c});
  if (none()) {
    EXPECT_TRUE(done);
    return;
  }
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "@k has the form `" + std::string(formText(*GetParam())) + "`, but `%C` overlaps `%A`");
}

INSTANTIATE_TEST_SUITE_P(Forms, DisjointArguments, testing::Values(std::nullopt, Form::Disjoint, Form::DisjointOrSame));

} // namespace
} // namespace xt
