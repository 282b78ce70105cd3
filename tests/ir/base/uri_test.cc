#include "ir/base/uri.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(Uri, OfPathsAndBack) {
  EXPECT_EQ(uriOfPath("/a b/c#1/\xC3\xA9%.xt"), "file:///a%20b/c%231/%C3%A9%25.xt");
  EXPECT_EQ(uriOfPath("untitled:1"), "untitled:1");
  EXPECT_EQ(uriReferenceOfPath("a b:c.xt"), "a%20b%3Ac.xt");
  EXPECT_EQ(pathOfUri("untitled:1"), "untitled:1");
  std::string every = "/";
  for (int c = 1; c < 256; ++c) every += static_cast<char>(c);
  EXPECT_EQ(pathOfUri(uriOfPath(every)), every);
}

TEST(Uri, HalfAnEscapeStaysAsItIs) {
  EXPECT_EQ(pathOfUri("file:///a%2"), "/a%2");
  EXPECT_EQ(pathOfUri("file:///a%zz%2fb%"), "/a%zz/b%");
}

} // namespace
} // namespace xt
