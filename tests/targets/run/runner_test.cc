// Tests the runner with a target made of plain functions, some correct and some with deliberate faults.
#include "tests/targets/run/fake_kernels.h"

#include "targets/run/expected_values.h"
#include "targets/run/npy.h"
#include "tests/temporary_folder.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace xt {
namespace {

// Runs kGemmTest (or another test) with this kernel. Checks the report's status and that the report contains all `parts`.
void expectGemm(FakeExecutable::Body body, TestStatus status, std::vector<std::string> parts, const char *test = kGemmTest) {
  Runner runner(test, {{"gemm", std::move(body)}});
  TestReport report = runner.run();
  std::string text = runner.text(report) + runner.messages();
  EXPECT_EQ(report.status, status) << text;
  for (const std::string &part : parts) EXPECT_NE(text.find(part), std::string::npos) << "lacks: " << part << "\n" << text;
}

TEST(Runner, ARightKernelPasses) {
  expectGemm([](const auto &args) { return product(args), Result<void>(); }, TestStatus::Passed,
             {"passed  t [fake]", "768 elements, largest error"});
}

TEST(Runner, LaunchesTwice) {
  Runner runner(kGemmTest, {{"gemm", [](const auto &args) { return product(args), Result<void>(); }}});
  EXPECT_EQ(runner.run().runs.size(), 1u);
  EXPECT_EQ(runner.executable.launches, 2);
  EXPECT_EQ(runner.budget.used(), 0);
}

TEST(Runner, WrongValues) {
  expectGemm([](const auto &args) { return product(args, 8), Result<void>(); }, TestStatus::Failed,
             {"failed  t [fake]", "test.xt:", "`check %C == matmul(%A, %B)`", "pattern: every element",
              "pattern: last K step missing: k = 32–39", "first at [0, 0]: got ", "written by workgroup (0, 0), subgroup 0",
              "to repeat: xtrun test.xt --test=t --target=fake", "got, with the expected values below"});
  expectGemm(
      [](const auto &args) {
        product(args);
        f32At(args[2], 17, 9) += 1;
        return Result<void>();
      },
      TestStatus::Failed,
      {"1 of 768 elements differ ", "pattern: one element", "first and worst at [17, 9]", "workgroup (2, 1)"});
  expectGemm(
      [](const auto &args) {
        product(args);
        for (int64_t i = 0; i < 24; ++i)
          for (int64_t j = 0; j < 32; ++j)
            if (i % 8 >= 4) f32At(args[2], i, j) *= -1;
        return Result<void>();
      },
      TestStatus::Failed, {"pattern: rows 4–7 of each block of 8", "pattern: the result is -1 times the expected value"});
  expectGemm(
      [](const auto &args) {
        product(args);
        f32At(args[2], 3, 3) = std::nanf("");
        return Result<void>();
      },
      TestStatus::Failed, {"got nan"});
}

// A right kernel fails against another run's values if these are of the same test, and passes if they are of another one.
TEST(Runner, ExpectedValuesAreSharedByRunsOfOneTest) {
  auto right = [](const auto &args) { return product(args), Result<void>(); };
  auto wrong = [](const auto &args) { return product(args, 8), Result<void>(); };
  MemoryBudget budget{int64_t{1} << 30};
  ExpectedValues kept;
  auto statusOf = [&](const std::string &test, FakeExecutable::Body body) {
    Runner runner(test.c_str(), {{"gemm", std::move(body)}});
    runner.options.budget = &budget;
    runner.options.expected = &kept;
    return runner.run().status;
  };
  EXPECT_EQ(statusOf(kGemmTest, right), TestStatus::Passed);
  int64_t used = budget.used();
  EXPECT_GT(used, 0) << "the product is kept";
  EXPECT_EQ(statusOf(kGemmTest, wrong), TestStatus::Failed);
  EXPECT_EQ(statusOf(kGemmTest, right), TestStatus::Passed);
  EXPECT_EQ(budget.used(), used) << "and not computed again";
  std::string other = kGemmTest;
  size_t seed = other.find("seed = 1");
  ASSERT_NE(seed, std::string::npos);
  EXPECT_EQ(statusOf(other.replace(seed, 8, "seed = 9"), right), TestStatus::Passed);
  EXPECT_GT(budget.used(), used);
}

TEST(Runner, ElementsThatAreNotWritten) {
  expectGemm(
      [](const std::vector<LaunchArg> &args) {
        std::vector<LaunchArg> part = args;
        part[2].buffer.sizes[0] = 16;
        product(part);
        return Result<void>();
      },
      TestStatus::Failed, {"256 of 768 elements of `%C` were never written, the first at [16, 0]: only rows >= 16"});
}

TEST(Runner, GuardZones) {
  expectGemm(
      [](const auto &args) {
        product(args);
        static_cast<float *>(args[2].buffer.data)[24 * 32 + 3] = 1;
        return Result<void>();
      },
      TestStatus::Failed,
      {"out-of-bounds write near `%C`: 4 guard bytes changed after the buffer, the first 12 bytes after the end"});
  expectGemm(
      [](const auto &args) {
        product(args);
        static_cast<char *>(args[0].buffer.data)[-1] ^= 1;
        return Result<void>();
      },
      TestStatus::Failed, {"out-of-bounds write near `%A`", "the last 1 byte before its start"});
}

TEST(Runner, PaddingBetweenRows) {
  const char *kPadded = R"(
test "t" {
  %A = random(seed = 1) : memref<24x40xf32>
  %B = random(seed = 2) : memref<40x32xf32, affine_map<(d0, d1) -> (d1, d0)>>
  %C = out : memref<24x32xf32, strided<[36, 1]>>
  launch @gemm(%A, %B, %C)
  check %C == matmul(%A, %B)
}
)";
  Runner layouts(kPadded, {});
  // A column-major buffer does not match a row-major parameter.
  EXPECT_EQ(layouts.run().status, TestStatus::FileError);
  EXPECT_NE(layouts.messages().find("the buffer's strides are [1, 40]"), std::string::npos) << layouts.messages();
  std::string padded = kPadded;
  padded.erase(padded.find(", affine_map"), std::string(", affine_map<(d0, d1) -> (d1, d0)>").size());
  expectGemm([](const auto &args) { return product(args), Result<void>(); }, TestStatus::Passed, {}, padded.c_str());
  expectGemm(
      [](const auto &args) {
        product(args);
        f32At(args[2], 2, 33) = 0;
        return Result<void>();
      },
      TestStatus::Failed, {"changed in the padding between rows, the first 4 bytes after the end of a row"}, padded.c_str());
}

