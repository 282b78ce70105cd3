// Tests nests whose rows of `a` are gathered or masked, also where they add to sums that a loop carries.
#include "ir/elem_kinds.h"
#include "ir/nest_rows.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/buffer_assignment.h"
#include "tests/targets/cpu/text_kernel.h"

namespace xt {
namespace {

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

size_t nestsWithRows(Module &module) {
  size_t count = 0;
  walk(module.kernels[0]->body, [&](Op &op) { count += op.kind() == OpKind::Nest && nestRows(op); });
  return count;
}

Elem sumOf(Elem elem) { return elem == Elem::I8 || elem == Elem::U8 ? Elem::I32 : elem == Elem::F64 ? elem : Elem::F32; }

constexpr const char *kGather = R"(
kernel @k(%A: memref<?x?xTYPE>, %R: memref<?x1xindex>, %B: memref<?x?xTYPE>, %C: memref<?x?xSUM>)
    grid (%i = 0 to dim(%R, 0) step 40, %j = 0 to dim(%B, 1) step 96) {
  %tr  = init_tile %R[%i, 0] -> tile<40x1xindex>
  %row = load_tile %tr
  %count = dim(%R, 0) - %i - 1
  %acc = constant ZERO : vector<40x96xSUM>
  for %k = 0 to dim(%A, 1) step 32 {
    %along = iota [1] : vector<40x32xindex>
    %mask  = create_mask %count, (dim(%A, 1) - %k) : vector<40x32xi1>
    %ta    = init_tile %A[%row, (%along + %k)] -> tile<40x32xTYPE, #scatter>
    %a     = load_gather %ta, %mask
    %tb    = init_tile %B[%k, %j] -> tile<32x96xTYPE>
    %b     = load_tile %tb
    %acc   = tile_mma %a, %b, %acc
  }
  %tc = init_tile %C[%i, %j] -> tile<40x96xSUM>
  store_tile %acc, %tc
}
)";

// The last row of all is masked. Some rows are not in the matrix.
TEST(NestRows, GatheredAsByTheInterpreter) {
  for (Elem elem : {Elem::F32, Elem::F16, Elem::BF16, Elem::F64, Elem::I8, Elem::U8})
    for (int64_t depth : {5, 70, 1100}) {
      const bool real = isFloat(elem);
      std::string text = replaced(replaced(kGather, "TYPE", elemName(elem)), "SUM", elemName(sumOf(elem)));
      TextKernel kernel(replaced(text, "ZERO", real ? "0.0" : "0"));
      ASSERT_TRUE(kernel);
      EXPECT_EQ(nestsWithRows(kernel.module()), 1u);
      Array a(elem, {30, depth}), rows(Elem::Index, {55, 1}), b(elem, {depth, 101}), c(sumOf(elem), {55, 101});
      RandomNumbers random(3);
      for (Array *array : {&a, &b, &c}) random.fill(*array, true);
      for (int64_t i = 0; i < 55; ++i) rows.set({i, 0}, static_cast<double>(i == 7 ? int64_t{1} << 40 : i * 11 % 34 - 2));
      kernel.expectAsInterpreter({&a, &rows, &b, &c}, {}, 2);
    }
}

constexpr const char *kTaps = R"(
kernel @k(%A: memref<?x?xTYPE>, %F: memref<3x?x?xTYPE>, %C: memref<?x?xSUM>)
    grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 80) {
  %number = iota [0] : vector<32x1xindex>
  %column = (%number + %i) mod 7
  %acc    = constant ZERO : vector<32x80xSUM>
  for %s = 0 to 3 {
    %w  = %column + %s - 1
    %in = %w >= 0 and %w < 7
    %ta = init_tile %A[%i + %s - 1, 0] -> tile<32x16xTYPE>
    %tf = init_tile %F[%s, 0, %j] -> tile<16x80xTYPE>
    for %k = 0 to dim(%A, 1) step 16 {
      %a   = load_tile %ta
      %f   = load_tile %tf
      %acc = tile_mma (select(%in, %a, ZERO)), %f, %acc
      %ta  = update_tile_offset %ta, 0, 16
      %tf  = update_tile_offset %tf, 16, 0
    }
  }
  EPILOGUE
  %tc = init_tile %C[%i, %j] -> tile<32x80xSUM>
  store_tile %acc, %tc
}
)";

