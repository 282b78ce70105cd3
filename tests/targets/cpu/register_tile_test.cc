#include "targets/cpu/register_tile.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

int64_t mostSteps(const char *cpu, Elem elem, int64_t columns) {
  int64_t bytes = elemInfo(elem).storageBytes;
  return mostBlockBytes(registerTile(*cpuInfo(cpu), elem, 256, columns), bytes) / bytes;
}

// Of a panel of one line, no more than a first cache has lines.
TEST(RegisterTile, StepsOfABlock) {
  EXPECT_EQ(mostSteps("x86-64-v3", Elem::F32, 256), 512);
  EXPECT_EQ(mostSteps("x86-64-v3", Elem::F64, 256), 512);
  EXPECT_EQ(mostSteps("x86-64-v3", Elem::F32, 8), 1024);
  EXPECT_EQ(mostSteps("x86-64-v4", Elem::F32, 256), 1024);
  EXPECT_EQ(mostSteps("x86-64-v4", Elem::F64, 256), 512);
  EXPECT_EQ(mostSteps("x86-64-v4", Elem::F32, 16), 512);
}

} // namespace
} // namespace xt
