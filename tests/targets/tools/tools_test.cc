// Tests the tools as a user runs them: dumps that can be run, examples, output files, reference pages.
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <map>
#include <nlohmann/json.hpp>

namespace xt {
namespace {

namespace fs = std::filesystem;

std::string runSaved(const std::string &file, const std::string &target, const test::TemporaryFolder &data) {
  fs::remove(data / "C.npy");
  test::ToolRun run = test::runTool("%bin/xtrun --target=" + target + " --data-dir " + data.string() + " " + file);
  EXPECT_EQ(run.status, 0) << file << ' ' << target << '\n' << run.output;
  return test::readText(data / "C.npy");
}

TEST(Tools, EveryDumpRunsAndGivesTheSameBits) {
  test::TemporaryFolder dumps, data;
  std::string source = XT_SOURCE_DIR "/tests/targets/tools/inputs/gemm_saved.xt";
  test::ToolRun xtc = test::runTool("%bin/xtc --verify-each --round-trip --dump-after=all --dump-dir " + dumps.string() +
                                    " --run=infer-layouts,canonicalize,cse,hoist-invariants,canonicalize,dead-code " + source);
  ASSERT_EQ(xtc.status, 0) << xtc.output;
  std::string expected = runSaved(source, "cpu", data);
  ASSERT_GT(expected.size(), 128u + 75 * 70 * 4 - 1);
  size_t seen = 0;
  for (const auto &entry : fs::directory_iterator(dumps.path())) {
    EXPECT_EQ(runSaved(entry.path(), "cpu", data), expected) << entry.path();
    EXPECT_EQ(runSaved(entry.path(), "interp", data), expected) << entry.path();
    ++seen;
  }
  EXPECT_EQ(seen, 6u);
}

TEST(Tools, ExampleDumpsRun) {
  test::TemporaryFolder dumps;
  test::ToolRun xtc =
      test::runTool("%bin/xtc --round-trip --dump-after=all --dump-dir " + dumps.string() + " %src/examples/01_gemm.xt");
  ASSERT_EQ(xtc.status, 0) << xtc.output;
  size_t seen = 0;
  for (const auto &entry : fs::directory_iterator(dumps.path())) {
    test::ToolRun run =
        test::runTool("%bin/xtrun --small --test unaligned --test exact --target=interp,cpu " + entry.path().string());
    EXPECT_EQ(run.status, 0) << run.output;
    ++seen;
  }
  EXPECT_GE(seen, 4u);
}

// Under the sanitizers, a third of the files outside of tests/run --full.
TEST(Tools, ExamplesStdlibAndPeersPassOnAllTargets) {
  size_t number = 0;
  EXPECT_EQ(
      test::runTool("%bin/xtrun --small --target=interp,cpu --test unaligned --test exact %src/examples/01_gemm.xt").status, 0);
  for (const char *folder : {"../stdlib", "../examples", "peers"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      // These two files create and read the large input files.
      if (path.stem() == "00_inputs" || path.stem() == "01_gemm") continue;
      if (test::kSanitized && !test::isTurn(number++, 0, 3)) continue;
      test::ToolRun run = test::runTool("%bin/xtrun --small --target=interp,cpu " + path.string());
      EXPECT_EQ(run.status, 0) << path << run.output;
    }
}

// The example's input files are large. On the interpreter, the test that reads them uses a corner of each.
TEST(Tools, FileExampleRunsAtSmallSizes) {
  test::TemporaryFolder data;
  std::string folder = "--data-dir " + data.string();
  ASSERT_EQ(test::runTool("%bin/xtrun " + folder + " %src/examples/00_inputs.xt").status, 0);
  test::ToolRun run =
      test::runTool("%bin/xtrun --target=interp,cpu --small " + folder + " --test 'from files' %src/examples/01_gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("81000 elements"), std::string::npos) << run.output;
}

// Runs the tests at odd sizes with the values that a parameter of the standard library lists, other than its default: with each
// type, and with one of the other values in turn, in tests/run --full with each.
TEST(Tools, StdlibPassesWithEachParameter) {
  if (test::kSanitized && !test::everything()) GTEST_SKIP() << "runs without the sanitizers";
  static const std::regex parameter("(?:^|\n)param \\$(\\w+) *: *(\\w+)[^\n]* = (\\w+) in \\[([^\\]]*)\\]"), value("\\w+");
  size_t ran = 0;
  for (const auto &path : test::filesIn("../stdlib", ".xt")) {
    std::string text = test::readText(path);
    for (std::sregex_iterator it(text.begin(), text.end(), parameter), end; it != end; ++it) {
      std::string name = (*it)[1], kind = (*it)[2], usual = (*it)[3], values = (*it)[4];
      std::vector<std::string> others;
      for (std::sregex_iterator v(values.begin(), values.end(), value); v != end; ++v)
        if (v->str() != usual) others.push_back(v->str());
      if (others.empty()) continue;
      if (kind != "type") others = test::byTurns(others, ran);
      for (const std::string &other : others) {
        test::ToolRun run = test::runTool("%bin/xtrun -q --small -D " + name + "=" + other + " " + path.string());
        EXPECT_EQ(run.status, 0) << path << ' ' << name << " = " << other << '\n' << run.output;
        ++ran;
      }
    }
  }
  EXPECT_GE(ran, test::everything() ? 80u : 30u);
}

// The distributed kernels must compute the same results as at workgroup scope, and no subgroup may read data that another one
// may still write. Each kernel takes one of these tests in turn, in tests/run --full both.
TEST(Tools, EveryKernelRunsDistributedToSubgroups) {
  test::TemporaryFolder folder;
  size_t ran = 0;
  for (const char *from : {"../stdlib", "../examples", "rfc/mended", "peers"})
    for (const auto &path : test::filesIn(from, ".xt")) {
      if (path.stem() == "00_inputs") continue;
      std::string out = (folder / path.filename()).string(),
                  tests = path.stem() == "01_gemm" ? " --test unaligned --test exact " : " ";
      test::ToolRun made = test::runTool("%bin/xtc --run=infer-layouts,distribute-to-subgroups --round-trip --emit=ir " +
                                         path.string() + " -o " + out);
      EXPECT_EQ(made.status, 0) << path << made.output;
      if (test::readText(out).find("\ntest ") == std::string::npos) continue;
      ++ran;
      if (test::kSanitized && !test::everything()) continue;
      for (const char *how : test::byTurns<const char *>({"--check=race,uninit,divergence", "--target=cpu"}, ran)) {
        test::ToolRun run = test::runTool(std::string("%bin/xtrun -q --small ") + how + tests + out);
        EXPECT_EQ(run.status, 0) << path << ' ' << how << '\n' << run.output;
      }
    }
  EXPECT_GE(ran, 50u);
}

// The reference pages must agree with the tables. tests/run --update writes the pages.
TEST(Tools, ReferencePagesAreFresh) {
  test::expectGolden(fs::path(XT_SOURCE_DIR) / "ir/ops/REFERENCE.md", test::runTool("%bin/xtc --reference=ops").output);
  test::expectGolden(fs::path(XT_SOURCE_DIR) / "ir/base/diagnostics/REFERENCE.md",
                     test::runTool("%bin/xtc --reference=codes").output);
}

// Tests should use the derived tolerance, so `within` may occur at most three times. The files below compare with another
// algorithm than the kernel's, whose bound says nothing about the kernel: a matrix of cosines, differences of values, a
// distribution function.
TEST(Tools, ToleranceIsOverriddenAtMostThreeTimes) {
  const std::map<std::string, int> otherAlgorithms = {{"fft.xt", 6}, {"norm_backward.xt", 2}, {"random.xt", 3}};
  int overrides = 0;
  for (const char *folder : {"../stdlib", "../examples", "rfc/mended", "peers"})
    for (const auto &path : test::filesIn(folder, ".xt")) {
      std::string text = test::readText(path);
      int own = 0;
      for (size_t at = text.find(" within "); at != std::string::npos; at = text.find(" within ", at + 1)) {
        size_t line = text.rfind('\n', at) + 1;
        own += text.compare(line, 8, "  check ") == 0;
      }
      auto allowed = otherAlgorithms.find(path.filename().string());
      if (allowed != otherAlgorithms.end())
        EXPECT_LE(own, allowed->second) << path;
      else
        overrides += own;
    }
  EXPECT_LE(overrides, 3);
}

TEST(Tools, ExamplePassesAtOddSizes) {
  test::ToolRun run = test::runTool("%bin/xtrun --test unaligned --test exact %src/examples/01_gemm.xt");
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("2 passed"), std::string::npos) << run.output;
}

TEST(Tools, OutputIsDeterministic) {
  for (const char *kind : {"ast", "ir", "llvm", "asm", "obj"}) {
    std::string command = std::string("%bin/xtc --emit=") + kind + " --cpu=x86-64-v3 %src/examples/01_gemm.xt | sha256sum";
    test::ToolRun first = test::runTool(command), second = test::runTool(command);
    EXPECT_EQ(first.status, 0);
    EXPECT_EQ(first.output, second.output) << kind;
  }
}

TEST(Tools, OutputFileIsKeptWhenTheInputIsWrong) {
  test::TemporaryFolder folder;
  std::string out = (folder / "out.xt").string();
  ASSERT_EQ(test::runTool("%bin/xtc --emit=ir -o " + out + " %in/good.xt").status, 0);
  std::string before = test::readText(out);
  EXPECT_NE(before.find("kernel @double"), std::string::npos);
  EXPECT_EQ(test::runTool("%bin/xtc --emit=ir -o " + out + " %in/fail_unclosed.xt").status, 2);
  EXPECT_EQ(test::readText(out), before);
}

TEST(Tools, ReferencePages) {
  test::ToolRun ops = test::runTool("%bin/xtc --list-ops");
  EXPECT_EQ(ops.status, 0);
  for (const char *op : {"xetile.tile_mma", "xegpu.load_nd", "arith.addf", "matmul(a, b)", "random(seed = 1)"})
    EXPECT_NE(ops.output.find(op), std::string::npos) << op;
  EXPECT_NE(test::runTool("%bin/xtc --explain XT0402").output.find("XT0402"), std::string::npos);
  EXPECT_NE(test::runTool("%bin/xtc --list-passes").output.find("dead-code"), std::string::npos);
  EXPECT_EQ(test::runTool("%bin/xtc --help").status, 0);
  EXPECT_EQ(test::runTool("%bin/xtrun --help").status, 0);
}

TEST(Tools, JsonIsOneDocument) {
  test::ToolRun run = test::runTool("%bin/xtrun --json %in/fail_wrong_result.xt | python3 -c 'import json,sys; "
                                    "d=json.load(sys.stdin); print(d[\"status\"])'");
  if (run.output.find("python3: not found") != std::string::npos) GTEST_SKIP() << "python3 is not installed";
  EXPECT_EQ(run.output, "1\n");
}

// A launch that does not satisfy what its kernel requires is reported where it is launched, beside the requirement.
TEST(Tools, JsonOfARefusedLaunchNamesBothPlaces) {
  const std::string file = XT_SOURCE_DIR "/tests/targets/tools/commands/files/requires.xt";
  test::ToolRun run = test::runTool("%bin/xtrun --json --target=interp --test 'is too short' " + file);
  EXPECT_EQ(run.status, 1) << run.output;
  nlohmann::json finding = nlohmann::json::parse(run.output)["files"][0]["tests"][0]["runs"][0]["findings"][0];
  EXPECT_EQ(finding["at"]["line"], 20);
  EXPECT_EQ(finding["at"]["column"], 3);
  ASSERT_EQ(finding["related"].size(), 1u);
  EXPECT_EQ(finding["related"][0]["message"], "required here");
  EXPECT_EQ(finding["related"][0]["at"]["line"], 3);
  EXPECT_EQ(finding["related"][0]["at"]["column"], 15);
}

TEST(Tools, TimePassesTellsTheWayToTheFirstLaunch) {
  test::ToolRun run = test::runTool("%bin/xtrun --time-passes %in/good.xt");
  for (const char *step :
       {"parse, check and lower", "pass canonicalize", "generate code [cpu]", "process start to first launch"})
    EXPECT_NE(run.output.find(step), std::string::npos) << step << '\n' << run.output;
}

// A new target requires no change of the tools, because they use targets only through targets/target.h.
TEST(Tools, IncludeNoFolderOfATarget) {
  std::vector<std::string> folders = {"soft"};
  for (const auto &folder : fs::directory_iterator(XT_SOURCE_DIR "/targets")) {
    std::string name = folder.path().filename().string();
    if (fs::exists(folder.path() / (name + "_target.h"))) folders.push_back(name);
  }
  EXPECT_GE(folders.size(), 4u);
  for (const auto &entry : fs::directory_iterator(XT_SOURCE_DIR "/targets/tools")) {
    std::string text = entry.is_regular_file() ? test::readText(entry.path()) : "";
    for (const std::string &folder : folders)
      EXPECT_EQ(text.find("#include \"targets/" + folder + "/"), std::string::npos) << entry.path() << ' ' << folder;
  }
}

// Each kind of output that a target claims to have must be printed. If it needs another program that is missing, a message must
// say so.
TEST(Tools, EveryOutputOfEveryTarget) {
  test::TemporaryFolder out;
  std::map<std::string, std::string> kinds;
  for (const char *target : {"interp", "cpu", "xe", "xe-pvc", "xe-bmg", "xe-dg2", "spirv"}) {
    for (const char *kind : {"llvm", "asm", "obj", "spirv", "spvasm", "meta"}) {
      test::ToolRun run = test::runTool(std::string("%bin/xtc --target=") + target + " --emit=" + kind + " -o " +
                                        (out / "code").string() + " %in/good.xt");
      bool missing = run.status == 3 && run.output.find("install the package") != std::string::npos;
      if (run.status == 0 || missing) {
        kinds[target] += std::string(" ") + kind;
        continue;
      }
      EXPECT_NE(run.output.find("is not available for the target"), std::string::npos) << run.output;
    }
  }
  EXPECT_EQ(kinds["interp"] + kinds["xe"], "");
  EXPECT_EQ(kinds["cpu"], " llvm asm obj");
  for (const char *gpu : {"xe-pvc", "xe-bmg", "xe-dg2", "spirv"}) EXPECT_EQ(kinds[gpu], " llvm spirv spvasm meta") << gpu;
}

} // namespace
} // namespace xt
