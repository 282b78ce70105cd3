// Tests `xtc --prove`: claims for all sizes, and counterexamples that fail when they run.
#include "run_tool.h"

#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace xt {
namespace {
using test::runTool;

const char *const kFolder = XT_SOURCE_DIR "/tests/targets/tools/prove/";

std::string prove(const std::string &file, int status) {
  auto run = runTool("%bin/xtc --prove " + file);
  EXPECT_EQ(run.status, status) << run.output;
  return run.output;
}

#define SKIP_WITHOUT_Z3()                                                                                                      \
  if (runTool("%bin/xtc --prove %in/good.xt").output.find("package libz3-4") != std::string::npos)                             \
  GTEST_SKIP() << "libz3 is not installed (Debian: libz3-4)"

TEST(Prove, ProductsTransposesAndSoftmaxOfTheLibrary) {
  SKIP_WITHOUT_Z3();
  for (const char *name : {"gemm", "gemm_variants", "int4_gemm", "int8_gemm_weights", "fp8_gemm", "mx_gemm", "transpose",
                           "softmax", "layernorm", "rmsnorm", "activations", "attention", "causal_attention", "gather_rows"}) {
    std::string output = prove(std::string(XT_SOURCE_DIR "/stdlib/") + name + ".xt", 0);
    EXPECT_NE(output.find("each element of"), std::string::npos) << output;
    EXPECT_NE(output.find("no two workgroups store the same element"), std::string::npos) << output;
  }
}

// Returns the output for one kernel: its verdict, and the lines up to the verdict of the next kernel.
std::string proofOf(const std::string &output, const std::string &kernel) {
  size_t name = output.find("  @" + kernel + "\n");
  EXPECT_NE(name, std::string::npos) << kernel << "\n" << output;
  if (name == std::string::npos) return "";
  size_t begin = output.rfind('\n', name) + 1, next = name;
  do next = output.find('\n', next + 1);
  while (next != std::string::npos &&
         (output.compare(next, 3, "\n  ") == 0 || output.find("  @", next) > output.find('\n', next + 1)));
  return output.substr(begin, next - begin);
}

struct Expected {
  const char *kernel, *verdict, *line; // a line of its proof
};
void expectProofs(const std::string &file, int status, std::initializer_list<Expected> proofs) {
  std::string output = prove(kFolder + file, status);
  for (const Expected &expected : proofs) {
    std::string proof = proofOf(output, expected.kernel);
    EXPECT_TRUE(proof.starts_with(std::string(expected.verdict) + "  @")) << proof;
    EXPECT_NE(proof.find(expected.line), std::string::npos) << expected.line << "\n" << proof;
  }
}

// Runs the test block in the output, appended to the kernels of the file.
test::ToolRun runCounterexample(const std::string &file, const std::string &output, const std::string &options) {
  size_t begin = output.find("\ntest \"");
  EXPECT_NE(begin, std::string::npos) << output;
  std::string name = output.substr(begin + 7, output.find('"', begin + 7) - begin - 7);
  std::ifstream source(file);
  std::stringstream text;
  text << source.rdbuf() << output.substr(begin, output.find("\n}\n", begin) + 3 - begin);
  test::TemporaryFolder folder;
  std::filesystem::path path = folder / "counterexample.xt";
  std::ofstream(path) << text.str();
  return runTool("%bin/xtrun --test '" + name + "' " + options + " " + path.string());
}

TEST(Prove, FindsTheSmallestSizesThatLeaveElementsOut) {
  SKIP_WITHOUT_Z3();
  std::string file = std::string(kFolder) + "missing_tail.xt", output = prove(file, 1);
  EXPECT_NE(output.find("an element of `%B` is never stored at dim(%A, 0) = 1, dim(%A, 1) = 1"), std::string::npos) << output;
  EXPECT_EQ(runTool("%bin/xtrun --test 'whole tiles only' " + file).status, 0); // the kernel's own test does not show the error
  auto run = runCounterexample(file, output, "");
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("were never written"), std::string::npos) << run.output;
}

TEST(Prove, FindsTheSmallestSizesAtWhichWorkgroupsMeet) {
  SKIP_WITHOUT_Z3();
  std::string file = std::string(kFolder) + "overlap.xt", output = prove(file, 1);
  EXPECT_NE(output.find("two workgroups store the same element of `%B` at dim(%A, 0) = 1, dim(%A, 1) = 25"), std::string::npos)
      << output;
  auto run = runCounterexample(file, output, "--check=race");
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("race"), std::string::npos) << run.output;
}

