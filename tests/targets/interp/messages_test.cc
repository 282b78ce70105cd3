// Tests the output of kernels' prints, and the errors with which the interpreter ends an invalid launch.
#include "interp_program.h"

namespace xt {
namespace {

// Runs the single test of a text and returns its findings as "line: message".
std::string failure(const std::string &text, InterpOptions options = {}) {
  InterpProgram program(text);
  if (!program.module) return "does not compile";
  TestReport report = program.run(program.module->tests[0], options);
  if (report.runs.empty() || report.runs[0].findings.empty()) return std::string(statusText(report.status));
  const Finding &finding = report.runs[0].findings[0];
  EXPECT_EQ(report.status, TestStatus::Failed);
  return std::to_string(program.sources.file(finding.range.file).lineColumn(finding.range.begin).line) + ": " + finding.message;
}

const std::vector<Schedule> kOrders = {
    {Schedule::Order::Forward, 0}, {Schedule::Order::Reversed, 0}, {Schedule::Order::Seeded, 7}};

TEST(Print, ShowsScalarsAndMatrices) {
  InterpProgram program(R"(#rows = #wg_map<sg_layout = [2, 1], sg_data = [1, 3]>
kernel @speaks(%B: memref<?x?xi32>, %N: index) grid (%w = 0 to 2) {
  %i = iota [0] : vector<2x3xi32, #rows>
  %j = iota [1] : vector<2x3xi32, #rows>
  %v = %i * 10 - %j
  print "start"
  print "n", %N
  print "matrix", %v
  print "", %v
  %x = constant 1.5 : f16
  %c = %N > 3
  print "half", %x
  print "two", %c, %w
  %t = init_tile %B[0, 0] -> tile<2x3xi32, #rows>
  if %w == 0 {
    store_tile %v, %t
  }
}
test "speaks" {
  %B = out : memref<2x3xi32>
  launch @speaks(%B, 7)
  %e = from (i, j) => i * 10 - j : memref<2x3xi32>
  check %B == %e
})");
  ASSERT_TRUE(program.module);
  const std::string each = "start\nn: 7\nmatrix: vector<2x3xi32>\n  0 -1 -2\n  10 9 8\nvector<2x3xi32>\n  0 -1 -2\n  10 9 8\n"
                           "half: 1.5\ntwo: true\ntwo: ";
  for (Schedule schedule : kOrders) {
    InterpOptions options;
    options.schedule = schedule;
    TestReport report = program.run(program.module->tests[0], options);
    EXPECT_EQ(report.status, TestStatus::Passed) << renderText(report, program.sources, false);
    std::string first = each + "0\n", second = each + "1\n";
    EXPECT_TRUE(program.printed == first + second || program.printed == second + first) << program.printed;
  }
}

TEST(Print, CutsWhatIsLarge) {
  InterpProgram program(R"(kernel @large(%B: memref<?x?xi32>) {
  %i = iota [0] : vector<40x20xi32>
  %j = iota [1] : vector<40x20xi32>
  %v = %i * 100 + %j
  print "large", %v
  %t = init_tile %B[0, 0] -> tile<40x20xi32>
  store_tile %v, %t
}
test "large" {
  %B = out : memref<40x20xi32>
  launch @large(%B)
  %e = from (i, j) => i * 100 + j : memref<40x20xi32>
  check %B == %e
})");
  ASSERT_TRUE(program.module);
  EXPECT_EQ(program.run(program.module->tests[0]).status, TestStatus::Passed);
  EXPECT_NE(program.printed.find("large: vector<40x20xi32>\n  0 1 2 3 4 5 6 7 ... 12 13 14 15 16 17 18 19\n"),
            std::string::npos)
      << program.printed;
  EXPECT_NE(program.printed.find("  1500 1501 1502 1503 1504 1505 1506 1507 ... 1512 1513 1514 1515 1516 1517 1518 1519\n"
                                 "  ...\n  2400 "),
            std::string::npos)
      << program.printed;
}

std::string asserting(const std::string &condition) {
  return R"(#rows = #wg_map<sg_layout = [4, 1], sg_data = [1, 8]>
kernel @asserts(%A: memref<?x?xi32>) grid (%w = 0 to 3, %k = 0 to 2) {
  %i = iota [0] : vector<8x8xi32, #rows>
  %j = iota [1] : vector<8x8xi32, #rows>
  %sum = %i + %j
  %c = )" +
         condition + R"(
  assert %c, "as it should be"
  %t = init_tile %A[0, 0] -> tile<8x8xi32, #rows>
  %v = load_tile %t
}
test "asserts" {
  %A = fill(0) : memref<8x8xi32>
  launch @asserts(%A)
  check %A == before(%A)
})";
}

TEST(Assert, NamesTheLowestFailingElement) {
  for (Schedule schedule : kOrders) {
    InterpOptions options;
    options.schedule = schedule;
    std::string of = schedule.order == Schedule::Order::Forward ? " (workgroup (0, 0))" : " (workgroup (";
    EXPECT_EQ(failure(asserting("%sum < 9"), options).find("7: assertion failed: as it should be at [2, 7]" + of), 0u);
    EXPECT_EQ(failure(asserting("%w < 2"), options).find("7: assertion failed: as it should be (workgroup (2, "), 0u);
  }
}

