// Tests what a failed check does where a library has set an end for it. What ends the process is tested in crash_test.cc.
#include "ir/base/check.h"

#include "ir/base/check_end.h"

#include <gtest/gtest.h>

#include <csetjmp>
#include <string>

namespace xt {
namespace {

std::jmp_buf back;
std::string told;

TEST(CheckEnd, TakesThePlaceOfTheEndOfTheProcess) {
  setCheckEnd([](std::string_view what) {
    told = what;
    std::longjmp(back, 1);
  });
  if (setjmp(back) == 0) XT_CHECK(told == "x", "seven");
  setCheckEnd(nullptr);
  EXPECT_EQ(told.substr(0, 5), "seven");
  EXPECT_NE(told.find("check_test.cc"), std::string::npos) << told;
}

} // namespace
} // namespace xt
