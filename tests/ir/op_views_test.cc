// Tests that views of ops return operands and attributes by the names and types in the rows of the op table.
#include "ir/builder.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/scalar.h"
#include "ir/views/shared.h"
#include "ir/views/structure.h"
#include "ir/views/tile.h"
#include "tests/golden.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

namespace xt {
namespace {

class OpViews : public testing::Test {
protected:
  Op &create(OpKind kind, std::vector<Value *> operands, const std::vector<Type> &results) {
    return *builder_.create(kind, std::move(operands), results);
  }

  Context context_;
  Block block_;
  Builder builder_{context_, block_};
  Type vector_ = context_.vector({8, 16}, Elem::F32);
  Value *x_ = block_.addParam(vector_);
};

TEST_F(OpViews, GiveWhatTheyAreSet) {
  Op &op = create(OpKind::Reduction, {x_}, {context_.vector({8, 1}, Elem::F32)});
  ReductionOp reduction(op);
  reduction.setKind(ReductionKind::Maximumf);
  reduction.setDim(1);
  EXPECT_EQ(reduction.v(), x_);
  EXPECT_EQ(reduction.kind(), ReductionKind::Maximumf);
  EXPECT_EQ(wordText(reduction.kind()), "maximumf");
  EXPECT_EQ(reduction.dim(), 1);
  EXPECT_EQ(reduction.reductionSize(), std::nullopt);
  reduction.setReductionSize(4);
  const Op &read = op;
  EXPECT_EQ(ReductionOp(read).reductionSize(), 4);
  EXPECT_EQ(SharedAttrs(read).kind(), "maximumf");
  EXPECT_EQ(SharedAttrs(read).dim(), 1);
  EXPECT_EQ(dimensionOf(op), 1u);
}

TEST_F(OpViews, KnowAbsentOperandsAndAttributes) {
  Value *y = block_.addParam(context_.vector({16, 8}, Elem::F32));
  Op &product = create(OpKind::TileMma, {x_, y}, {context_.vector({8, 8}, Elem::F32)});
  EXPECT_EQ(TileMmaOp(product).b(), y);
  EXPECT_EQ(TileMmaOp(product).c(), nullptr);
  Op &yield = create(OpKind::Yield, {x_, y}, {});
  EXPECT_EQ(YieldOp(yield).values().size(), 2u);
  Op &load = create(OpKind::LoadTile, {block_.addParam(context_.tile({16, 8}, Elem::F32, nullptr))}, {vector_});
  EXPECT_EQ(LoadTileOp(load).padding(), nullptr);
  EXPECT_EQ(LoadTileOp(load).transpose(), nullptr);
  EXPECT_FALSE(transposes(load));
  LoadTileOp(load).setTranspose({1, 0});
  EXPECT_TRUE(transposes(load));
  Op &print = create(OpKind::Print, {}, {});
  EXPECT_FALSE(PrintOp(print).workgroup());
  PrintOp(print).setWorkgroup();
  EXPECT_TRUE(PrintOp(print).workgroup());
}

TEST_F(OpViews, CopyAttributesButOne) {
  Op &from = create(OpKind::Reduction, {x_}, {context_.vector({8, 1}, Elem::F32)}), &to = create(from.kind(), {x_}, {vector_});
  ReductionOp(from).setDim(1);
  ReductionOp(from).setReductionSize(4);
  copyAttrs(from, to, attr_names::kReductionSize);
  EXPECT_EQ(ReductionOp(to).dim(), 1);
  EXPECT_EQ(ReductionOp(to).reductionSize(), std::nullopt);
}

TEST_F(OpViews, WordsAreThoseOfTheRow) {
  for (const OpInfo &info : allOps())
    for (const AttrSpec &spec : info.attrs)
      if (info.kind == OpKind::CmpF && spec.kind == AttrKind::Kind)
        for (std::string_view word : wordsOf(CmpFKind{})) {
          EXPECT_NE(spec.doc.find(word), std::string_view::npos) << word;
          EXPECT_EQ(wordText(*findWord<CmpFKind>(word)), word);
        }
  EXPECT_EQ(findWord<CmpFKind>("slt"), std::nullopt);
}

TEST_F(OpViews, WalkOfConstBlocksGivesConstOps) {
  Op &branch = *builder_.create(OpKind::If, {block_.addParam(context_.i1())}, {}, 2);
  Builder inner(context_, *branch.region(0));
  inner.create(OpKind::Yield, {}, {});
  std::vector<OpKind> kinds;
  auto note = [&](auto &op) {
    static_assert(std::is_same_v<decltype(op), const Op &>);
    kinds.push_back(op.kind());
  };
  walk(std::as_const(block_), note);
  EXPECT_EQ(kinds, (std::vector{OpKind::If, OpKind::Yield}));
  size_t count = 0;
  walk(std::as_const(block_), [&](const Op &) { return ++count, false; }); // does not enter the regions
  EXPECT_EQ(count, 1u);
}

using OpViewsDeath = OpViews;

TEST_F(OpViewsDeath, ViewsOfOtherKindsAndMissingAttributesAreBugs) {
  Op &op = create(OpKind::Reduction, {x_}, {context_.vector({8, 1}, Elem::F32)});
  EXPECT_DEATH(BroadcastOp{op}, "a view of another kind of op");
  EXPECT_DEATH((void)ReductionOp(op).dim(), "a required attribute is missing");
}

// The sources must read attributes through views: a misspelt attribute name would silently read as an absent attribute, whereas
// a misspelt accessor does not compile.
TEST(Sources, ReadAttributesThroughViews) {
  namespace fs = std::filesystem;
  const std::regex byName(R"re(\b(attr|setAttr|findAttr)\((in, )?")re");
  const fs::path root = XT_SOURCE_DIR;
  for (const char *folder : {"ir", "lang", "passes", "targets"})
    for (const auto &entry : fs::recursive_directory_iterator(root / folder)) {
      std::string name = fs::relative(entry.path(), root).generic_string();
      if (!name.ends_with(".cc") && !name.ends_with(".h")) continue;
      if (name.starts_with("ir/print") || name.starts_with("ir/views/") || name.starts_with("lang/parse/")) continue;
      std::string text = test::readText(entry.path());
      std::smatch match;
      EXPECT_FALSE(std::regex_search(text, match, byName)) << name << " names an attribute by a string: " << match.str();
    }
}

} // namespace
} // namespace xt