TEST(Runner, InputsMustNotChange) {
  expectGemm(
      [](const auto &args) {
        product(args);
        f32At(args[1], 5, 6) = 42;
        return Result<void>();
      },
      TestStatus::Failed,
      {"`%B` changed, though no launched kernel writes it: 1 of 1280 elements, the first at [5, 6]", "to 42"});
}

TEST(Runner, TwoRunsMustAgree) {
  int calls = 0;
  expectGemm(
      [&](const auto &args) {
        product(args);
        if (++calls == 2) f32At(args[2], 1, 2) = std::nextafter(f32At(args[2], 1, 2), 10.0f);
        return Result<void>();
      },
      TestStatus::Failed, {"two runs differ in `%C`: 1 of 768 elements, the first at [1, 2]"});
  // The kernel reads the old content of an `out` buffer.
  expectGemm(
      [](const auto &args) {
        for (int64_t i = 0; i < 24; ++i)
          for (int64_t j = 0; j < 32; ++j) f32At(args[2], i, j) = f32At(args[2], i, j) * 1.5f;
        return Result<void>();
      },
      TestStatus::Failed, {"two runs differ", "the kernel may read elements that it has not written"});
}

TEST(Runner, FailuresOfLaunches) {
  expectGemm([](const auto &) { return Result<void>(Error::environment("the device is gone")); }, TestStatus::Environment,
             {"could not run", "the device is gone"});
  expectGemm([](const auto &) { return Result<void>(Error::kernel("assert failed: x > 0")); }, TestStatus::Failed,
             {"assert failed"});
}

// --- checks that prove nothing ---------------------------------------------------------------------------------------

void expectAdd(const std::string &body, TestStatus status, const std::string &part) {
  Runner runner("test \"t\" {\n" + body + "\n}\n", {{"add", addBody()}});
  TestReport report = runner.run();
  std::string text = runner.text(report) + runner.messages();
  EXPECT_EQ(report.status, status) << text;
  EXPECT_NE(text.find(part), std::string::npos) << "lacks: " << part << "\n" << text;
}