TEST(Prove, FollowsLoopsBranchesAndViews) {
  SKIP_WITHOUT_Z3();
  std::string output = prove(std::string(kFolder) + "loops.xt", 1);
  for (const char *line :
       {"proved  @rows\n  where dim(%A, 1) = %width", "proved  @vector\n", "where it reads its explicit padding",
        "fails: a workgroup stores more than once to an element of `%B`",
        "undecided: the address of this store to `%B` depends on data"})
    EXPECT_NE(output.find(line), std::string::npos) << line << "\n" << output;
}

TEST(Prove, IntegersOfNarrowTypesWrapAround) {
  SKIP_WITHOUT_Z3();
  expectProofs("narrow_integers.xt", 1,
               {{"wraps", "fails", "an element of `%B` is never stored at dim(%A, 0) = 129, dim(%B, 0) = 129"},
                {"wraps", "fails", "note: the result of `index_cast` may overflow i8"},
                {"wide", "proved", "each element of `%B` is stored"},
                {"few", "proved", "each element of `%B` is stored"},
                {"wrapped_assert", "fails", "an element of `%B` is never stored at dim(%A, 0) = 129"},
                {"below_zero", "fails", "an element of `%B` is never stored at dim(%A, 0) = 1"},
                {"counter", "undecided", "the address of this store to `%B`"}});
}

// Runs the counterexample that is printed for a file.
void expectNeverWritten(const char *name) {
  std::string file = std::string(kFolder) + name;
  auto run = runCounterexample(file, prove(file, 1), "");
  EXPECT_EQ(run.status, 1) << run.output;
  EXPECT_NE(run.output.find("were never written"), std::string::npos) << run.output;
}

TEST(Prove, ATransposedViewHasItsDimensionsSwapped) {
  SKIP_WITHOUT_Z3();
  expectProofs("transposed_views.xt", 1,
               {{"wrong_order", "fails", "an element of `%B` is never stored at dim(%B, 0) = 1, dim(%B, 1) = 9"},
                {"right_order", "proved", "each element of `%B` is stored"}});
  expectNeverWritten("transposed_views.xt");
}

TEST(Prove, TakesWhatTheKernelRequiresAsGiven) {
  SKIP_WITHOUT_Z3();
  expectProofs("requires.xt", 1,
               {{"add", "proved", "each element of `%B` is stored"},
                {"partly", "fails", "an element of `%B` is never stored at dim(%A, 0) = "},
                {"wraps", "fails", "an element of `%A` is never stored at %n = 127"},
                {"truths", "proved", "each element of `%A` is stored"}});
}

TEST(Prove, NamesThatStandForSeveralParametersAreNotFollowed) {
  SKIP_WITHOUT_Z3();
  expectProofs("merged_names.xt", 3,
               {{"element", "undecided", "this memref is not a view of one parameter"},
                {"same", "proved", "each element of `%B` is stored"},
                {"swapped_tiles", "undecided", "this tile does not refer directly to a parameter"},
                {"swapped_memrefs", "undecided", "this memref is not a view of one parameter"},
                {"kept_apart", "proved", "  if `%B`, `%C` do not overlap\n"}});
  std::string element = proofOf(prove(std::string(kFolder) + "merged_names.xt", 3), "element");
  EXPECT_EQ(element.find("no two workgroups"), std::string::npos) << element;
}

TEST(Prove, LoadsStayInsideOrNameTheirPadding) {
  SKIP_WITHOUT_Z3();
  expectProofs("loads.xt", 3,
               {{"unchecked", "undecided", "the addresses of `load_nd` are not analysed"},
                {"gathered", "undecided", "the addresses of `load_gather` are not analysed"},
                {"gathered_on_purpose", "proved", "where this `load_gather` is out of bounds, it reads its explicit padding"},
                {"next_element", "undecided", "this load of `%x` is out of bounds and reads 0 at dim(%x, 0) = 0"},
                {"own_element", "proved", "this load of `%x` is in bounds"},
                {"default_padding", "proved",
                 "note: this load of `%A` is out of bounds at some sizes, where it reads 0, the default padding"}});
}

