// Tests loads that are read in place although stores may overwrite them, and prefetches.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/fusion.h"
#include "targets/cpu/emit.h"
#include "tests/targets/cpu/text_kernel.h"

#include <cstring>

namespace xt {
namespace {

// Returns the op that reads in place the first load with `rows` rows, or null.
const Op *readerOfLoad(TextKernel &text, int64_t rows) {
  FusionPlan plan = planFusion(text.kernel());
  const Op *load = nullptr;
  walk(text.kernel().body, [&](Op &op) {
    if (!load && op.kind() == OpKind::LoadTile && op.result()->type().extent(0) == rows) load = &op;
  });
  return load ? plan.readerOf(load->result()) : nullptr;
}

// Returns a kernel that computes c = a + row, in blocks of 4x64. `between` is inserted after the loads.
std::string addingRow(std::string_view elem, std::string_view between = "") {
  std::string tile = str("x64x", elem, ">"), matrix = str("memref<?x?x", elem, ">");
  return str("kernel @k(%A: ", matrix, ", %R: ", matrix, ", %C: ", matrix, ") grid (%i = 0 to dim(%C, 0) step 4) {\n",
             "  %ta = init_tile %A[%i, 0] -> tile<4", tile, "\n  %tr = init_tile %R[0, 0] -> tile<1", tile,
             "\n  %a = load_tile %ta\n  %r = load_tile %tr\n  %rows = broadcast %r [0] -> vector<4", tile, "\n", between,
             "  %tc = init_tile %C[%i, 0] -> tile<4", tile, "\n  store_tile (%a + %rows), %tc\n}\n");
}

TEST(InPlaceLoad, OneStoreReadsIt) {
  TextKernel text(addingRow("f32"));
  for (int64_t rows : {4, 1}) {
    const Op *reader = readerOfLoad(text, rows);
    ASSERT_TRUE(reader) << rows;
    EXPECT_EQ(reader->kind(), OpKind::StoreTile);
  }
}

TEST(InPlaceLoad, NotWhatIsWrittenInBetweenOrReadByMore) {
  TextKernel written(addingRow("f32", "  %t0 = init_tile %C[0, 0] -> tile<1x64xf32>\n  store_tile %r, %t0\n"));
  for (int64_t rows : {4, 1}) EXPECT_FALSE(readerOfLoad(written, rows)) << rows;
  TextKernel later(
      addingRow("f32", "  %t0 = init_tile %C[0, 0] -> tile<4x64xf32>\n  for %j = 0 to 2 {\n    store_tile %a, %t0\n  }\n"));
  EXPECT_FALSE(readerOfLoad(later, 4));
  TextKernel product("kernel @k(%A: memref<?x?xf32>, %C: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> tile<16x16xf32>\n  "
                     "%a = load_tile %ta\n"
                     "  %zero = constant 0.0 : vector<16x16xf32>\n  %c = tile_mma %a, %a, %zero\n  %tc = init_tile %C[0, 0] -> "
                     "tile<16x16xf32>\n  store_tile %c, %tc\n}\n");
  EXPECT_FALSE(readerOfLoad(product, 16)); // the product reads a buffer without a loop
  Array a(Elem::F32, {16, 16}), c(Elem::F32, {16, 16});
  a.forEach([&](const std::vector<int64_t> &index) { a.set(index, static_cast<double>(index[0] % 5 - index[1] % 3)); });
  product.expectAsInterpreter({&a, &c});
}

// Elements out of bounds of a smaller matrix are 0.
TEST(InPlaceLoad, InsideAndAtEdges) {
  for (const char *elem : {"f32", "f16", "bf16", "f64", "i8"})
    for (int64_t columns : {64, 61, 130})
      for (int64_t rows : {12, 9}) {
        SCOPED_TRACE(str(elem, " ", rows, "x", columns));
        TextKernel text(addingRow(elem));
        Elem type = text.kernel().param(0)->type().elem();
        Array a(type, {rows, columns}), r(type, {1, columns}), c(type, {12, 64});
        RandomNumbers random(static_cast<uint64_t>(rows * columns));
        for (Array *array : {&a, &r, &c}) random.fill(*array, true);
        text.expectAsInterpreter({&a, &r, &c});
      }
}

// Runs the kernel on three matrices that begin at these elements of one block of memory.
void expectAsInterpreterWithin(TextKernel &text, const std::vector<int64_t> &begins) {
  SCOPED_TRACE(join(begins, ", "));
  std::vector<float> start(4096);
  for (size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i % 97);
  auto args = [&](std::vector<float> &memory) {
    std::vector<LaunchArg> list(3);
    for (size_t i = 0; i < list.size(); ++i) {
      list[i].kind = LaunchArg::Kind::Buffer;
      list[i].buffer = {memory.data() + begins[i], Elem::F32, {i == 1 ? 1 : 8, 64}, {64, 1}};
    }
    return list;
  };
  std::vector<float> expected = start;
  std::vector<GridRange> grid = *computeGrid(text.kernel(), args(expected));
  ASSERT_TRUE(interpret(text.kernel(), args(expected), grid, {}).ok());
  for (const CpuInfo &cpu : processors()) {
    std::vector<float> got = start;
    Diagnostics diagnostics;
    CompileOptions inOrder; // one thread: workgroups overwrite what later ones read
    inOrder.threads = 1;
    auto made = compileForCpu(text.module(), cpu, inOrder, diagnostics);
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE((*made)->launch(text.kernel(), args(got), grid).ok());
    EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0) << cpu.name;
  }
}

TEST(InPlaceLoad, OfWhatTheStoreOverwrites) {
  TextKernel text(addingRow("f32"));
  for (int64_t of : {0, 16, 64, 100, 256, 500, 512, 600}) { // the ranges of a and c overlap, from either side
    expectAsInterpreterWithin(text, {1024 + of, 0, 1024});
    expectAsInterpreterWithin(text, {1024, 0, 1024 + of});
    expectAsInterpreterWithin(text, {2048, 1024 + of, 1024});
  }
}

// The number of rows means "no bound", and the size in bytes overflows.
TEST(InPlaceLoad, OfAShapeWithoutBound) {
  for (const char *rows : {"4611686018427387904", "9223372036854775807"}) {
    TextKernel text(str("kernel @k(%p: i64) {\n  %q = %p + 256\n  %tc = init_tile %p[2, 0], [", rows,
                        ", 64], [64, 1] : i64 -> tile<4x64xf32>\n",
                        "  %ta = init_tile %q[0, 0], [8, 64], [64, 1] : i64 -> tile<4x64xf32>\n  %a = load_tile %ta\n  "
                        "store_tile %a, %tc\n}\n"));
    std::vector<float> memory(16 * 64), expected;
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
    expected = memory;
    std::copy_n(memory.begin() + 64, 4 * 64, expected.begin() + 2 * 64);
    LaunchArg address;
    address.integer = static_cast<int64_t>(reinterpret_cast<intptr_t>(memory.data()));
    Diagnostics diagnostics;
    auto made = cpuTarget().compile(text.module(), {}, diagnostics);
    ASSERT_TRUE(made.ok());
    ASSERT_TRUE((*made)->launch(text.kernel(), {address}, {}).ok());
    EXPECT_EQ(memory, expected) << rows;
  }
}

std::string codeOf(const std::string &source, const std::string &processor = "host") {
  TextKernel text(source);
  Diagnostics diagnostics;
  Result<std::string> code = emit(text.module(), EmitKind::Llvm, {processor}, diagnostics);
  EXPECT_TRUE(code.ok());
  return code.ok() ? *code : "";
}

// exp takes most of the time, so that the loop that loads and finds the maximum does not prefetch.
TEST(LoadAhead, ByTheLoopThatComputes) {
  std::string code =
      codeOf("kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0)) {\n"
             "  %tx = init_tile %X[%i, 0] -> tile<1x4096xf32>\n  %x = load_tile %tx\n  %max = reduction <maximumf> %x [1]\n"
             "  %m = broadcast %max [1] -> vector<1x4096xf32>\n  %ty = init_tile %Y[%i, 0] -> tile<1x4096xf32>\n"
             "  store_tile (exp(%x - %m)), %ty\n}\n");
  size_t place = code.find("call void @llvm.prefetch"), reduces = code.find("call i32 @llvm.vector.reduce.smax");
  ASSERT_NE(place, std::string::npos);
  ASSERT_NE(reduces, std::string::npos);
  EXPECT_LT(reduces, place);
  EXPECT_EQ(code.find("call void @llvm.prefetch", place + 1), std::string::npos);
}

constexpr const char *kLargestOfRows =
    "kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0)) {\n"
    "  %tx = init_tile %X[%i, 0] -> tile<1x4096xf32>\n  %x = load_tile %tx\n  %max = reduction <maximumf> %x [1]\n"
    "  %ty = init_tile %Y[%i, 0] -> tile<1x1xf32>\n  store_tile %max, %ty\n}\n";

// A product that is not in a nest prefetches the tile that its next step reads in place, unless the hardware does so.
TEST(LoadAhead, OfWhatProductsReadInPlace) {
  const char *kernel =
      "kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) grid (%i = 0 to dim(%A, 0) step 32) {\n"
      "  %ta = init_tile %A[%i, 0] -> tile<32x64xf32>\n  %a = load_tile %ta\n"
      "  %tb = init_tile %B[0, 0] -> tile<64x64xf32>\n  %acc = constant 0.0 : vector<32x64xf32>\n"
      "  for %k = 0 to dim(%B, 0) step 64 {\n    %b = load_tile %tb\n    %acc = tile_mma (exp(%a)), %b, (%acc * 0.5)\n"
      "    %tb = update_tile_offset %tb, 64, 0\n  }\n"
      "  %tc = init_tile %C[%i, 0] -> tile<32x64xf32>\n  store_tile %acc, %tc\n}\n";
  auto prefetches = [&](const char *processor) {
    std::string code = codeOf(kernel, processor);
    int count = 0;
    for (size_t at = code.find("call void @llvm.prefetch"); at != std::string::npos;
         at = code.find("call void @llvm.prefetch", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(prefetches("znver4"), 2); // whether it is read in place or copied
  EXPECT_EQ(prefetches("x86-64-v3"), 2);
  EXPECT_EQ(prefetches("znver5"), 1);
}

// If no other loop reads the tile, the loop that loads it prefetches.
TEST(LoadAhead, ByTheLoopThatLoads) { EXPECT_NE(codeOf(kLargestOfRows).find("call void @llvm.prefetch"), std::string::npos); }

// In llvm.prefetch, the locality 3 is prefetcht0 and 2 is prefetcht1.
TEST(LoadAhead, IntoTheCacheThatTheProcessorPrefers) {
  auto prefetches = [](const char *processor, const char *locality) {
    std::string code = codeOf(kLargestOfRows, processor);
    size_t at = code.find("call void @llvm.prefetch");
    return at != std::string::npos && code.substr(at, code.find('\n', at) - at).find(locality) != std::string::npos;
  };
  EXPECT_TRUE(prefetches("znver5", "i32 0, i32 3, i32 1"));
  for (const char *processor : {"znver4", "x86-64-v3", "sapphirerapids"})
    EXPECT_TRUE(prefetches(processor, "i32 0, i32 2, i32 1")) << processor;
}

} // namespace
} // namespace xt
