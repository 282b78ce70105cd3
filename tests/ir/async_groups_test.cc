// Tests how many groups of asynchronous copies are committed after the one that a wait is for.
#include "ir/async_groups.h"

#include "ir/builder.h"
#include "ir/context.h"
#include "ir/op_kinds.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

class AsyncGroupsTest : public testing::Test {
protected:
  AsyncGroupsTest() : b(context, kernel.body) {}

  Value *commit() { return b.value(OpKind::AsyncCommit, {}, context.ofKind(TypeKind::Token)); }
  Op *wait(Value *group) { return b.create(OpKind::AsyncWait, {group}, {}); }
  // A loop that carries these groups; body(params) gives those of the next iteration.
  template <class Body> Op *loop(const std::vector<Value *> &groups, Body body) {
    std::vector<Value *> operands = {b.index(0), b.index(9), b.index(1)}, params;
    operands.insert(operands.end(), groups.begin(), groups.end());
    Op *made = b.create(OpKind::For, std::move(operands), std::vector<Type>(groups.size(), groups[0]->type()), 1);
    Block &region = *made->region();
    region.addParam(context.index());
    for (Value *group : groups) params.push_back(region.addParam(group->type()));
    Builder outside = b;
    b.setEnd(region);
    std::vector<Value *> next = body(params);
    b.create(OpKind::Yield, std::move(next), {});
    b = outside;
    return made;
  }

  Context context;
  Kernel kernel;
  Builder b;
};

TEST_F(AsyncGroupsTest, InOrder) {
  Value *first = commit(), *second = commit();
  Op *forSecond = wait(second), *forFirst = wait(first);
  commit();
  Op *late = wait(second);
  AsyncGroups groups(kernel);
  EXPECT_EQ(groups.later(*forSecond), 0);
  EXPECT_EQ(groups.later(*forFirst), 1);
  EXPECT_EQ(groups.later(*late), 1);
}

// Three groups are on their way at the start of each iteration; the oldest is waited for.
TEST_F(AsyncGroupsTest, ALoopCarriesARing) {
  Value *first = commit(), *second = commit(), *third = commit();
  Op *inside = nullptr, *afterCommit = nullptr;
  Op *made = loop({first, second, third}, [&](const std::vector<Value *> &ring) -> std::vector<Value *> {
    inside = wait(ring[0]);
    Value *next = commit();
    afterCommit = wait(ring[1]);
    return {ring[1], ring[2], next};
  });
  Op *last = wait(made->result(2)), *middle = wait(made->result(1));
  AsyncGroups groups(kernel);
  EXPECT_EQ(groups.later(*inside), 2);
  EXPECT_EQ(groups.later(*afterCommit), 2);
  EXPECT_EQ(groups.later(*last), 0);
  EXPECT_EQ(groups.later(*middle), 1);
}

// The same group again and again: nothing is committed after it on the way into the loop.
TEST_F(AsyncGroupsTest, TheFirstIterationDecides) {
  Value *group = commit(), *other = commit();
  Op *inside = nullptr;
  loop({other}, [&](const std::vector<Value *> &) -> std::vector<Value *> {
    inside = wait(group);
    return {commit()};
  });
  AsyncGroups groups(kernel);
  EXPECT_EQ(groups.later(*inside), 1);
}

TEST_F(AsyncGroupsTest, ABranchCommitsInOneArmOnly) {
  Value *group = commit();
  Value *condition = b.constantInt(context.i1(), 1);
  Op *branch = b.create(OpKind::If, {condition}, {}, 2);
  Builder outside = b;
  b.setEnd(*branch->region(0));
  commit();
  b.create(OpKind::Yield, {}, {});
  b.setEnd(*branch->region(1));
  b.create(OpKind::Yield, {}, {});
  b = outside;
  Op *after = wait(group);
  AsyncGroups groups(kernel);
  EXPECT_EQ(groups.later(*after), 0);
}

} // namespace
} // namespace xt
