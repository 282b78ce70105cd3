// Tests the verifier: a valid module passes; each planted fault is found, and the message names the op and the fault.
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/verify/verify.h"
#include "ir/views/tile.h"
#include "tests/ir/gemm_module.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

class Verify : public testing::Test {
protected:
  // Returns all messages with their notes, one per line; "" if the module is valid.
  std::string found() {
    Diagnostics diagnostics;
    bool ok = verify(gemm_.module, diagnostics).ok();
    EXPECT_EQ(ok, !diagnostics.hasErrors());
    std::string text;
    for (const Diagnostic &d : diagnostics.all()) {
      text += d.message + "\n";
      for (const std::string &note : d.notes) text += "  " + note + "\n";
    }
    return text;
  }
  void expect(std::string_view part) { EXPECT_NE(found().find(part), std::string::npos) << found(); }

  GemmModule gemm_;
  Context &context_ = gemm_.context;
  Kernel &kernel_ = *gemm_.kernel;
};

TEST_F(Verify, SoundModule) { EXPECT_EQ(found(), ""); }

TEST_F(Verify, OperandOfAnotherClass) {
  gemm_.loadA->setOperand(0, kernel_.param(0));
  expect("operand tile of `load_tile` is a tile, but this is memref<?x?xf16>");
  expect("in `%a = xetile.load_tile %A :");
}

TEST_F(Verify, MaskOfALoad) {
  Builder build(context_, *gemm_.loop->region());
  build.setBefore(gemm_.loadA);
  Type mask = context_.withElem(gemm_.loadA->result()->type(), Elem::I1);
  gemm_.loadA->addOperand(build.constantInt(mask, 1));
  EXPECT_EQ(found(), "");
  kernel_.forms.add(Form::TileOps);
  expect("this load has a mask");
  kernel_.forms.add(Form::SubgroupTiles);
  expect("has a mask, which is expanded before subgroups have parts of the tile");
}

TEST_F(Verify, WrongNumberOfOperands) {
  gemm_.mma->eraseOperand(2);
  EXPECT_EQ(found(), ""); // the accumulator is optional
  gemm_.mma->eraseOperand(1);
  expect("`tile_mma` takes at least 2 operands");
}

TEST_F(Verify, ResultOfAnotherType) {
  gemm_.mma->result()->setType(context_.vector({256, 128}, Elem::F32));
  expect("kernel @gemm: ");
}

TEST_F(Verify, UseBeforeDefinition) {
  gemm_.loop->region()->moveBefore(gemm_.loadA, gemm_.mma);
  expect("the 1st operand is not defined where it is used");
  expect("in `%acc_3 = xetile.tile_mma ");
  Block &body = *gemm_.loop->region();
  body.moveBefore(gemm_.mma, gemm_.loadA); // restores the order, because a block is destroyed from its last op to its first
  expect("the 2nd operand is not defined where it is used");
  body.moveBefore(body.last()->previous()->previous(), gemm_.mma);
  EXPECT_EQ(found(), "");
}

TEST_F(Verify, ValueOfARegionUsedOutside) {
  gemm_.store->setOperand(0, gemm_.mma->result());
  expect("the 1st operand is not defined where it is used");
  expect("in `xetile.store_tile ");
}

TEST_F(Verify, ValueOfAnotherKernelOrOfTheGrid) {
  gemm_.loop->setOperand(2, kernel_.grid[0].step);
  expect("the 3rd operand is not defined where it is used");
}

TEST_F(Verify, MissingTerminator) {
  Block &body = *gemm_.loop->region();
  body.erase(body.last());
  expect("a region does not end with a terminator");
}

TEST_F(Verify, TerminatorInTheMiddle) {
  Builder inner(context_, *gemm_.loop->region());
  inner.setBefore(gemm_.mma);
  Op *extra = inner.create(OpKind::Yield, {}, {});
  expect("a region must have one terminator, as its last op");
  extra->block()->erase(extra);
  Builder b(context_, kernel_.body);
  b.setBefore(gemm_.store);
  b.create(OpKind::Yield, {}, {});
  expect("a kernel's body has no terminator");
}

TEST_F(Verify, CarriedValues) {
  Op *yield = gemm_.loop->region()->last();
  Value *third = yield->operand(2);
  yield->eraseOperand(2);
  expect("a region yields 2 values for 3 results");
  yield->addOperand(third);
  EXPECT_EQ(found(), "");
  yield->setOperand(2, yield->operand(1));
  expect("the 3rd result is tile<32x256xf16");
}