const std::string kXY = "%X = iota : memref<8x8xi32>\n%Y = fill(5) : memref<8x8xi32>\n";

TEST(Runner, ChecksMustProveSomething) {
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %Y == %X + 3", TestStatus::Passed, "no error");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %Y == %Y", TestStatus::Failed, "proves nothing: both sides are the same");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %Y * 1 == %Y", TestStatus::Failed,
            "proves nothing: it also passes on the contents before");
  expectAdd(kXY + "%I = iota : memref<8x8xi32>\nlaunch @add(%X, %X, 0)\ncheck %X == %I", TestStatus::Failed,
            "proves nothing: it also passes on the contents before");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %X == before(%X)", TestStatus::Failed, "proves nothing: it also passes");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %Y == %X + 3\ncheck %X == before(%X)", TestStatus::Passed, "");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %Y == %X + 3\ncheck 1 == 1", TestStatus::Failed, "proves nothing");
  // The two sides may be swapped.
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %X + 3 == %Y", TestStatus::Passed, "no error");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %X + 2 == %Y", TestStatus::Failed, "at [0, 0]: got 3, expected 2");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck 3 == %Y[0, 0]", TestStatus::Passed, "no error");
  expectAdd(kXY + "launch @add(%X, %Y, 3)\ncheck %X - %X + 3 == %Y[0, 0]", TestStatus::Passed, "no error");
  expectAdd(kXY + "%Z = out : memref<8x8xi32>\nlaunch @add(%X, %Z, 0)\ncheck %X == %Z", TestStatus::Passed, "no error");
  expectAdd(kXY + "%I = iota : memref<8x8xi32>\nlaunch @add(%X, %X, 0)\ncheck %I == %X", TestStatus::Failed,
            "proves nothing: it also passes on the contents before");
  std::string constant = "%X = fill(2) : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\n";
  expectAdd(constant + "launch @add(%X, %Y, 3)\ncheck %Y == %X + 3", TestStatus::Failed,
            "all inputs of the launches are constant");
  expectAdd(constant + "launch @add(%X, %Y, 3)\ncheck %Y == 5", TestStatus::Failed, "all inputs of the launches are constant");
  expectAdd(kXY + "launch @add(%X, %Y, 3)", TestStatus::Failed, "this test has no check");
  expectAdd(kXY + "check %X + 1 == %X + 2 - 1", TestStatus::Failed, "this test launches nothing");
}

TEST(Runner, StatementsSeeTheContentAtTheirLine) {
  expectAdd("%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\n%Z = out : memref<8x8xi32>\n"
            "launch @add(%X, %Y, 1)\n%first = %Y * 1\ncheck %Y == %X + 1\nlaunch @add(%Y, %Z, 10)\nlaunch @add(%Z, %Y, 100)\n"
            "check %Z == %first + 10\ncheck %Y == %X + 111",
            TestStatus::Passed, "192 elements");
}

TEST(Runner, ContentBeforeTheLaunches) {
  expectAdd("%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\nlaunch @add(%X, %Y, 1)\ncheck %Y == before(%Y)",
            TestStatus::FileError, "`%Y` is an `out` buffer: it holds nothing before");
  expectAdd(kXY + "launch @add(%X, %X, 3)\ncheck %X == before(%X) + 3", TestStatus::Passed, "");
  expectAdd("%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\n%Z = out : memref<8x8xi32>\nlaunch @add(%X, %Y, 1)\n"
            "check %Y == %X + 1",
            TestStatus::Failed, "no launched kernel writes the `out` buffer `%Z`");
  expectAdd("%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\nlaunch @add(%X, %X, 1)\ncheck %Y == %X + 1",
            TestStatus::Failed, "no launched kernel writes the `out` buffer `%Y`");
}

TEST(Runner, ArgumentsMustFit) {
  expectAdd(kXY + "launch @add(%X, %Y, 3000000000)\ncheck %Y == %X", TestStatus::FileError, "i32 cannot hold 3000000000");
  expectAdd(kXY + "launch @add(%X, %Y, dim(%X, 1) / 16)\ncheck %Y == %X", TestStatus::FileError, "0.5 is not an integer");
  expectAdd("%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\n%n = dim(%X, 0) - 1\nlaunch @add(%X, %Y, "
            "%n)\ncheck %Y == %X + 7",
            TestStatus::Passed, "");
  expectAdd("%X = fill(0) : memref<[4 - 5]x8xi32>\nlaunch @add(%X, %X, 1)\ncheck %X == 1", TestStatus::FileError,
            "a size must not be negative: -1");
}