// The sums of the taps stay in one buffer. The last workgroups have few rows and columns.
TEST(NestRows, MaskedInALoop) {
  for (Elem elem : {Elem::F32, Elem::F16, Elem::BF16, Elem::I8})
    for (const char *epilogue : {"", "%acc = %acc + %acc"}) {
      std::string text = replaced(replaced(kTaps, "TYPE", elemName(elem)), "SUM", elemName(sumOf(elem)));
      TextKernel kernel(replaced(replaced(text, "ZERO", isFloat(elem) ? "0.0" : "0"), "EPILOGUE", epilogue));
      ASSERT_TRUE(kernel);
      EXPECT_EQ(nestsWithRows(kernel.module()), 1u);
      Array a(elem, {45, 37}), f(elem, {3, 37, 90}), c(sumOf(elem), {45, 90});
      RandomNumbers random(5);
      for (Array *array : {&a, &f, &c}) random.fill(*array, true);
      kernel.expectAsInterpreter({&a, &f, &c}, {}, 2);
    }
}

constexpr const char *kOneColumn = R"(
kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %D: memref<?x?xf32>, %C: memref<?x?xf32>)
    grid (%i = 0 to dim(%A, 0) step 32) {
  %acc = constant 0.0 : vector<32x1xf32>
  for %q = 0 to dim(%D, 1) step 64 {
    %td  = init_tile %D[%i, %q] -> tile<32x64xf32>
    %d   = load_tile %td
    %sum = reduction <add> %d [1]
    %acc = %acc + %sum
  }
  %before = %acc
  for %k = 0 to dim(%A, 1) step 16 {
    %ta  = init_tile %A[%i, %k] -> tile<32x16xf32>
    %tb  = init_tile %B[%k, 0] -> tile<16x1xf32>
    %a   = load_tile %ta
    %b   = load_tile %tb
    %acc = tile_mma %a, %b, %acc
  }
  %tc = init_tile %C[%i, 0] -> tile<32x1xf32>
  store_tile (%acc + BEFORE), %tc
}
)";

// Sums of one column are rows of a panel, and no dense column, also where they begin with those of a reduction.
TEST(NestRows, OneColumnOfSums) {
  for (const char *before : {"0.0", "%before"}) {
    TextKernel kernel(replaced(kOneColumn, "BEFORE", before));
    ASSERT_TRUE(kernel);
    Array a(Elem::F32, {50, 37}), b(Elem::F32, {37, 1}), d(Elem::F32, {50, 130}), c(Elem::F32, {50, 1});
    RandomNumbers random(7);
    for (Array *array : {&a, &b, &d, &c}) random.fill(*array, true);
    kernel.expectAsInterpreter({&a, &b, &d, &c}, {}, 2);
  }
}

// No sums are copied around the nest: it adds to the buffer of the value that the loop carries, in rows with room for whole
// panels.
TEST(NestRows, AddToTheBufferOfTheLoop) {
  std::string text = replaced(replaced(kTaps, "TYPE", "f32"), "SUM", "f32");
  TextKernel kernel(replaced(replaced(text, "ZERO", "0.0"), "EPILOGUE", ""));
  ASSERT_TRUE(kernel);
  FusionPlan fusion = planFusion(kernel.kernel());
  BufferAssignment buffers = assignBuffers(kernel.kernel(), fusion, {});
  size_t nests = 0;
  walk(kernel.kernel().body, [&](Op &op) {
    if (op.kind() != OpKind::Nest) return;
    ++nests;
    const Buffer *sums = buffers.bufferOf(op.result()), *carried = buffers.bufferOf(op.block()->parentOp()->result(0));
    ASSERT_TRUE(sums && carried);
    EXPECT_EQ(sums->offset, carried->offset);
    EXPECT_EQ(sums->shape, nestSumsShape(op));
    EXPECT_FALSE(buffers.stagingOf(&op, kNestSums));
  });
  EXPECT_EQ(nests, 1u);
}

} // namespace
} // namespace xt
