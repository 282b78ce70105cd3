// Tests that source positions that a device reports become ranges of the source.
#include "targets/gpu/failure.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

TEST(XeFailure, ALineThatTheDeviceNamesIsThePlace) {
  SourceManager sources;
  sources.add("a.xt", "first\n  // \xc3\xa4\xc3\xb6 %x = y\n");
  uint32_t other = sources.add("b.xt", "only\n");
  GpuKernel code;
  Error one =
      placed(code, &sources, Error::kernel("kernel k, lane 3 at a.xt:2:9: store of 4 bytes, but lane 4 waits at b.xt:1:2"));
  EXPECT_EQ(one.message, "kernel k, lane 3: store of 4 bytes, but lane 4 waits at b.xt:1:2") << "the first one is the place";
  EXPECT_EQ(sources.file(one.range.file).slice({one.range.file, one.range.begin, one.range.begin + 2}), "%x");
  Error last = placed(code, &sources, Error::kernel("lane 0 at b.xt:7:1: trapped"));
  EXPECT_EQ(last.range, (SourceRange{other, 5, 5})) << "a line that is not there: the file's end";
  EXPECT_EQ(last.message, "lane 0: trapped");
}

TEST(XeFailure, OtherTextStays) {
  SourceManager sources;
  sources.add("a.xt", "first\n");
  for (const char *text :
       {"lane 0 at c.xt:1:1: trapped", "look at a.xt", "lane 0 at a.xt:x:1: trapped", "lane 0 at a.xt:1: trapped"}) {
    Error same = placed({}, &sources, Error::kernel(text));
    EXPECT_EQ(same.message, text);
    EXPECT_EQ(same.range, SourceRange{});
    EXPECT_EQ(placed({}, nullptr, Error::kernel(text)).message, text);
  }
}

} // namespace
} // namespace xt