TEST_F(Verify, LoopParameters) {
  gemm_.loop->region()->addParam(context_.index(), "extra");
  expect("carries 3 values, but has 3 results and 5 parameters of its body");
}

TEST_F(Verify, Attributes) {
  Builder b(context_, kernel_.body);
  b.setBefore(gemm_.store);
  Op *compare = b.create(OpKind::CmpI, {gemm_.loop->operand(0), gemm_.loop->operand(1)}, {context_.i1()});
  expect("the attribute `kind` is missing");
  compare->setAttr("kind", std::string("lt"));
  expect("the attribute `kind` is not one of: eq ne slt");
  compare->setAttr("kind", std::string("slt"));
  EXPECT_EQ(found(), "");
  gemm_.loadA->setAttr("padding", int64_t{1});
  expect("the attribute `padding` is not of the element type f16");
  gemm_.loadA->setAttr("padding", std::string("1"));
  expect("the attribute `padding` is not a number");
}

TEST_F(Verify, ConstantThatItsTypeCannotHold) {
  Builder b(context_, kernel_.body);
  b.setBefore(gemm_.store);
  Value *c = b.constantInt(context_.scalar(Elem::I8), 5);
  EXPECT_EQ(found(), "");
  c->definingOp()->setAttr("value", int64_t{128});
  expect("the attribute `value` does not fit i8");
}

TEST_F(Verify, Header) {
  kernel_.paramCount = 2;
  expect("its body has 5 parameters for 2 of the kernel and 2 grid variables");
  kernel_.paramCount = 3;
  std::swap(kernel_.grid[0].variable, kernel_.grid[1].variable);
  expect("its 1st grid variable does not match the index parameter of the body");
  std::swap(kernel_.grid[0].variable, kernel_.grid[1].variable);
  Value *upper = std::exchange(kernel_.grid[1].upper, gemm_.loop->operand(1));
  expect("a bound of its 2nd grid variable is not an index of the grid");
  kernel_.grid[1].upper = upper;
  EXPECT_EQ(found(), "");
  kernel_.requirements.push_back({upper, {}});
  expect("its 1st requirement is not an i1 of the grid's block");
  kernel_.requirements[0].condition = nullptr;
  expect("its 1st requirement is not an i1 of the grid's block");
  kernel_.requirements.clear();
  Builder header(context_, kernel_.gridBlock);
  Op *id = header.create(OpKind::SubgroupId, {}, {context_.index()});
  expect("a header takes constants, extents and arithmetic on scalars only");
  kernel_.gridBlock.erase(id);
  EXPECT_EQ(found(), "");
  kernel_.gridBlock.param(0)->setType(context_.index());
  expect("its grid and its body have parameters of different types");
}

TEST_F(Verify, TwoKernelsOfOneName) {
  gemm_.module.kernels.push_back(std::make_unique<Kernel>());
  gemm_.module.kernels[1]->name = "gemm";
  expect("two kernels are called @gemm");
}

TEST_F(Verify, Launches) {
  HostTest &test = gemm_.module.tests.emplace_back();
  test.name = "t";
  HostStmt &launch = test.body.emplace_back();
  launch.kind = HostStmt::Kind::Launch;
  launch.kernel = "other";
  expect("test \"t\": launches a kernel that is not in the module: @other");
  launch.kernel = "gemm";
  expect("wrong number of arguments");
}

TEST_F(Verify, FormLayoutsKnown) {
  gemm_.loadA->result()->setType(context_.vector({256, 32}, Elem::F16));
  expect("does not have the form `layouts_known`: this vector<256x32xf16> has no layout");
  expect("in `%a = xetile.load_tile");
  kernel_.forms.drop(Form::LayoutsKnown);
  EXPECT_EQ(found(), "");
}

// Each form is claimed for a kernel that does not have it.
TEST_F(Verify, FormsOfScopes) {
  for (Form form : {Form::SubgroupTiles, Form::Blocks}) {
    kernel_.forms.add(form);
    expect(std::string("does not have the form `") + std::string(formText(form)) + "`: it is at workgroup scope");
    kernel_.forms.drop(form);
  }
  kernel_.forms.add(Form::Lanes);
  expect("does not have the form `lanes`: it is not at lane scope");
}

