// Tests the numbers of lanes, which LLVM's constant folder computes for subgroups of every size.
#include "targets/llvm/lane/exchange.h"

#include <gtest/gtest.h>

#include <vector>

namespace xt {
namespace {

TEST(LaneExchange, NumbersOfLanesOfAnySubgroup) {
  llvm::LLVMContext context;
  llvm::IRBuilder<> b(context);
  for (size_t lanes : {1u, 8u, 16u, 32u, 64u})
    for (int64_t factor : {0, 1, 7, 500}) {
      std::vector<int64_t> numbers;
      for (size_t lane = 0; lane < lanes; ++lane) numbers.push_back(static_cast<int64_t>(lanes - 1 - lane) * factor);
      for (size_t lane = 0; lane < lanes; ++lane) {
        auto *number = llvm::dyn_cast<llvm::ConstantInt>(numberOfLane(b, b.getInt32(static_cast<uint32_t>(lane)), numbers));
        ASSERT_TRUE(number);
        EXPECT_EQ(number->getSExtValue(), numbers[lane]) << lane << " of " << lanes << " lanes, factor " << factor;
      }
    }
}

} // namespace
} // namespace xt