TEST(ExplicitViews, ReachingOutsideOfTheBufferIsAnErrorAtTheAccess) {
  auto view = [](const std::string &shape, const std::string &strides, const std::string &access) {
    return "#rows = #wg_map<sg_layout = [2, 1], sg_data = [2, 4]>\n"
           "kernel @view(%A: memref<?x?xf32>, %N: index) grid (%w = 0 to 2) {\n"
           "  %t = init_tile %A[0, 0], [" +
           shape + "], [" + strides + "] -> tile<4x4xf32, #rows>\n" + access +
           "}\ntest \"view\" {\n  %A = fill(1) : memref<3x4xf32>\n  %B = fill(2) : memref<64x64xf32>\n"
           "  launch @view(%A, 4)\n  check %A == before(%A)\n  check %B == before(%B)\n}\n";
  };
  const std::string load = "  %v = load_tile %t\n",
                    store = "  %v = constant 1.0 : vector<4x4xf32, #rows>\n  store_tile %v, %t\n";
  const std::string outside = "] of a base with an explicit shape and strides is outside of `%A` (subgroup ";
  EXPECT_EQ(failure(view("%N, 4", "4, 1", load)), "4: element [3, 0" + outside + "1 of workgroup (0))");
  EXPECT_EQ(failure(view("%N, 4", "4, 1", store)), "5: element [3, 0" + outside + "1 of workgroup (0))");
  EXPECT_EQ(failure(view("%N, 4", "4000000000000000000, 1", load)), "4: element [1, 0" + outside + "0 of workgroup (0))");
  EXPECT_EQ(failure(view("%N, 4", "-4, 1", load)), "4: element [1, 0" + outside + "0 of workgroup (0))");
  // It is not an error if a tile is never accessed, or if the shape of its base leads to padding.
  EXPECT_EQ(failure(view("%N, 4", "4, 1", "  prefetch_tile %t\n")).find("element"), std::string::npos);
  EXPECT_EQ(failure(view("3, 4", "4, 1", load)).find("element"), std::string::npos);
  EXPECT_EQ(failure(view("-1, 4", "4, 1", load)).find("element"), std::string::npos) << "an empty base";
}

TEST(Addresses, OutsideOfAllBuffersAreAnError) {
  auto at = [](const std::string &address) {
    return "kernel @at(%A: i64) {\n  %skip = constant " + address +
           " : i64\n  %p = %A + %skip\n"
           "  %t = init_tile %p[0, 0], [2, 2], [2, 1] : i64 -> tile<2x2xf32>\n  %v = load_tile %t\n  store_tile %v, "
           "%t\n}\n"
           "test \"at\" {\n  %A = fill(1) : memref<3x2xf32>\n  launch @at(address(%A))\n  check %A == before(%A)\n}\n";
  };
  const std::string outside = "] of a base with an explicit shape and strides is outside of all buffers of the launch "
                              "(subgroup 0 of the workgroup)";
  EXPECT_EQ(failure(at("-8")), "5: element [0, 0" + outside);
  EXPECT_EQ(failure(at("12")), "5: element [1, 1" + outside);
  EXPECT_EQ(failure(at("-9223372036854775808")), "5: element [0, 0" + outside);
  EXPECT_EQ(failure(at("8")).find("element"), std::string::npos);
}

TEST(Meeting, WhatNeverMeetsSaysWhoStandsWhere) {
  const std::string text = R"(kernel @waits(%N: memref<?xindex>) subgroups(6) {
  %s = subgroup_id()
  %n = memref.load %N[%s]
  if %n == 1 {
    barrier
  } else {
    if %n == 2 {
      barrier
    }
  }
}
test "waits" {
  %N = from (i) => where(i == 5, 2, where(i == 3, 0, 1)) : memref<6xindex>
  launch @waits(%N)
  check %N == before(%N)
})";
  for (Schedule schedule : kOrders) {
    InterpOptions options;
    options.schedule = schedule;
    EXPECT_EQ(failure(text, options),
              "5: the subgroups of the workgroup deadlock: subgroups 0–2, 4 wait at `barrier`; subgroup 3 has finished; "
              "subgroup 5 waits at `barrier`");
  }
}

// One subgroup polls a value that another one writes. The launch must end under every schedule.
TEST(Meeting, ASubgroupThatWaitsInALoopLetsOthersRun) {
  for (Schedule schedule : kOrders) {
    InterpProgram program(R"(kernel @flag(%B: memref<?x?xi32>) subgroups(2) {
  %m = alloc_slm : memref<2xi32, slm>
  %s = subgroup_id()
  %one = constant 1 : i32
  %zero = constant 0 : i32
  memref.store %zero, %m[%s]
  barrier
  memref.store %one, %m[%s]
  %other = 1 - %s
  %seen = memref.load %m[%other]
  while %seen == 0 {
    %seen = memref.load %m[%other]
  }
  memref.store %seen, %B[0, %s]
}
test "flag" {
  %B = out : memref<1x2xi32>
  launch @flag(%B)
  check %B == 1
})");
    ASSERT_TRUE(program.module);
    InterpOptions options;
    options.schedule = schedule;
    EXPECT_EQ(program.run(program.module->tests[0], options).status, TestStatus::Passed);
  }
}

} // namespace
} // namespace xt