TEST(Prove, SaysWhyAnOffsetIsNotKnown) {
  SKIP_WITHOUT_Z3();
  expectProofs(
      "unknown_offsets.xt", 3,
      {{"by_groups", "proved",
        "note: where this load of `%A` is out of bounds, it reads 0, the default padding; the address of this load is "
        "not a linear function of sizes and loop counters"},
       {"by_table", "undecided", "the address of this load from `%A` depends on data: an index comes from memory"},
       {"by_padded_table", "proved", "where this load of `%A` is out of bounds, it reads its explicit padding"},
       {"by_carried_table", "undecided", "the address of this load from `%A` depends on data"},
       {"by_quotient", "undecided", "the address of this store to `%B` is not a linear function of sizes and loop counters"},
       {"own_shape", "undecided", "this tile has a shape and strides of its own"},
       {"sometimes", "undecided", "whether this store to `%B` is executed depends on data"}});
}

TEST(Prove, AnEmptyGridAssertsNothing) {
  SKIP_WITHOUT_Z3();
  expectProofs("empty_grid.xt", 1,
               {{"rows_of_a", "fails", "an element of `%B` is never stored at dim(%A, 0) = 0, dim(%B, 0) = 1"},
                {"rows_of_b", "proved", "each element of `%B` is stored"},
                {"stepped", "fails", "an element of `%B` is never stored at %s = "}});
  expectNeverWritten("empty_grid.xt");
}

TEST(Prove, ALaunchMayHaveAGridThatTheKernelHasNot) {
  SKIP_WITHOUT_Z3();
  expectProofs("launch_grid.xt", 3,
               {{"often", "undecided", "a test launches this kernel with a grid"},
                {"once", "proved", "  if the launch has no grid: one workgroup runs\n"}});
}

TEST(Prove, LanesAreInOneOfSeveralSubgroups) {
  SKIP_WITHOUT_Z3();
  expectProofs("lanes.xt", 3,
               {{"three", "undecided", "this load of `%x` is out of bounds and reads 0"},
                {"four", "proved", "this load of `%x` is in bounds"}});
}

TEST(Prove, ManyStoresBesideEachOther) {
  SKIP_WITHOUT_Z3();
  expectProofs("many_stores.xt", 1,
               {{"beside", "proved", "each element of `%B` is stored"},
                {"halves", "proved", "each element of `%B` is stored"},
                {"gap", "fails", "an element of `%B` is never stored at dim(%B, 0) = 33, dim(%B, 1) = 1"}});
}

TEST(Prove, AtomicsOfOneElementAreNoConflict) {
  SKIP_WITHOUT_Z3();
  expectProofs("atomics.xt", 3,
               {{"counts", "proved", "if `%count` is changed, it is by atomics only, which may meet"},
                {"histogram", "proved", "if `%bins` is changed, it is by atomics only, which may meet"},
                {"swaps", "proved", "if `%A` is changed, it is by atomics only, which may meet"},
                {"stores_too", "undecided", "which elements of `%C` this updates is unknown, and the kernel also stores some"},
                {"own_block", "proved", "no subgroup stores an element of `%A` that another one updates"},
                {"next_block", "undecided", "another subgroup updates an element of `%A` that this stores at dim(%A, 0) = 17"},
                {"of_two_subgroups", "undecided", "another subgroup updates an element of `%A` that this stores"},
                {"of_workgroups", "undecided", "this updates `%count` atomically within a workgroup only"}});
}

TEST(Prove, ClaimsThatTakeTooLongAreUndecided) {
  SKIP_WITHOUT_Z3();
  auto run = runTool("%bin/xtc --prove --time-limit=1e-9 " + std::string(kFolder) + "many_stores.xt");
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_NE(run.output.find("undecided: the time limit of 1e-09 s per kernel expired before Z3 decided whether two "
                            "workgroups store the same element of `%B`"),
            std::string::npos)
      << run.output;
  EXPECT_EQ(run.output.find("proved"), std::string::npos) << run.output;
  EXPECT_EQ(runTool("%bin/xtc --prove --time-limit=soon %in/good.xt").status, 64);
  EXPECT_EQ(runTool("%bin/xtc --time-limit=1 %in/good.xt").status, 64);
}

TEST(Prove, AFileThatDoesNotCompileIsNoProof) {
  EXPECT_EQ(runTool("%bin/xtc --prove no-such-file.xt").status, 3);
  EXPECT_EQ(runTool("%bin/xtc --prove --check %in/good.xt").status, 64);
}

} // namespace
} // namespace xt