// --- sizes, targets, files -------------------------------------------------------------------------------------------

const char *const kSized = R"(
test "sized" {M = 32} small {M = 16} {
  %X = iota : memref<$M x 8xi32>
  %Y = out : memref<$M x 8xi32>
  launch @add(%X, %Y, 1)
  check %Y == %X + 1
}
)";

TEST(Runner, SmallSizesAndSeveralTargets) {
  Runner runner(kSized, {{"add", addBody()}});
  FakeExecutable other;
  other.kernels["add"] = addBody();
  TestReport report =
      runner.runOn({{"small", runner.module.get(), &other, true}, {"full", runner.module.get(), &runner.executable, false}});
  EXPECT_EQ(report.status, TestStatus::Passed) << runner.text(report);
  ASSERT_EQ(report.runs.size(), 3u);
  EXPECT_EQ(report.runs[0].sizes, "M = 16");
  EXPECT_EQ(report.runs[1].sizes, "M = 32");
  EXPECT_EQ(report.runs[2].sizes, "M = 16");
  EXPECT_EQ(report.comparisons, std::vector<std::string>{"`%Y` on small and full (small sizes): equal in every bit"});
}

// --- bounds that accept anything --------------------------------------------------------------------------------------

TEST(Runner, BoundsThatAcceptZerosProveNothing) {
  auto with = [](const std::string &check) {
    return "test \"t\" {\n  %A = random(seed = 1) : memref<24x40xf32>\n  %B = random(seed = 2) : memref<40x32xf32>\n"
           "  %C = out : memref<24x32xf32>\n  launch @gemm(%A, %B, %C)\n  " +
           check + "\n}\n";
  };
  auto right = [](const auto &args) { return product(args), Result<void>(); };
  expectGemm(right, TestStatus::Failed,
             {"this check proves nothing about 768 of 768 elements, the first at [0, 0]: the bound is ", "so that zeros pass"},
             with("check %C == matmul(%A, %B) within atol = 1000, rtol = 0").c_str());
  expectGemm(right, TestStatus::Failed,
             {"this check proves nothing about 1 of 768 elements, the first at [3, 5]: the bound is infinite there, so that "
              "any finite value passes"},
             with("%M = from (i, j) => where(i == 3 and j == 5, 0.0, 1.0) : memref<24x32xf32>\n  %e = sqrt(%M + 2.0)\n"
                  "  %zero = where(%M == 0.0, %e - %e, 1.0)\n  check %C == where(%M == 0.0, where(%zero > 0.0, inf, matmul(%A, "
                  "%B)), matmul(%A, %B))")
                 .c_str());
  // If values cancel, the magnitude of their terms determines the scale.
  expectGemm(right, TestStatus::Passed, {}, with("check %C - matmul(%A, %B) == 0.0").c_str());
  expectGemm(right, TestStatus::Passed, {}, with("check %C == matmul(%A, %B) within rtol = 0.001, atol = 0.001").c_str());
}

// The uncertainty of a sum of 16-bit terms is as large as its value.
TEST(Runner, BoundsBeyondTheScaleProveNothing) {
  const char *kLong =
      "test \"t\" {\n  %A = random(seed = 1) : memref<24x4000xf32>\n  %B = random(seed = 2) : memref<4000x32xf32>\n"
      "  %C = out : memref<24x32xf32>\n  launch @gemm(%A, %B, %C)\n  check %C == matmul(%A, %B, acc = bf16)\n}\n";
  expectGemm([](const auto &args) { return product(args), Result<void>(); }, TestStatus::Failed,
             {"this check proves nothing about 768 of 768 elements", "use integer data, whose sums are exact"}, kLong);
}