TEST_F(Verify, FormSlmPlanned) {
  kernel_.forms.add(Form::SlmPlanned);
  EXPECT_EQ(found(), "");
  Builder b(context_, kernel_.body);
  b.setBefore(gemm_.store);
  Op *buffer = b.create(OpKind::AllocSlm, {}, {context_.memref({64, 32}, Elem::F16, MemorySpace::Slm)});
  expect("does not have the form `slm_planned`: this buffer has no offset");
  AllocSlmOp(*buffer).setOffset(128);
  EXPECT_EQ(found(), "");
}

TEST_F(Verify, FormsOfProcessors) {
  Diagnostics diagnostics;
  auto holds = [&](Form form) { return verifyForm(form, kernel_, context_, diagnostics).ok(); };
  Builder b(context_, kernel_.body);
  b.setBefore(gemm_.store);
  b.create(OpKind::CompileHint, {}, {});
  EXPECT_TRUE(holds(Form::TileOps) && holds(Form::Nests));
  Op *nest = b.create(OpKind::Nest, {}, {});
  kernel_.scope = Scope::Lane;
  EXPECT_TRUE(holds(Form::TileOps) && holds(Form::Lanes));
  EXPECT_FALSE(holds(Form::Nests));
  nest->block()->erase(nest);
  EXPECT_TRUE(holds(Form::Nests));
  b.create(OpKind::PrefetchNd, {kernel_.param(0)}, {});
  EXPECT_FALSE(holds(Form::TileOps) || holds(Form::Nests));
  EXPECT_EQ(diagnostics.all().back().message, "this is an XeGPU op");
}

TEST_F(Verify, LayoutsThatDisagree) {
  // The rows are distributed over 4 by 8 instead of 8 by 4 subgroups, which breaks the product's rule for rows.
  LayoutOrError other = makeLayout(context_, LayoutSpec::of({{4, 8}, {64, 4}}), std::vector<int64_t>{256, 32});
  gemm_.loadA->result()->setType(context_.vector({256, 32}, Elem::F16, std::get<const Layout *>(other)));
  EXPECT_NE(found(), "");
}

TEST_F(Verify, NumberOfSubgroups) {
  kernel_.subgroups = 16;
  expect("a layout of 32 subgroups in a kernel of 16");
}

TEST_F(Verify, LayoutsAtSubgroupScope) {
  kernel_.scope = Scope::Subgroup;
  expect("a layout of several subgroups in a kernel at subgroup scope");
}

TEST_F(Verify, LayoutsOfLanesThatDisagree) {
  Context context;
  Module module(context);
  Kernel &kernel = *module.kernels.emplace_back(std::make_unique<Kernel>());
  kernel.name = "k";
  kernel.forms.add(Form::SubgroupTiles);
  Builder b(context, kernel.body);
  auto lanes = [&](std::vector<int64_t> layout) {
    LayoutSpec spec;
    spec.sg = SgMap{std::move(layout), {1, 1}};
    return std::get<const Layout *>(makeLayout(context, spec, std::vector<int64_t>{16, 16}));
  };
  Value *x = b.constantFloat(context.vector({16, 16}, Elem::F32, lanes({16, 1})), 1);
  Value *y = b.constantFloat(context.vector({16, 16}, Elem::F32, lanes({1, 16})), 1);
  b.value(OpKind::AddF, {x, y}, x->type());
  Diagnostics diagnostics;
  EXPECT_FALSE(verify(module, diagnostics).ok());
  ASSERT_FALSE(diagnostics.all().empty());
  EXPECT_NE(diagnostics.all()[0].message.find("its vectors have different layouts"), std::string::npos)
      << diagnostics.all()[0].message;
}

TEST_F(Verify, LayoutsAtLaneScope) {
  kernel_.scope = Scope::Lane;
  expect("a layout in a kernel at lane scope");
}

TEST_F(Verify, ManyFaultsAreCut) {
  Builder b(context_, kernel_.body);
  b.setBefore(gemm_.store);
  for (int i = 0; i < 100; ++i) b.create(OpKind::AddI, {gemm_.loop->operand(0)}, {context_.index()});
  Diagnostics diagnostics;
  EXPECT_FALSE(verify(gemm_.module, diagnostics).ok());
  EXPECT_EQ(diagnostics.errorCount(), 20u);
}

} // namespace
} // namespace xt
