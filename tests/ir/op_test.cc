// Tests values and their uses.
#include "ir/context.h"
#include "ir/op.h"
#include "ir/op_kinds.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace xt {
namespace {

class Uses : public testing::Test {
protected:
  Op *add(std::vector<Value *> operands) { return block_.append(makeOp(OpKind::Yield, std::move(operands), {}, {})); }
  static std::vector<Use> of(const Value *value) {
    std::vector<Use> uses(value->uses().begin(), value->uses().end());
    EXPECT_EQ(uses.size(), value->uses().size());
    EXPECT_EQ(uses.empty(), value->uses().empty());
    EXPECT_EQ(value->uses().front(), uses.empty() ? Use{} : uses[0]);
    for (Use use : uses) EXPECT_EQ(use.user->operand(use.operand), value);
    return uses;
  }
  using List = std::vector<Use>;

  Context context_;
  Block block_;
  Value *x_ = block_.addParam(context_.index()), *y_ = block_.addParam(context_.index());
};

TEST_F(Uses, StandInTheOrderInWhichTheyWereMade) {
  Op *a = add({x_, y_, x_}), *b = add({x_});
  EXPECT_EQ(of(x_), (List{{a, 0}, {a, 2}, {b, 0}}));
  a->setOperand(0, y_);
  EXPECT_EQ(of(x_), (List{{a, 2}, {b, 0}}));
  EXPECT_EQ(of(y_), (List{{a, 1}, {a, 0}}));
  a->setOperand(0, x_);
  EXPECT_EQ(of(x_), (List{{a, 2}, {b, 0}, {a, 0}}));
  EXPECT_FALSE(x_->hasOneUse());
  EXPECT_TRUE(y_->hasOneUse());
}

TEST_F(Uses, OperandsThatMoveUpAreKnownByTheirNewPlace) {
  Op *a = add({x_, x_, y_, x_}), *b = add({x_, x_});
  a->setOperand(0, y_);
  a->setOperand(0, x_); // this use is now the last of x_
  ASSERT_EQ(of(x_), (List{{a, 1}, {a, 3}, {b, 0}, {b, 1}, {a, 0}}));
  a->eraseOperand(1);
  EXPECT_EQ(of(x_), (List{{a, 2}, {b, 0}, {b, 1}, {a, 0}}));
  EXPECT_EQ(of(y_), (List{{a, 1}}));
  a->eraseOperand(0);
  EXPECT_EQ(of(x_), (List{{a, 1}, {b, 0}, {b, 1}}));
  b->eraseOperand(0);
  EXPECT_EQ(of(x_), (List{{a, 1}, {b, 0}}));
  block_.erase(b);
  EXPECT_EQ(of(x_), (List{{a, 1}}));
  a->addOperand(x_);
  EXPECT_EQ(of(x_), (List{{a, 1}, {a, 2}}));
}

TEST_F(Uses, AllOfThemGoToAnotherValueAtItsEnd) {
  Op *a = add({x_, y_}), *b = add({y_, x_});
  x_->replaceAllUsesWith(y_);
  EXPECT_TRUE(of(x_).empty());
  EXPECT_EQ(of(y_), (List{{a, 1}, {b, 0}, {a, 0}, {b, 1}}));
  x_->replaceAllUsesWith(y_);
  y_->replaceAllUsesWith(y_);
  EXPECT_EQ(of(y_).size(), 4u);
  y_->replaceAllUsesWith(x_);
  EXPECT_EQ(of(x_), (List{{a, 1}, {b, 0}, {a, 0}, {b, 1}}));
  EXPECT_TRUE(of(y_).empty());
}

} // namespace
} // namespace xt
