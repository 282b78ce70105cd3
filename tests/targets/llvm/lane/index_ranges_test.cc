#include "targets/llvm/lane/index_ranges.h"

#include "lang/lower/lower.h"

#include <gtest/gtest.h>

#include <optional>

namespace xt::test {
namespace {

// Returns the range of the value with this name in the kernel's body.
Interval rangeOf(Module &module, const IndexRanges &ranges, std::string_view name) {
  Interval found{1, 0};
  auto look = [&](const Value *value) {
    if (value->name() == name) found = ranges.of(value);
  };
  Kernel &kernel = *module.kernels[0];
  for (const auto &param : kernel.body.params()) look(param.get());
  walk(kernel.body, [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) look(op.result(i));
    for (size_t r = 0; r < op.regionCount(); ++r)
      for (const auto &param : op.region(r)->params()) look(param.get());
  });
  return found;
}

class Ranges {
public:
  explicit Ranges(const std::string &body, std::vector<ExtentFacts> facts = {})
      : sources_(),
        lowered_(lowerFile(sources_,
                           sources_.add("t.xt", "kernel @k(%A: memref<?x32xi32>, %n: index, %w: i32) subgroups(4) lanes(16)\n"
                                                "    grid (%i = 0 to dim(%A, 0) step 8) {\n" +
                                                    body + "}\n"),
                           context_, {}, diagnostics_)) {
    EXPECT_TRUE(lowered_.ok()) << renderText(diagnostics_, sources_, false);
    if (lowered_) ranges_.emplace(*(*lowered_)->kernels[0], std::move(facts));
  }
  Interval of(std::string_view name) { return ranges_ ? rangeOf(**lowered_, *ranges_, name) : Interval(); }

private:
  SourceManager sources_;
  Diagnostics diagnostics_;
  Context context_;
  Result<std::unique_ptr<Module>> lowered_;
  std::optional<IndexRanges> ranges_;
};

constexpr const char *kUse = "  memref.store %w, %A[%x, 0]\n";

TEST(IndexRanges, IdsAndGrid) {
  Ranges ranges(std::string("  %x = %i + subgroup_id() * 16 + lane_id()\n") + kUse);
  EXPECT_EQ(ranges.of("i"), (Interval{0, kMostExtent - 1}));
  EXPECT_EQ(ranges.of("x"), (Interval{0, kMostExtent - 1 + 63}));
}

TEST(IndexRanges, Arithmetic) {
  Ranges ranges(std::string("  %d = lane_id() / 4\n  %r = lane_id() mod 4\n  %s = %d - %r\n  %x = %s * %s\n") + kUse);
  EXPECT_EQ(ranges.of("d"), (Interval{0, 3}));
  EXPECT_EQ(ranges.of("r"), (Interval{0, 3}));
  EXPECT_EQ(ranges.of("s"), (Interval{-3, 3}));
  EXPECT_EQ(ranges.of("x"), (Interval{-9, 9}));
}

TEST(IndexRanges, NothingIsKnownOfParameters) {
  Ranges ranges(std::string("  %x = %n + 1\n  %y = index_cast %w : i32 -> index\n  memref.store %w, %A[%y, 0]\n") + kUse);
  EXPECT_EQ(ranges.of("x"), Interval());
  EXPECT_EQ(ranges.of("y"), (Interval{-(int64_t{1} << 31), (int64_t{1} << 31) - 1}));
}

// A loop-carried value grows with the maximum number of iterations.
TEST(IndexRanges, CarriedByALoop) {
  Ranges ranges("  %x = 0\n  for %k = 0 to dim(%A, 0) step 32 {\n    %y = %x * 1\n    memref.store %w, %A[%y, %k]\n    %x = %x "
                "+ 32\n  }\n");
  EXPECT_EQ(ranges.of("k"), (Interval{0, kMostExtent - 1}));
  EXPECT_EQ(ranges.of("y"), (Interval{0, kMostExtent - 31}));
}

// The values are the slots of a ring: the remainder of a multiple of 32 is a multiple of 32, and never below the loop's initial
// value.
TEST(IndexRanges, SlotsOfARing) {
  Ranges ranges("  %x = 0\n  for %k = 0 to %n step 32 {\n    %y = %x * 1\n    memref.store %w, %A[%y, 0]\n    %next = (%x + "
                "96) mod 128\n    memref.store %w, %A[%next, 1]\n"
                "    %x = (%x + 32) mod 128\n  }\n");
  EXPECT_EQ(ranges.of("y"), (Interval{0, 96}));
  EXPECT_EQ(ranges.of("next"), (Interval{0, 96}));
}

// An unsigned remainder is below the divisor, whatever the dividend is.
TEST(IndexRanges, UnsignedRemainders) {
  Ranges ranges("  %x = 0\n  for %k = 0 to %n step 32 {\n    %y = %x * 1\n    memref.store %w, %A[%y, 0]\n"
                "    %x = arith.remui(%x + 1, 4)\n  }\n  %z = arith.remui(%n - 9, %n)\n  memref.store %w, %A[%z, 0]\n");
  EXPECT_EQ(ranges.of("y"), (Interval{0, 3}));
  EXPECT_EQ(ranges.of("z"), Interval());
}

// The value may fall below the initial one, so nothing is assumed.
TEST(IndexRanges, CarriedAndBelowItsFirst) {
  Ranges ranges("  %x = 0\n  for %k = 0 to %n step 32 {\n    %y = %x * 1\n    memref.store %w, %A[%y, 0]\n    %x = (%x - 32) "
                "mod 128\n  }\n");
  EXPECT_LE(ranges.of("y").low, -96);
  EXPECT_LE(ranges.of("y").high, 96);
}

TEST(IndexRanges, UnknownRounds) {
  Ranges ranges("  %x = 0\n  for %k = 0 to %n {\n    %y = %x * 1\n    memref.store %w, %A[%y, 0]\n    %x = %x + 3\n  }\n");
  EXPECT_FALSE(ranges.of("y").fits32());
}

TEST(IndexRanges, FactsOfExtents) {
  Ranges ranges(std::string("  %x = dim(%A, 0)\n") + kUse, {ExtentFacts{0, {1, 1 << 24}, {16, 1 << 20}}});
  EXPECT_EQ(ranges.of("x"), (Interval{1, 1 << 24}));
}

} // namespace
} // namespace xt::test
