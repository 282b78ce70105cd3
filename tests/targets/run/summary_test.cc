#include "ir/elem_kinds.h"
#include "targets/run/summary.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace xt {
namespace {

BufferSummary summaryOf(Elem elem, std::initializer_list<int64_t> values) {
  MemoryBudget budget(1 << 20);
  auto array = RawArray::make(budget, {static_cast<int64_t>(values.size())}, elem, "a test");
  if (!array) return {};
  std::byte *to = array->bytes.data();
  for (int64_t value : values) {
    storeInteger(elem, to, value);
    to += array->elemBytes();
  }
  return summarise("C", *array);
}

// Adjacent integers near 2^53 and 2^64 would be equal after a conversion to f64.
TEST(Summary, IntegersOf64BitsAreExact) {
  BufferSummary big = summaryOf(Elem::I64, {9007199254740992, 9007199254740993, -9007199254740993, -9007199254740992});
  EXPECT_EQ(big.least, "-9007199254740993");
  EXPECT_EQ(big.greatest, "9007199254740993");
  BufferSummary wide = summaryOf(Elem::U64, {-2, -1, INT64_MIN});
  EXPECT_EQ(wide.least, "9223372036854775808");
  EXPECT_EQ(wide.greatest, "18446744073709551615");
}

} // namespace
} // namespace xt
