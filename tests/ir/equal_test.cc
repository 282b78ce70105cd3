// Two builds of one module are equal, also in two contexts, and each planted difference is found.
#include "ir/elem_kinds.h"
#include "ir/equal.h"
#include "tests/ir/gemm_module.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

class Equal : public testing::Test {
protected:
  std::string difference() { return firstDifference(a_.module, b_.module).value_or(""); }
  GemmModule a_, b_;
};

TEST_F(Equal, NamesAndRangesDoNotCount) {
  EXPECT_EQ(difference(), "");
  b_.mma->result()->setName("other");
  b_.mma->setRange({1, 2, 3});
  b_.module.fileName = "other.xt";
  EXPECT_EQ(difference(), "");
}

TEST_F(Equal, FindsAnotherOperand) {
  b_.mma->setOperand(1, b_.mma->operand(0));
  EXPECT_NE(difference().find("an op differs"), std::string::npos) << difference();
  EXPECT_NE(difference().find("xetile.tile_mma %a, %b"), std::string::npos) << difference();
}

TEST_F(Equal, FindsAnotherAttribute) {
  a_.loadA->setAttr("padding", 0.0);
  EXPECT_NE(difference(), "");
  b_.loadA->setAttr("padding", -0.0);
  EXPECT_NE(difference(), "");
  b_.loadA->setAttr("padding", 0.0);
  EXPECT_EQ(difference(), "");
}

TEST_F(Equal, FindsAnotherLayout) {
  b_.loadA->result()->setType(b_.context.vector({256, 32}, Elem::F16));
  EXPECT_NE(difference(), "");
}

TEST_F(Equal, FindsOneOpMore) {
  Builder(b_.context, b_.kernel->body).index(1);
  EXPECT_NE(difference().find("the number of ops"), std::string::npos) << difference();
}

TEST_F(Equal, FindsAnotherGrid) {
  Builder grid(b_.context, b_.kernel->gridBlock);
  // Bounds that are computed by shared ops or by ops in another order are equal.
  b_.kernel->grid[1].lower = b_.kernel->grid[0].lower;
  EXPECT_EQ(difference(), "");
  b_.kernel->grid[1].step = grid.index(128);
  EXPECT_EQ(difference(), "kernel @gemm: the step of the 2nd grid variable differs");
}

TEST_F(Equal, FindsWhatTheHeaderSays) {
  b_.kernel->subgroupsWritten = true; // affects only the spelling
  EXPECT_EQ(difference(), "");
  b_.kernel->forms.drop(Form::LayoutsKnown);
  EXPECT_EQ(difference(), "kernel @gemm: the forms differ");
  b_.kernel->forms.add(Form::LayoutsKnown);
  b_.kernel->subgroups = 16;
  EXPECT_NE(difference(), "");
  b_.kernel->subgroups = 32;
  b_.kernel->name = "other";
  EXPECT_NE(difference(), "");
  b_.kernel->name = "gemm";
  b_.module.aliases[0].spec.wg->sgData[0] = 16;
  EXPECT_NE(difference(), "");
}

TEST_F(Equal, FindsAnotherTest) {
  for (GemmModule *m : {&a_, &b_}) {
    HostTest &test = m->module.tests.emplace_back();
    test.name = "t";
    test.sizes = {{"M", 64, 32}};
    test.hasSmall = true;
    HostStmt &check = test.body.emplace_back();
    check.kind = HostStmt::Kind::Check;
    check.left.kind = HostExpr::Kind::Buffer;
    check.left.text = "C";
    check.right.kind = HostExpr::Kind::Call;
    check.right.fn = HostFn::Matmul;
    check.right.args = {check.left, check.left};
  }
  EXPECT_EQ(difference(), "");
  HostTest &test = b_.module.tests[0];
  test.body[0].right.args[1].text = "D";
  EXPECT_EQ(difference(), "test \"t\": the 1st statement differs");
  test.body[0].right.args[1].text = "C";
  test.body[0].tolerance = HostStmt::Tolerance::Exactly;
  EXPECT_NE(difference(), "");
  test.body[0].tolerance = HostStmt::Tolerance::Derived;
  test.sizes[0].small = 16;
  EXPECT_EQ(difference(), "test \"t\": the sizes differ");
}

TEST_F(Equal, ComparesCommunications) {
  for (GemmModule *m : {&a_, &b_}) {
    HostStmt &stmt = m->module.tests.emplace_back().body.emplace_back();
    stmt.kind = HostStmt::Kind::Communicate;
    stmt.communication = Communication::AllReduce;
    stmt.name = "C";
    stmt.named.push_back({"axis", {}});
  }
  HostStmt &stmt = b_.module.tests.back().body[0];
  const HostStmt before = stmt;
  EXPECT_EQ(difference(), "");
  stmt.started = true;
  EXPECT_NE(difference(), "");
  stmt = before;
  stmt.communication = Communication::Broadcast;
  EXPECT_NE(difference(), "");
  stmt = before;
  stmt.named[0].name = "root";
  EXPECT_NE(difference(), "");
  stmt = before;
  stmt.kind = HostStmt::Kind::Wait;
  EXPECT_NE(difference(), "");
}

} // namespace
} // namespace xt
