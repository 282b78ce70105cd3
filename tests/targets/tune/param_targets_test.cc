// Tests that sources may name each target: the front end, which knows no target, lists them by itself.
#include "lang/check/param_targets.h"
#include "targets/compile/compile_for.h"
#include "targets/target.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace xt {
namespace {

TEST(ParamTargets, EachTargetCanBeNamed) {
  std::vector<std::string_view> named = paramTargets();
  for (const Target *target : allTargets()) {
    EXPECT_NE(std::ranges::find(named, target->name()), named.end()) << target->name();
    std::string hardware = namedHardwareName(*target);
    EXPECT_TRUE(hardware.empty() || std::ranges::find(named, hardware) != named.end()) << hardware;
  }
}

} // namespace
} // namespace xt
