// Tests the reading of what ptxas makes, without ptxas: its messages, loops in the instructions, and how many workgroups run at the
// same time.
#include "targets/nv/sass/occupancy.h"
#include "targets/nv/sass/sass_report.h"

#include <gtest/gtest.h>

namespace xt {
namespace {

constexpr uint16_t kMove = 0x002;

// Instructions without effect on the flow, unless a letter says otherwise: `b` and the number of its target is a branch that is always
// taken, `c` one with a predicate, `e` the exit.
std::vector<SassInstruction> codeOf(std::initializer_list<std::pair<char, int64_t>> letters) {
  std::vector<SassInstruction> code;
  for (auto [letter, target] : letters) {
    SassInstruction instruction;
    instruction.operation = letter == 'b' || letter == 'c' ? kSassBranch : letter == 'e' ? kSassExit : kMove;
    instruction.always = letter != 'c';
    if (instruction.operation == kSassBranch) instruction.target = target;
    instruction.line = static_cast<uint32_t>(code.size() + 1);
    code.push_back(instruction);
  }
  return code;
}

TEST(SassLoops, OneInsideAnother) {
  std::vector<SassLoop> loops = loopsOf(codeOf({{'m', 0}, {'m', 0}, {'m', 0}, {'c', 2}, {'m', 0}, {'c', 1}, {'e', 0}}));
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].code, (std::vector<size_t>{1, 2, 3, 4, 5}));
  EXPECT_FALSE(loops[0].innermost);
  EXPECT_EQ(loops[0].line, 6u) << "that of the branch back";
  EXPECT_EQ(loops[1].code, (std::vector<size_t>{2, 3}));
  EXPECT_TRUE(loops[1].innermost);
  EXPECT_EQ(loops[1].shortest, 2u);
}

TEST(SassLoops, TheShortestWayLeavesABranchOut) {
  // 1 branches over 2 and 3.
  std::vector<SassLoop> loops = loopsOf(codeOf({{'m', 0}, {'c', 4}, {'m', 0}, {'m', 0}, {'m', 0}, {'c', 1}, {'e', 0}}));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].code.size(), 5u);
  EXPECT_EQ(loops[0].shortest, 3u);
}

// Code that is rarely executed stands behind the exit and branches back into the kernel, which is no loop.
TEST(SassLoops, BranchesBackwardsAreNotAllLoops) {
  EXPECT_TRUE(loopsOf(codeOf({{'c', 3}, {'m', 0}, {'e', 0}, {'m', 0}, {'b', 1}})).empty());
}

TEST(SassLoops, TheEndOfTheCodeIsNone) {
  EXPECT_TRUE(loopsOf({}).empty());
  EXPECT_TRUE(loopsOf(codeOf({{'e', 0}, {'b', 1}, {'m', 0}})).empty());
  EXPECT_TRUE(loopsOf(codeOf({{'b', -5}, {'b', 99}})).empty()) << "targets outside of the kernel";
}

TEST(SassLoops, PartsOfALoopMayStandBehindIt) {
  std::vector<SassLoop> loops = loopsOf(codeOf({{'m', 0}, {'c', 5}, {'m', 0}, {'c', 0}, {'e', 0}, {'m', 0}, {'b', 2}}));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].code, (std::vector<size_t>{0, 1, 2, 3, 5, 6}));
  EXPECT_EQ(loops[0].shortest, 4u);
}

TEST(SassNames, Operations) {
  EXPECT_EQ(sassName(kSassHmma), "HMMA");
  EXPECT_EQ(sassName(kSassLoadMatrix), "LDSM");
  EXPECT_EQ(sassName(kSassCopyAsync), "LDGSTS");
  EXPECT_EQ(sassName(0x1ff), "op 0x1ff");
  EXPECT_TRUE(isSassProduct(0x037)) << "IMMA";
  EXPECT_FALSE(isSassProduct(kMove));
}

TEST(SassReport, OutputOfPtxas) {
  AssembledPtx read = readPtxasOutput("ptxas info    : 0 bytes gmem\n"
                                      "ptxas info    : Compiling entry function 'f' for 'sm_80'\n"
                                      "ptxas info    : Function properties for f\n"
                                      "    344 bytes stack frame, 560 bytes spill stores, 1024 bytes spill loads\n"
                                      "ptxas warning : something is slow\n"
                                      "ptxas info    : Function properties for g\n"
                                      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n");
  ASSERT_EQ(read.spills.size(), 2u);
  EXPECT_EQ(read.spills["f"].stores, 560);
  EXPECT_EQ(read.spills["f"].loads, 1024);
  EXPECT_EQ(read.spills["g"].stores, 0);
  EXPECT_EQ(read.warnings, std::vector<std::string>{"ptxas warning : something is slow"});
}

TEST(SassReport, MixText) {
  SassCounts counts;
  counts.instructions = 12;
  counts.products = 4;
  counts.mix = {{"HMMA", 4}, {"MOV", 3}, {"LDSM", 5}};
  EXPECT_EQ(mixText(counts), "4 HMMA, 8 others: 5 LDSM, 3 MOV");
  counts.mix.erase("HMMA");
  counts.instructions = 8;
  counts.products = 0;
  EXPECT_EQ(mixText(counts), "8 instructions: 5 LDSM, 3 MOV");
}

TEST(SassReport, OnlyWarningsAreWarnings) {
  AssembledPtx made = readPtxasOutput("ptxas info    : 0 bytes gmem\n"
                                      "ptxas info    : Compiling entry function 'warning' for 'sm_80'\n"
                                      "ptxas warning : Stack size is unknown\n"
                                      "ptxas k.ptx, line 5; warning : Unused label\n");
  EXPECT_EQ(made.warnings,
            (std::vector<std::string>{"ptxas warning : Stack size is unknown", "ptxas k.ptx, line 5; warning : Unused label"}));
}

TEST(SassReport, OtherFilesAreRefused) {
  EXPECT_FALSE(readCubin("", 80).ok());
  EXPECT_FALSE(readCubin("not an ELF file, but longer than the header of one, which has sixty-four bytes", 80).ok());
}

// Computed with the tables of the CUDA C++ Programming Guide.
TEST(NvOccupancy, LimitsOfAMultiprocessor) {
  const TargetInfo &ampere = *findTargetInfo("nv-sm80"), &ada = *findTargetInfo("nv-sm89");
  EXPECT_EQ(text(nvOccupancy(ampere, 222, 4, 64 << 10), 4),
            "2 workgroups of 4 subgroups per multiprocessor: 8 of 64 warps, limited by registers");
  EXPECT_EQ(text(nvOccupancy(ampere, 64, 4, 64 << 10), 4),
            "2 workgroups of 4 subgroups per multiprocessor: 8 of 64 warps, limited by shared local memory");
  EXPECT_EQ(nvOccupancy(ampere, 200, 1, 0).workgroups, 8) << "two warps in each of four partitions";
  EXPECT_EQ(nvOccupancy(ampere, 200, 2, 0).workgroups, 4);
  EXPECT_EQ(text(nvOccupancy(ada, 32, 32, 0), 32),
            "1 workgroup of 32 subgroups per multiprocessor: 32 of 48 warps, limited by warps");
  EXPECT_EQ(text(nvOccupancy(ampere, 16, 1, 0), 1),
            "32 workgroups of 1 subgroup per multiprocessor: 32 of 64 warps, limited by the number of workgroups");
}

} // namespace
} // namespace xt
