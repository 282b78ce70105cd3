#include "ir/base/descriptor.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

namespace xt {
namespace {

TEST(Descriptor, MoreThanAPipeHoldsArrives) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::string sent(300'000, 'x'), got = "before ";
  sent += "end";
  std::thread writer([&] {
    EXPECT_EQ(writeAll(ends[1], sent), 0);
    close(ends[1]);
  });
  EXPECT_EQ(readAll(ends[0], got), 0);
  writer.join();
  close(ends[0]);
  EXPECT_EQ(got, "before " + sent);
}

TEST(Descriptor, FailuresAreNumbersOfErrors) {
  std::string got;
  EXPECT_EQ(writeAll(-1, "x"), EBADF);
  EXPECT_EQ(writeAll(-1, ""), 0);
  EXPECT_EQ(readAll(-1, got), EBADF);
  int zeros = open("/dev/zero", O_RDONLY);
  ASSERT_GE(zeros, 0);
  EXPECT_EQ(readAll(zeros, got, 1'000'000), EFBIG);
  EXPECT_LE(got.size(), 1'000'000U);
  close(zeros);
}

} // namespace
} // namespace xt
