// Tests the findings of `--check`: each file of checks/ gives the messages in the .txt file of the same name, and its first
// error (or warning) has the code in the file name. Correct programs give no findings.
#include "interp_program.h"
#include "tests/golden.h"

#include <map>

namespace xt {
namespace {

using Schedules = std::vector<Schedule>;
const Schedules kSchedules = {{Schedule::Order::Forward, 0},
                              {Schedule::Order::Reversed, 0},
                              {Schedule::Order::Seeded, 1},
                              {Schedule::Order::Seeded, 2},
                              {Schedule::Order::Seeded, 3}};

Checks allChecks() {
  Checks checks;
  EXPECT_TRUE(addCheck(checks, "all"));
  EXPECT_FALSE(checks.bounds); // accesses out of bounds are legal
  EXPECT_TRUE(addCheck(checks, "bounds"));
  return checks;
}

struct Watched {
  TestReport report;
  Diagnostics found;
};
// Runs a test with checks. The launches run twice; only the findings of the first round are kept.
void watch(InterpProgram &program, const HostTest &test, Schedule schedule, Checks checks, Watched &out) {
  InterpOptions options;
  options.schedule = schedule;
  options.checks = checks;
  options.sources = &program.sources;
  Diagnostics all;
  options.found = &all;
  out.report = program.run(test, options);
  for (const Diagnostic &d : all.all()) {
    auto same = [&](const Diagnostic &o) { return o.code == d.code && o.range == d.range; };
    if (std::none_of(out.found.all().begin(), out.found.all().end(), same)) out.found.report(d.code, d.range, "") = d;
  }
}

// Returns the code and the position of each finding.
std::vector<std::pair<int, uint32_t>> places(const Diagnostics &found) {
  std::vector<std::pair<int, uint32_t>> all;
  for (const Diagnostic *d : found.sorted()) all.emplace_back(static_cast<int>(d->code), d->range.begin);
  return all;
}

TEST(Checks, EachPlantedFaultIsFoundUnderEverySchedule) {
  size_t seen = 0;
  for (const auto &path : test::filesIn("targets/interp/checks", ".xt")) {
    std::string name = path.filename();
    SCOPED_TRACE(name);
    auto code = static_cast<DiagCode>(std::stoi(name.substr(5, 4)));
    ++seen;
    InterpProgram program(test::readText(path), name);
    ASSERT_TRUE(program.module);
    ASSERT_EQ(program.module->tests.size(), 1u);
    const HostTest &test = program.module->tests[0];
    Watched first;
    watch(program, test, kSchedules[0], allChecks(), first);
    bool warning = diagInfo(code).severity == Severity::Warning;
    EXPECT_EQ(first.report.status, warning ? TestStatus::Passed : TestStatus::Failed)
        << renderText(first.report, program.sources, false);
    bool found = false;
    for (const Diagnostic &d : first.found.all()) {
      found |= d.code == code;
      EXPECT_TRUE(d.code == code || d.severity == Severity::Warning) << d.message;
    }
    EXPECT_TRUE(found);
    std::filesystem::path golden = path;
    test::expectGolden(golden.replace_extension(".txt"), renderText(first.found, program.sources, false));
    for (Schedule schedule : kSchedules) {
      Watched again;
      watch(program, test, schedule, allChecks(), again);
      EXPECT_EQ(places(again.found), places(first.found)) << renderText(again.found, program.sources, false);
    }
  }
  EXPECT_GE(seen, 13u);
}

TEST(Checks, EachIsLookedForOnlyWhereItIsAskedFor) {
  const std::pair<std::string_view, int> words[] = {{"bounds", 701}, {"race", 702}, {"uninit", 703}, {"divergence", 704}};
  for (const auto &path : test::filesIn("targets/interp/checks", ".xt")) {
    SCOPED_TRACE(path.filename());
    InterpProgram program(test::readText(path), path.filename());
    ASSERT_TRUE(program.module);
    for (auto [word, code] : words) {
      Checks checks;
      ASSERT_TRUE(addCheck(checks, word));
      Watched watched;
      watch(program, program.module->tests[0], kSchedules[0], checks, watched);
      for (const Diagnostic &d : watched.found.all()) {
        const bool isRace = code == 702 && d.code == DiagCode::CopyInFlight; // such copies are found together with races
        EXPECT_TRUE(static_cast<int>(d.code) == code || isRace) << d.message;
      }
    }
  }
  Checks none;
  EXPECT_FALSE(addCheck(none, "races"));
  EXPECT_FALSE(none.any());
}

// Ragged edges are legal but give `bounds` warnings. These programs have no other findings.
TEST(Checks, RightProgramsHaveNoErrors) {
  size_t tests = 0;
  std::vector<std::filesystem::path> files = test::filesIn("targets/interp/programs", ".xt");
  for (const auto &path : test::filesIn("../stdlib", ".xt")) files.push_back(path);
  for (const auto &path : files) {
    SCOPED_TRACE(path.filename());
    InterpProgram program(test::readText(path), path.filename());
    ASSERT_TRUE(program.module);
    for (const HostTest &test : program.module->tests) {
      ++tests;
      Watched watched;
      watch(program, test, kSchedules[0], allChecks(), watched);
      EXPECT_FALSE(watched.found.hasErrors()) << renderText(watched.found, program.sources, false);
      EXPECT_NE(watched.report.status, TestStatus::Failed) << renderText(watched.report, program.sources, false);
    }
  }
  EXPECT_GE(tests, 18u);
}

} // namespace
} // namespace xt