TEST(Runner, LoadAndSave) {
  test::TemporaryFolder folder;
  const char *kSave = "test \"save\" {\n%X = iota : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\nlaunch @add(%X, %Y, "
                      "2)\nsave %Y \"x.npy\"\n}\n";
  Runner saving(kSave, {{"add", addBody()}});
  saving.options.dataDirectory = folder.string();
  TestReport saved = saving.run();
  EXPECT_EQ(saved.status, TestStatus::Unchecked) << saving.text(saved);
  EXPECT_EQ(saved.runs[0].saved, std::vector<std::string>{(folder / "x.npy").string()});
  const char *kLoad = "test \"load\" {\n%X = load \"x.npy\" : memref<8x8xi32>\n%Y = out : memref<8x8xi32>\nlaunch "
                      "@add(%X, %Y, 2)\ncheck %Y == before(%X) + 2\ncheck %Y[1, 1] == 13\n}\n";
  Runner loading(kLoad, {{"add", addBody()}});
  loading.options.dataDirectory = folder.string();
  TestReport loaded = loading.run();
  EXPECT_EQ(loaded.status, TestStatus::Passed) << loading.text(loaded);
  std::filesystem::remove(folder / "x.npy");
  Runner missing(kLoad, {{"add", addBody()}});
  missing.options.dataDirectory = folder.string();
  TestReport none = missing.run();
  EXPECT_EQ(none.status, TestStatus::Environment);
  EXPECT_NE(missing.text(none).find("test.xt:24:6: cannot read " + (folder / "x.npy").string() + ": "), std::string::npos)
      << missing.text(none);
}

TEST(Runner, LimitsOfMemoryAndTime) {
  Runner little(kGemmTest, {{"gemm", [](const auto &args) { return product(args), Result<void>(); }}});
  MemoryBudget budget(100000);
  little.options.budget = &budget;
  TestReport report = little.run();
  EXPECT_EQ(report.status, TestStatus::Environment);
  EXPECT_NE(little.text(report).find(
                "test.xt:25:27: not enough memory: buffer %A needs 132 KiB, but only 94 KiB of the limit of 98 KiB"),
            std::string::npos)
      << little.text(report);
  EXPECT_EQ(budget.used(), 0);
  Runner late(kGemmTest, {{"gemm", [](const auto &args) { return product(args), Result<void>(); }}});
  late.options.outOfTime = [] { return true; };
  EXPECT_EQ(late.run().status, TestStatus::Environment);
}

TEST(Runner, EmptyBuffers) {
  Runner runner("test \"t\" {\n%A = random : memref<0x4xf32>\n%B = random : memref<4x8xf32>\n%C = out : "
                "memref<0x8xf32>\nlaunch @gemm(%A, %B, %C)\ncheck %C == matmul(%A, %B)\n}\n",
                {{"gemm", [](const auto &args) { return product(args), Result<void>(); }}});
  TestReport report = runner.run();
  EXPECT_EQ(report.status, TestStatus::Passed) << runner.text(report) << runner.messages();
}

// --- reports ---------------------------------------------------------------------------------------------------------

TEST(Report, Json) {
  Runner runner(kGemmTest, {{"gemm", [](const auto &args) { return product(args, 8), Result<void>(); }}});
  nlohmann::json json = renderJson(runner.run(), runner.sources);
  EXPECT_EQ(json["status"], "failed");
  const nlohmann::json &check = json["runs"][0]["checks"][0];
  EXPECT_EQ(check["different"], 768);
  EXPECT_EQ(check["first"]["index"], (std::vector<int>{0, 0}));
  EXPECT_EQ(check["patterns"][1], "last K step missing: k = 32–39");
}

TEST(Report, ExitStatuses) {
  using E = ExitStatus;
  EXPECT_EQ(worstStatus({}), E::NothingRun);
  EXPECT_EQ(worstStatus({E::Passed, E::Passed}), E::Passed);
  EXPECT_EQ(worstStatus({E::Passed, E::CheckFailed}), E::CheckFailed);
  EXPECT_EQ(worstStatus({E::CheckFailed, E::EnvironmentFailed, E::Passed}), E::EnvironmentFailed);
  EXPECT_EQ(worstStatus({E::EnvironmentFailed, E::DoesNotCompile, E::CheckFailed}), E::DoesNotCompile);
  EXPECT_EQ(worstStatus({E::DoesNotCompile, E::CompilerBug}), E::CompilerBug);
  EXPECT_EQ(worstStatus({E::CompilerBug, E::Usage}), E::Usage);
  EXPECT_EQ(exitStatus(TestStatus::Unchecked), E::Passed);
  EXPECT_EQ(exitStatus(TestStatus::FileError), E::DoesNotCompile);
  EXPECT_EQ(summaryText({}), "0 tests");
}

} // namespace
} // namespace xt
