#include "targets/cpu/jit/code_library.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

std::shared_ptr<const LoadedCode> code() { return std::make_shared<const LoadedCode>(); }

TEST(CodeLibrary, TheFirstOneStays) {
  CodeLibrary library;
  EXPECT_EQ(library.find("a"), nullptr);
  auto first = code(), second = code();
  EXPECT_EQ(library.keep("a", first), first);
  EXPECT_EQ(library.keep("a", second), first);
  EXPECT_EQ(library.find("a"), first);
  EXPECT_EQ(library.find("b"), nullptr);
}

TEST(CodeLibrary, ForgetsWhatWasNotUsedForLongest) {
  CodeLibrary library;
  auto kept = library.keep("0", code());
  library.keep("1", code());
  for (size_t i = 2; i < CodeLibrary::kMost; ++i) library.keep(std::to_string(i), code());
  EXPECT_EQ(library.find("0"), kept); // this code is now the most recently used
  library.keep("one more", code());
  EXPECT_EQ(library.find("1"), nullptr);
  EXPECT_EQ(library.find("0"), kept);
  EXPECT_NE(library.find("2"), nullptr);
}

} // namespace
} // namespace xt
