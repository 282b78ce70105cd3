#include "targets/cpu/loop_library.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

std::shared_ptr<const LoadedCode> loop() { return std::make_shared<const LoadedCode>(); }

TEST(LoopLibrary, TheFirstOneStays) {
  LoopLibrary library;
  EXPECT_EQ(library.find("a"), nullptr);
  auto first = loop(), second = loop();
  EXPECT_EQ(library.keep("a", first), first);
  EXPECT_EQ(library.keep("a", second), first);
  EXPECT_EQ(library.find("a"), first);
  EXPECT_EQ(library.find("b"), nullptr);
}

TEST(LoopLibrary, ForgetsWhatWasNotUsedForLongest) {
  LoopLibrary library;
  auto kept = library.keep("0", loop());
  library.keep("1", loop());
  for (size_t i = 2; i < LoopLibrary::kMost; ++i) library.keep(std::to_string(i), loop());
  EXPECT_EQ(library.find("0"), kept); // used again
  library.keep("one more", loop());
  EXPECT_EQ(library.find("1"), nullptr);
  EXPECT_EQ(library.find("0"), kept);
  EXPECT_NE(library.find("2"), nullptr);
}

} // namespace
} // namespace xt
