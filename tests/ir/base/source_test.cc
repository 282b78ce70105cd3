#include "ir/base/source.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(Source, LinesAndColumnsCountFromOneInCodePoints) {
  SourceFile file("a.xt", "ab\nc\xC3\xA9"
                          "d\r\n\nlast");
  EXPECT_EQ(file.lineCount(), 4u);
  EXPECT_EQ(file.lineText(1), "ab");
  EXPECT_EQ(file.lineText(2), "c\xC3\xA9"
                              "d");
  EXPECT_EQ(file.lineText(3), "");
  EXPECT_EQ(file.lineText(4), "last");
  EXPECT_EQ(file.lineColumn(0).line, 1u);
  EXPECT_EQ(file.lineColumn(2).column, 3u) << "the line break belongs to its line";
  EXPECT_EQ(file.lineColumn(3).line, 2u);
  LineColumn d = file.lineColumn(6);
  EXPECT_EQ(d.line, 2u);
  EXPECT_EQ(d.column, 3u);
  EXPECT_EQ(file.lineColumn(1000).line, 4u) << "past the end: the end";
  EXPECT_EQ(file.lineColumn(1000).column, 5u);
  EXPECT_EQ(file.lineStart(4), 10u);
}

TEST(Source, SlicesAreClamped) {
  SourceFile file("a.xt", "hello");
  EXPECT_EQ(file.slice({0, 1, 3}), "el");
  EXPECT_EQ(file.slice({0, 3, 99}), "lo");
  EXPECT_EQ(file.slice({0, 50, 99}), "");
  EXPECT_EQ(file.slice({0, 4, 2}), "");
}

TEST(Source, RangesJoin) {
  SourceRange a{1, 3, 5}, b{1, 9, 12};
  EXPECT_EQ(a.to(b), (SourceRange{1, 3, 12}));
  EXPECT_EQ(b.startPoint(), (SourceRange{1, 9, 9}));
  EXPECT_EQ(b.endPoint(), (SourceRange{1, 12, 12}));
}

TEST(Source, FileZeroIsBuiltIn) {
  SourceManager sources;
  EXPECT_EQ(sources.count(), 1u);
  EXPECT_EQ(sources.file(0).text(), "");
  EXPECT_EQ(sources.add("x.xt", "text"), 1u);
  EXPECT_EQ(sources.file(1).name(), "x.xt");
}

TEST(Source, FindsTheFirstByteThatIsNotUtf8) {
  EXPECT_EQ(findInvalidUtf8("plain \xE2\x82\xAC \xF0\x9F\x98\x80"), std::nullopt);
  EXPECT_EQ(findInvalidUtf8("ab\xFF"), 2u);
  EXPECT_EQ(findInvalidUtf8("\xC0\x80"), 0u) << "overlong";
  EXPECT_EQ(findInvalidUtf8("x\xED\xA0\x80"), 1u) << "a surrogate";
  EXPECT_EQ(findInvalidUtf8("x\xE2\x82"), 1u) << "cut off";
  EXPECT_EQ(findInvalidUtf8("\xF4\x90\x80\x80"), 0u) << "above U+10FFFF";
}

} // namespace
} // namespace xt
