// Tests that each program of programs/ passes its tests in any order of workgroups and subgroups.
#include "interp_program.h"
#include "tests/golden.h"

#include <set>

namespace xt {
namespace {

TEST(Programs, PassUnderEverySchedule) {
  std::vector<Schedule> schedules = {{Schedule::Order::Forward, 0}, {Schedule::Order::Reversed, 0}};
  for (uint64_t seed = 1; seed <= 5; ++seed) schedules.push_back({Schedule::Order::Seeded, seed});
  size_t tests = 0;
  for (const auto &path : test::filesIn("targets/interp/programs", ".xt")) {
    SCOPED_TRACE(path.filename());
    InterpProgram program(test::readText(path), path.filename());
    ASSERT_TRUE(program.module);
    for (const HostTest &test : program.module->tests) {
      ++tests;
      for (Schedule schedule : schedules) {
        InterpOptions options;
        options.schedule = schedule;
        TestReport report = program.run(test, options);
        EXPECT_EQ(report.status, TestStatus::Passed) << renderText(report, program.sources, false) << program.messages();
      }
    }
  }
  EXPECT_GE(tests, 17u);
}

// Elementwise ops are tested individually in tests/ir/interp/elementwise_test.cc.
TEST(Programs, HaveEveryOtherOp) {
  std::set<OpKind> seen;
  for (const auto &path : test::filesIn("targets/interp/programs", ".xt")) {
    InterpProgram program(test::readText(path), path.filename());
    ASSERT_TRUE(program.module);
    for (const auto &kernel : program.module->kernels) walk(kernel->body, [&](Op &op) { seen.insert(op.kind()); });
  }
  for (const OpInfo &info : allOps()) EXPECT_TRUE(info.elementwise || seen.count(info.kind)) << info.name;
}

} // namespace
} // namespace xt
