// Tests checks of algebraic runs: integers remain integers, and the memory that a check needs is counted in the memory budget.
#include "ir/interp/field_arithmetic.h"
#include "run_helper.h"

namespace xt {
namespace {

// Runs a kernel that reads X and writes Y, and is computed by a C++ function.
TestReport runInField(const std::string &elem, const std::string &statements, FakeExecutable::Body body, MemoryBudget &budget) {
  TestedProgram program("kernel @k(%X: memref<?x?x" + elem + ">, %Y: memref<?x?x" + elem +
                        ">) {\n  %x = init_tile %X[0, 0] -> tile<8x8x" + elem + ">\n  %y = init_tile %Y[0, 0] -> tile<8x8x" +
                        elem + ">\n  %v = load_tile %x\n  store_tile %v, %y\n}\ntest \"t\" {\n" + statements + "\n}\n");
  FakeExecutable executable;
  executable.kernels["k"] = std::move(body);
  FieldArithmetic arithmetic;
  RunOptions options;
  options.budget = &budget;
  options.threads = 2;
  options.field = &arithmetic;
  TargetUnderTest target{"fake", program.module.get(), &executable, false};
  TestReport report = runTest(program.module->tests[0], {target}, options, program.diagnostics);
  EXPECT_EQ(program.messages(), "");
  EXPECT_EQ(budget.used(), 0);
  return report;
}

TEST(FieldCheck, IntegersBeyondF64StayAsTheyAre) {
  const std::string statements =
      "%X = from (i, j) => 9007199254740993 + 2*i + j : memref<8x8xi64>\n%Y = out : memref<8x8xi64>\n"
      "launch @k(%X, %Y)\ncheck %Y == where(%X mod 2 == 0, %X, 0 - %X)";
  MemoryBudget budget(int64_t{1} << 30);
  for (int64_t error : {0, 1}) {
    TestReport report = runInField(
        "i64", statements,
        [&](const std::vector<LaunchArg> &args) {
          for (int64_t i = 0; i < 8; ++i)
            for (int64_t j = 0; j < 8; ++j) {
              int64_t x = static_cast<int64_t *>(args[0].buffer.data)[i * args[0].buffer.strides[0] + j];
              static_cast<int64_t *>(args[1].buffer.data)[i * args[1].buffer.strides[0] + j] =
                  (x % 2 == 0 ? x : -x) + (i == 3 ? error : 0);
            }
          return Result<void>();
        },
        budget);
    EXPECT_EQ(report.status, error ? TestStatus::Failed : TestStatus::Passed);
  }
}

TEST(FieldCheck, ElementsAreCountedInTheBudget) {
  const std::string statements =
      "%X = random(seed = 1) : memref<128x128xf32>\n%Y = out : memref<128x128xf32>\nlaunch @k(%X, %Y)\n"
      "check %Y == (%X + 1.0) - 1.0";
  auto copy = [](const std::vector<LaunchArg> &args) {
    for (int64_t i = 0; i < 128; ++i)
      for (int64_t j = 0; j < 128; ++j) f32At(args[1], i, j) = f32At(args[0], i, j);
    return Result<void>();
  };
  // A run needs at least 96 bytes for each of 2 * 128 * 128 elements, and half a MiB for each array of a check.
  bool enough = false;
  for (int64_t quarters = 4; quarters <= 64 && !enough; ++quarters) {
    MemoryBudget budget(quarters << 18);
    TestReport report = runInField("f32", statements, copy, budget);
    enough = report.status != TestStatus::Environment;
    EXPECT_TRUE(!enough || quarters << 18 > 96 * 2 * 128 * 128 + (3 << 19)) << quarters;
  }
  EXPECT_TRUE(enough);
}

} // namespace
} // namespace xt
