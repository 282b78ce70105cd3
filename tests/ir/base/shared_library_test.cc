#include "ir/base/shared_library.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(SharedLibrary, GivesFunctionsByName) {
  auto library = SharedLibrary::open("the C library", "libc.so.6", "libc6");
  ASSERT_TRUE(library) << library.error().message;
  int (*absolute)(int) = nullptr;
  ASSERT_TRUE(library->find("abs", absolute));
  EXPECT_EQ(absolute(-3), 3);
  Result<void> missing = library->find("noSuchFunction", absolute);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "the C library libc.so.6 is too old: it lacks noSuchFunction");
  EXPECT_EQ(library->symbol("noSuchFunction"), nullptr);
}

TEST(SharedLibrary, AMissingOneIsAnErrorWithThePackage) {
  auto library = SharedLibrary::open("the other library", "libnone.so.1", "libnone1");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().message.find("the other library cannot be opened (libnone.so.1"), 0U) << library.error().message;
  EXPECT_NE(library.error().message.find("); on Debian it is in the package libnone1"), std::string::npos)
      << library.error().message;
  EXPECT_TRUE(SharedLibrary::open("the other library", "libnone.so.1", "libnone1", "libc.so.6"));
  EXPECT_NE(whyNotOpened("libnone.so.1"), "");
  EXPECT_EQ(whyNotOpened("libc.so.6"), "");
}

} // namespace
} // namespace xt
