// Tests the PTX of certain kernels: products by name and number, shared memory, barriers and shuffles, what is refused.
#include "ir/base/text.h"
#include "ir/op_info.h"
#include "ir/op_kinds.h"
#include "targets/llvm/float_arithmetic.h"
#include "tests/targets/nv/emit/nv_program.h"
#include "tests/targets/nv/tiled_gemm.h"

#include <algorithm>

namespace xt::test {
namespace {

// A product of MxK by KxN by one warp.
std::string productText(const MmaShape &shape) {
  auto tile = [&](int64_t rows, int64_t columns, Elem elem) { return str(rows, "x", columns, "x", elemName(elem)); };
  std::string a = tile(shape.m, shape.k, shape.a), b = tile(shape.k, shape.n, shape.b),
              c = tile(shape.m, shape.n, shape.result);
  return str("kernel @product(%A: memref<", a, ">, %B: memref<", b, ">, %C: memref<", c,
             ">) {\n  %ta = init_tile %A[0, 0] -> tile<", a, ">\n  %tb = init_tile %B[0, 0] -> tile<", b,
             ">\n  %tc = init_tile %C[0, 0] -> tile<", c,
             ">\n  %a = load_tile %ta\n  %b = load_tile %tb\n  %c = load_tile %tc\n  %d = tile_mma %a, %b, %c\n"
             "  store_tile %d, %tc\n}\n");
}

TEST(Ptx, EveryProductIsOneInstruction) {
  for (const TargetInfo &target : targetInfos(GpuFamily::Nvidia))
    for (const MmaInstruction &product : target.mma) {
      // tile_mma takes the first shape for its types; the others are those of `dpas` at lane scope.
      auto first = std::ranges::find_if(target.mma, [&](const MmaInstruction &each) {
        return each.a == product.a && each.b == product.b && each.result == product.result;
      });
      if (&*first != &product) continue;
      SCOPED_TRACE(str(target.name, ": ", typesText(product)));
      std::string ptx = NvProgram(productText(product), target.name).ptx();
      EXPECT_EQ(countOf("mma.sync.aligned", ptx), 1u);
      EXPECT_EQ(countOf(str("mma.sync.aligned.m", product.m, "n", product.n, "k", product.k, ".row.col."), ptx), 1u);
      std::string_view architecture = target.name == "nv" ? "80" : target.name.substr(5);
      EXPECT_NE(ptx.find(str(".target sm_", architecture, "\n")), std::string::npos);
    }
}

// A warp multiplies 32x32 by K = 32: 2 x 4 blocks of the result, in two steps.
TEST(Ptx, GemmHasTheProductsThatItsShapesNeed) {
  std::string ptx = NvProgram(kTiledGemm).ptx();
  EXPECT_EQ(countOf("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ptx), 2u * 4u * 2u);
  EXPECT_NE(ptx.find(".visible .entry gemm("), std::string::npos);
  EXPECT_NE(ptx.find(".reqntid 128, 1, 1"), std::string::npos);
  EXPECT_NE(ptx.find("\t.loc\t1 "), std::string::npos) << "lines for profilers";
  EXPECT_EQ(ptx.find(", debug"), std::string::npos) << "ptxas would not optimise";
}

// A warp loads 32 rows of a and 32 columns of b in both steps, four matrices at a time. Of the four buffers, three are on their
// way at the start of an iteration; the last wait is behind the loop.
TEST(Ptx, GemmGetsItsOperandsThroughSharedMemory) {
  std::string ptx = NvProgram(kTiledGemm).ptx();
  EXPECT_EQ(countOf("ldmatrix.sync.aligned.m8n8.x4.shared.b16", ptx), 2u * 2u) << ptx;
  EXPECT_EQ(countOf("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", ptx), 2u * 2u);
  EXPECT_EQ(countOf("ldmatrix", ptx), 8u);
  EXPECT_EQ(countOf("cp.async.wait_group \t2;", ptx) + countOf("cp.async.wait_group 2;", ptx), 1u);
  EXPECT_EQ(countOf("cp.async.wait_group", ptx), 2u);
  EXPECT_EQ(countOf("cp.async.commit_group", ptx), 3u + 1u);
  // Two copies of each operand by each lane: whole ones, or with zeros beyond the edges.
  EXPECT_EQ(countOf("cp.async.cg.shared.global", ptx), 4u * 2u * (2u + 2u));
  EXPECT_EQ(countOf("bar.sync", ptx) + countOf("barrier.sync", ptx), 1u);
  // The result is stored behind one, because its matrix may be that of an operand.
  EXPECT_EQ(countOf("bar.warp.sync", ptx), 1u);
}

// Whether a lane copies whole portions is one comparison of the loop's variable, and the number of the buffer one `and`. The
// addresses of what it copies are those at the loop's start, and a product for each operand.
TEST(Ptx, WhatALoopCountsIsComputedBeforeIt) {
  std::string ptx = NvProgram(kTiledGemm).ptx();
  size_t wait = ptx.find("cp.async.wait_group \t2;"), branch = ptx.find("bra", wait);
  ASSERT_LT(wait, branch);
  ASSERT_LT(branch, ptx.size());
  std::string begin = ptx.substr(wait, branch - wait);
  EXPECT_EQ(countOf("setp.", begin), 1u) << begin;
  EXPECT_EQ(countOf("or.b", begin) + countOf("sub.", begin), 0u) << begin;
  EXPECT_EQ(countOf("mul.wide.u32", begin), 1u) << begin;
  EXPECT_EQ(countOf("mad.lo.s64", begin), 1u) << begin;
  EXPECT_EQ(countOf("rem.", ptx), 0u);
}

// The accumulator of the scores has the layout of the next product's operand, so that no element of it moves: the only shuffles
// are those of two reductions over rows, each in two steps over the lanes of a quad, and one that gives all lanes the same zero
// as the maximum, which prefers neither of 0 and -0.
TEST(Ptx, AttentionKeepsItsScoresInRegisters) {
  std::string ptx = NvProgram(contentsOf(XT_SOURCE_DIR "/examples/10_attention.xt")).ptx();
  EXPECT_EQ(countOf("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", ptx), 64u);
  EXPECT_EQ(countOf("shfl.sync.bfly", ptx), 4u);
  EXPECT_EQ(countOf("shfl.sync", ptx), 5u);
  EXPECT_EQ(countOf("st.shared", ptx), 0u) << "only the operands in memory come through shared memory";
}

// A function of MLIR's vector dialect, named after this instruction. It reads its operands from column 3 on, and rows for
// ldmatrix begin at multiples of 16 bytes, so that only the accumulator is loaded by it.
TEST(Ptx, AContractionOf16x8x16IsOneProduct) {
  std::string ptx = NvProgram(contentsOf(XT_SOURCE_DIR "/tests/targets/xe/run/row_row_row.xt")).ptx();
  EXPECT_EQ(countOf("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", ptx), 1u);
  EXPECT_EQ(countOf("mma.sync", ptx), 1u);
  EXPECT_EQ(countOf("ldmatrix.sync.aligned.m8n8.x2.shared.b16", ptx), 1u);
  EXPECT_EQ(countOf("ldmatrix", ptx), 1u);
}

// The same function from column 8 on.
TEST(Ptx, AContractionOf16x8x16LoadsMatrices) {
  std::string text = contentsOf(XT_SOURCE_DIR "/tests/targets/xe/run/row_row_row.xt");
  const std::string column = "arith.constant 3 : index";
  ASSERT_EQ(countOf(column, text), 1u);
  text.replace(text.find(column), column.size(), "arith.constant 8 : index");
  std::string ptx = NvProgram(text).ptx();
  EXPECT_EQ(countOf("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", ptx), 1u);
  EXPECT_EQ(countOf("mma.sync", ptx), 1u);
  EXPECT_EQ(countOf("ldmatrix.sync.aligned.m8n8.x4.shared.b16", ptx), 1u);
  EXPECT_EQ(countOf("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", ptx), 1u);
  EXPECT_EQ(countOf("ldmatrix.sync.aligned.m8n8.x2.shared.b16", ptx), 1u) << "the accumulator";
  EXPECT_EQ(countOf("ldmatrix", ptx), 3u);
}

TEST(Ptx, IsTheSameForTheSameInput) {
  EXPECT_EQ(NvProgram(kTiledGemm).ptx(), NvProgram(kTiledGemm).ptx());
  EXPECT_EQ(NvProgram(kTiledGemm).llvm(), NvProgram(kTiledGemm).llvm());
}

std::string exchangeText(int64_t rows) {
  return str("kernel @swap(%A: memref<", rows, "x64xf32>) subgroups(2) lanes(32) {\n  %s = alloc_slm : memref<", rows,
             "x64xf32, slm>\n", R"(  %zero = constant 0 : index
  %one = constant 1 : index
  %lane = lane_id()
  %sg = subgroup_id()
  %x = memref.load %A[%sg, %lane]
  memref.store %x, %s[%sg, %lane]
  barrier
  %other = subi %one, %sg : index
  %y = memref.load %s[%other, %lane]
  %width = constant 32 : i32
  %first = constant 0 : i32
  %z, %there = gpu.shuffle idx %y, %first, %width : f32
  subgroup_barrier
  memref.store %z, %A[%sg, %lane]
})");
}

TEST(Ptx, BarriersAndShuffles) {
  std::string ptx = NvProgram(exchangeText(2)).ptx();
  EXPECT_EQ(countOf("barrier.sync.aligned \t0;", ptx) + countOf("bar.sync \t0;", ptx), 1u) << ptx;
  EXPECT_EQ(countOf("bar.warp.sync", ptx), 1u);
  EXPECT_EQ(countOf("shfl.sync.idx.b32", ptx), 1u);
}

// A kernel declares up to 48 KiB; for more, the launch gives the size of an array.
TEST(Ptx, SharedMemoryBeyondWhatMayBeDeclared) {
  std::string few = NvProgram(exchangeText(192)).ptx(), many = NvProgram(exchangeText(193)).ptx();
  EXPECT_NE(few.find(".shared .align 64 .b8 swap_$_slm_$_s[49152]"), std::string::npos) << few.substr(0, 600);
  EXPECT_EQ(few.find("xt_slm"), std::string::npos);
  EXPECT_NE(many.find(".extern .shared .align 128 .b8 xt_slm[]"), std::string::npos) << many.substr(0, 600);
  EXPECT_EQ(many.find("swap_$_slm"), std::string::npos);
}

// Only the reduction of large angles is a function, whose code is in the module once.
TEST(Ptx, FunctionsNeedNoLibrary) {
  auto text = [](std::string_view function, bool pair, const char *elem) {
    return str("kernel @f(%A: memref<32x32x", elem, ">) {\n  %t = init_tile %A[0, 0] -> tile<32x32x", elem,
               ">\n  %a = load_tile %t\n  %b = ", function, pair ? " %a, %a" : " %a", "\n  store_tile %b, %t\n}\n");
  };
  for (const OpInfo &op : allOps()) {
    if (mathFunctionName(op.kind).empty()) continue;
    bool pair = op.kind == OpKind::PowF || op.kind == OpKind::RemF, angle = op.kind == OpKind::Sin || op.kind == OpKind::Cos;
    std::string name = str(op.kind == OpKind::RemF ? "arith." : "math.", op.name);
    for (const char *elem : {"f64", "f32", "f16", "bf16"}) {
      SCOPED_TRACE(str(name, " of ", elem));
      std::string ptx = NvProgram(text(name, pair, elem)).ptx();
      EXPECT_EQ(countOf(".extern .func", ptx), 0u) << ptx;
      EXPECT_EQ(countOf(".func ", ptx), angle ? 1u : 0u);
    }
  }
}

} // namespace
} // namespace xt::test
