// Tests xtrun --mpi as a user starts it: Open MPI's mpirun on this machine.
#include "tests/mpirun.h"
#include "tests/targets/tools/folder_test.h"
#include "tests/targets/tools/run_tool.h"

#include "ir/base/text.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace xt {
namespace {

using test::runTool;
using test::ToolRun;

class Mpi : public test::FolderTest {
protected:
  void SetUp() override {
    if (std::string why = test::whyNoRanks(std::filesystem::exists(XT_BINARY_DIR "/lib/libxt_mpi.so")); !why.empty())
      GTEST_SKIP() << why;
  }
  ToolRun ranks(int count, const std::string &command) const {
    return runTool(str("cd ", folder.string(), " && ", test::onRanks(count, command)));
  }
  ToolRun run(int count, const std::string &arguments) const { return ranks(count, "%bin/xtrun --mpi " + arguments); }
  // One rank executes another command than the others.
  ToolRun runUnlike(int count, int rank, const std::string &other, const std::string &command) const {
    return ranks(count,
                 str("sh -c 'if [ $OMPI_COMM_WORLD_RANK = ", rank, " ]; then ", other, "; else exec ", command, "; fi'"));
  }
  // Writes a file with a kernel that copies, and a test.
  std::string copying(const std::string &statements) {
    return file(str("kernel @copy(%A: memref<?x?xf32>, %B: memref<?x?xf32>)\n"
                    "    grid (%i = 0 to dim(%B, 0) step 8, %j = 0 to dim(%B, 1) step 16) {\n"
                    "  %ta = init_tile %A[%i, %j] -> tile<8x16xf32>\n  %tb = init_tile %B[%i, %j] -> tile<8x16xf32>\n"
                    "  %a = load_tile %ta\n  store_tile %a, %tb\n}\ntest \"t\" {\n",
                    statements, "}\n"));
  }
};

// Copies %A to %B on each rank, whole.
const std::string kCopied = "  %A = iota : memref<8x16xf32>\n  %B = out : memref<8x16xf32>\n  launch @copy(%A, %B)\n";
// Each rank has the sum of what all ranks have.
const std::string kSummed = kCopied + "  all_reduce %B\n  check %B == %A * ranks()\n";

size_t count(const std::string &text, std::string_view part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// What rank 0 receives in each test of an example, as --json says.
std::vector<int64_t> received(const std::string &json) {
  std::vector<int64_t> bytes;
  const nlohmann::json all = nlohmann::json::parse(json, nullptr, false);
  if (all.is_discarded()) return bytes;
  for (const auto &test : all["files"][0]["tests"]) bytes.push_back(test["runs"][0]["ranks"]["received"].get<int64_t>());
  return bytes;
}

TEST_F(Mpi, RunsTheExamplesOnAnyNumberOfRanks) {
  for (const char *example : {"18_summa", "19_tensor_parallel", "20_ring_attention"})
    for (int ranks : {1, 2, 3, 4}) {
      ToolRun ran = run(ranks, str("--small %src/examples/", example, ".xt"));
      EXPECT_EQ(ran.status, 0) << example << " on " << ranks << " ranks\n" << ran.output;
      EXPECT_FALSE(has(ran, "failed")) << ran.output;
      EXPECT_EQ(has(ran, str("rank 0 of ", ranks, " received")), ranks > 1) << ran.output;
    }
}

// The least that a rank of four must receive of what the others hold, in elements times their bytes.
TEST_F(Mpi, MovesNoMoreThanTheAlgorithmNeeds) {
  constexpr int64_t kM = 96, kK = 120, kN = 144; // SUMMA on 2x2: half of its rows of A, and of its columns of B
  EXPECT_EQ(received(run(4, "--json --small %src/examples/18_summa.xt").output),
            (std::vector<int64_t>{kM / 2 * kK / 2 * 2 + kK / 2 * kN / 2 * 2}));
  constexpr int64_t kResult = 48 * 60 * 4; // all_reduce: 2 (n - 1) / n, reduce_scatter: (n - 1) / n
  EXPECT_EQ(received(run(4, "--json --small %src/examples/19_tensor_parallel.xt").output),
            (std::vector<int64_t>{2 * kResult * 3 / 4, kResult * 3 / 4}));
  constexpr int64_t kPart = 2 * 120 / 4 * 64 * 2; // three parts of the keys, and of the values
  EXPECT_EQ(received(run(4, "--json --small %src/examples/20_ring_attention.xt").output),
            (std::vector<int64_t>{2 * 3 * kPart}));
}

TEST_F(Mpi, RunsOnGpusToo) {
  ToolRun ran = run(2, "--small --target=xe-pvc --device=soft %src/examples/18_summa.xt");
  if (has(ran, "libze1") || has(ran, "llvm-spirv-15")) GTEST_SKIP() << ran.output;
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST_F(Mpi, RunsAloneWithoutMpirun) {
  ToolRun ran = runTool(str(test::kMpiEnvironment, "%bin/xtrun --mpi --small %src/examples/18_summa.xt"));
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(has(ran, "1 test: 1 passed")) << ran.output;
}

TEST_F(Mpi, EndsOnAllRanksIfTheyDisagree) {
  const std::string path = copying(kCopied + "  for %i = 0 to rank() {\n    all_reduce %B\n  }\n  check %B == %A\n");
  ToolRun ran = run(2, path);
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(has(ran, "the ranks do different things: rank 0 is at ")) << ran.output;
}

// Messages that all ranks have in common are printed once.
TEST_F(Mpi, RefusesUnevenShards) {
  const std::string path =
      copying("  %A = iota : memref<8x16xf32>\n  %B = out : memref<8x16xf32>\n  shard %A (0)\n  shard %B (0)\n"
              "  launch @copy(%A, %B)\n  check %B == %A\n");
  EXPECT_EQ(run(4, path).status, 0);
  ToolRun ran = run(3, path);
  EXPECT_EQ(ran.status, 2) << ran.output;
  EXPECT_EQ(count(ran.output, "the extent 8 of dimension 0 is no multiple of the 3 parts"), 1u) << ran.output;
}

TEST_F(Mpi, ReportsARankThatIsWrong) {
  const std::string path = copying(kCopied + "  check %B == %A + rank() / 2\n");
  ToolRun ran = run(3, path);
  EXPECT_EQ(ran.status, 1) << ran.output;
  EXPECT_TRUE(has(ran, "failed  t  on another rank")) << ran.output;
  EXPECT_TRUE(has(ran, "xtrun: rank 2:\nfailed  t [cpu]")) << ran.output;
  EXPECT_TRUE(has(ran, "to repeat: mpirun -n 3 xtrun --mpi --target=cpu --test t")) << ran.output;
}

// What is wrong on one rank does not spoil the tests behind it, on any target.
TEST_F(Mpi, GoesOnAfterATestThatIsWrongOnOneRank) {
  const std::string path =
      copying(kCopied + "  all_reduce %B (axis = rank())\n  check %B == %A * ranks()\n}\ntest \"u\" {\n" + kSummed);
  ToolRun ran = run(2, "--target=interp,cpu " + path);
  EXPECT_NE(ran.status, 0) << ran.output;
  for (const char *target : {"interp", "cpu"}) EXPECT_TRUE(has(ran, str("passed  u [", target, "]"))) << ran.output;
  ToolRun json = run(2, "--json " + path);
  EXPECT_EQ(count(json.output, "\"status\": \"passed\""), 2u) << json.output; // of u and of its run
}

TEST_F(Mpi, EndsIfARankCannotReadTheFile) {
  const std::string path = copying(kSummed);
  ToolRun ran = runUnlike(3, 1, "exec %bin/xtrun --mpi missing.xt", "%bin/xtrun --mpi " + path);
  EXPECT_NE(ran.status, 0) << ran.output;
  EXPECT_NE(ran.status, 124) << ran.output;
  EXPECT_TRUE(has(ran, "missing.xt")) << ran.output;
}

// The loop takes far longer than the rank lives.
TEST_F(Mpi, EndsIfARankDies) {
  const std::string path =
      copying("  %A = fill(0.0) : memref<1024x1024xf32>\n  %B = out : memref<1024x1024xf32>\n"
              "  launch @copy(%A, %B)\n  for %i = 0 to 9000 {\n    all_reduce %B\n  }\n  check %B == %A\n");
  ToolRun ran = runUnlike(3, 1, "exec timeout -s KILL 2 %bin/xtrun --mpi " + path, "%bin/xtrun --mpi " + path);
  EXPECT_NE(ran.status, 0) << ran.output;
  EXPECT_NE(ran.status, 124) << ran.output;
}

TEST_F(Mpi, EndsIfARankDoesNotAnswer) {
  const std::string path = copying(kSummed);
  ToolRun ran = runUnlike(2, 1, "kill -STOP $$; exec true", "%bin/xtrun --mpi --time-limit 5 " + path);
  EXPECT_NE(ran.status, 0) << ran.output;
  EXPECT_NE(ran.status, 124) << ran.output;
}

TEST_F(Mpi, RefusesWhatRanksCannotDo) {
  for (const char *other : {"--tune", "--check=race", "--describe", "--kernel copy", "--doctor"}) {
    ToolRun ran = runTool(str("%bin/xtrun --mpi ", other, " %src/examples/18_summa.xt"));
    EXPECT_EQ(ran.status, 64) << ran.output;
    EXPECT_TRUE(has(ran, "--mpi cannot be combined with --")) << ran.output;
  }
}

} // namespace
} // namespace xt
