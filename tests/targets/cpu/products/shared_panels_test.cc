// Tests panels that are packed once for all workgroups: the results are the same, also if B is overwritten and if parameters
// overlap.
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/tile_source.h"
#include "targets/cpu/emit.h"
#include "targets/cpu/module/kernel_module.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "tests/targets/cpu/text_kernel.h"

#include <regex>

namespace xt {
namespace {

// Returns a kernel that computes c = a b^T in blocks of 32 rows, with a K of `depth`. `more` is inserted before the loads,
// `between` before the product.
std::string transposedProduct(std::string_view elem, std::string_view sum, int depth, std::string_view more = "",
                              std::string_view parameters = "", std::string_view between = "") {
  return str("kernel @k(%A: memref<?x?x", elem, ">, %B: memref<?x?x", elem, ">, %C: memref<?x?x", sum, ">", parameters,
             ") grid (%i = 0 to dim(%C, 0) step 32, %j = 0 to dim(%C, 1) step 64) {\n  %ta = init_tile %A[%i, 0] -> tile<32x",
             depth, "x", elem, ">\n  %tb = init_tile %B[%j, 0] -> tile<64x", depth, "x", elem, ">\n", more,
             "  %a = load_tile %ta\n  %b = load_tile %tb {transpose = [1, 0]}\n", between,
             "  %c = tile_mma %a, %b : vector<32x64x", sum, ">\n  %tc = init_tile %C[%i, %j] -> tile<32x64x", sum,
             ">\n  store_tile %c, %tc\n}\n");
}

bool takesPanels(TextKernel &text) {
  Diagnostics diagnostics;
  Result<std::string> code = emit(text.module(), EmitKind::Llvm, {"x86-64-v4"}, diagnostics);
  EXPECT_TRUE(code.ok());
  return code->find(kPanelTakeSymbol) != std::string::npos;
}

std::vector<bool> sharedDims(TextKernel &text) {
  llvm::LLVMContext context;
  Diagnostics diagnostics;
  auto emitted = emitKernels(text.module(), *cpuInfo("x86-64-v4"), context, diagnostics);
  EXPECT_TRUE(emitted.ok());
  return emitted->kernels[0].output.sharedDims;
}

void fillSmall(const std::vector<Array *> &arrays) {
  RandomNumbers random(11);
  for (Array *array : arrays) random.fill(*array, true);
}

TEST(SharedPanels, AllTypesAndEdges) {
  struct Types {
    const char *elem, *sum;
  };
  for (Types types : {Types{"f32", "f32"}, {"f16", "f32"}, {"bf16", "f32"}, {"i8", "i32"}, {"f64", "f64"}})
    for (int64_t columns : {128, 70}) {
      SCOPED_TRACE(str(types.elem, " ", columns));
      TextKernel text(transposedProduct(types.elem, types.sum, 128));
      EXPECT_TRUE(takesPanels(text));
      Elem elem = text.kernel().param(0)->type().elem(), sum = text.kernel().param(2)->type().elem();
      Array a(elem, {100, 120}), b(elem, {columns, 120}), c(sum, {100, columns});
      fillSmall({&a, &b});
      text.expectAsInterpreter({&a, &b, &c}, {}, 1);
      text.expectAsInterpreter({&a, &b, &c}, {}, 4);
    }
}

// Returns a kernel with a nest, in workgroups of `rows` rows.
std::string productNest(std::string_view elem, int rows = 64) {
  std::string sums = str(rows, "x64xf32");
  return str(
      "kernel @k(%A: memref<?x?x", elem, ">, %B: memref<?x?x", elem, ">, %C: memref<?x?xf32>)\n",
      "    grid (%i = 0 to dim(%C, 0) step ", rows, ", %j = 0 to dim(%C, 1) step 64) {\n",
      "  %ta = init_tile %A[%i, 0] -> tile<", rows, "x32x", elem, ">\n  %tb = init_tile %B[0, %j] -> tile<32x64x", elem, ">\n",
      "  %c = constant 0.0 : vector<", sums, ">\n",
      "  for %k = 0 to dim(%A, 1) step 32 {\n    %a = load_tile %ta\n    %b = load_tile %tb\n    %c = tile_mma %a, %b, %c\n"
      "    %ta = update_tile_offset %ta, 0, 32\n    %tb = update_tile_offset %tb, 32, 0\n  }\n",
      "  %tc = init_tile %C[%i, %j] -> tile<", sums, ">\n  store_tile %c, %tc\n}\n");
}

// The panels of a nest may be shared within one thread only, depending on the workgroups and threads of the launch. Panels of
// AMX and of a tile_mma are shared by all threads.
TEST(SharedPanels, MayBeOfOneThread) {
  auto isOwn = [](const std::string &words, std::string_view cpu) {
    TextKernel text(words);
    Diagnostics diagnostics;
    std::string code = *emit(text.module(), EmitKind::Llvm, {std::string(cpu)}, diagnostics);
    std::smatch call;
    EXPECT_TRUE(
        std::regex_search(code, call, std::regex(str("call [^\n]*@", kPanelTakeSymbol, "\\((?:[^,]*, ){4}i64 ([^,]*),"))));
    return call[1].str();
  };
  EXPECT_EQ(isOwn(productNest("f32"), "x86-64-v4").substr(0, 1), "%");
  EXPECT_EQ(isOwn(productNest("bf16"), "x86-64-v4").substr(0, 1), "%");
  EXPECT_EQ(isOwn(productNest("bf16"), "sapphirerapids"), "0");
  EXPECT_EQ(isOwn(transposedProduct("f32", "f32", 128), "x86-64-v4"), "0");
}

// sharedDims says that panels depend on the columns only, so the launcher runs workgroups with the same columns on one thread.
TEST(SharedPanels, SayOnWhichDimensionsTheyDepend) {
  const std::vector<bool> columns{false, true};
  TextKernel transposed(transposedProduct("f32", "f32", 128));
  EXPECT_EQ(sharedDims(transposed), columns);
  TextKernel nest(productNest("f32"));
  EXPECT_EQ(sharedDims(nest), columns);
  TextKernel small(productNest("f32", 8)); // a separate call for each of these workgroups would take longer
  EXPECT_TRUE(takesPanels(small));
  EXPECT_TRUE(sharedDims(small).empty());
  TextKernel none("kernel @k(%A: memref<?x?xf32>, %C: memref<?x?xf32>) grid (%i = 0 to dim(%C, 0) step 64) {\n  %ta = "
                  "init_tile %A[%i, 0] -> tile<64x64xf32>\n"
                  "  %a = load_tile %ta\n  %tc = init_tile %C[%i, 0] -> tile<64x64xf32>\n  store_tile %a, %tc\n}\n");
  EXPECT_TRUE(sharedDims(none).empty());
}

// Each launch reads memory again, because the data may have changed.
TEST(SharedPanels, AnotherLaunchOtherData) {
  TextKernel text(transposedProduct("f32", "f32", 128));
  Array a(Elem::F32, {96, 128}), b(Elem::F32, {64, 128});
  for (double value : {1.0, 3.0}) {
    a.forEach([&](const std::vector<int64_t> &at) { a.set(at, 1); });
    b.forEach([&](const std::vector<int64_t> &at) { b.set(at, value); });
    Array c(Elem::F32, {96, 64});
    ASSERT_TRUE(text.launch({&a, &b, &c}).ok);
    c.forEach([&](const std::vector<int64_t> &at) { EXPECT_EQ(c.number(at), 128 * value); });
  }
}

TEST(SharedPanels, NotWhereItMayBeWritten) {
  const std::string store = "  %t0 = init_tile %B[0, 0] -> tile<32x128xf32>\n  %old = load_tile %ta\n  store_tile %old, %t0\n";
  TextKernel written(transposedProduct("f32", "f32", 128, store));
  EXPECT_FALSE(takesPanels(written));
  TextKernel element(transposedProduct("f32", "f32", 128, "  memref.store 1.0, %D[0]\n", ", %D: memref<?xf32>"));
  EXPECT_FALSE(takesPanels(element));
  TextKernel small(transposedProduct("f32", "f32", 16));
  EXPECT_FALSE(takesPanels(small));
  TextKernel own("kernel @k(%A: memref<?x?xf32>, %C: memref<?x?xf32>) grid (%i = 0 to dim(%C, 0) step 64) {\n  %ta = init_tile "
                 "%A[%i, 0] -> tile<64x64xf32>\n"
                 "  %a = load_tile %ta\n  %b = load_tile %ta {transpose = [1, 0]}\n  %c = tile_mma %a, %b : vector<64x64xf32>\n"
                 "  %tc = init_tile %C[%i, 0] -> tile<64x64xf32>\n  store_tile %c, %tc\n}\n");
  EXPECT_FALSE(takesPanels(own)); // each workgroup has a different B
}

// B must be read at its load, because the store that follows overwrites B if the launch passes it as %D.
TEST(SharedPanels, NotBehindStores) {
  const std::string seven = "  %z = constant 7.0 : vector<64x64xf32>\n  %td = init_tile %D[0, 0] -> tile<64x64xf32>\n";
  for (const std::string &store :
       {seven + "  store_tile %z, %td\n", seven + "  for %n = 0 to 2 {\n    store_tile %z, %td\n  }\n"}) {
    TextKernel text(transposedProduct("f32", "f32", 64, "", ", %D: memref<?x?xf32>", store));
    EXPECT_FALSE(takesPanels(text));
    Array a(Elem::F32, {32, 64}), b(Elem::F32, {64, 64}), c(Elem::F32, {32, 64});
    a.forEach([&](const std::vector<int64_t> &at) { a.set(at, at[0] == at[1] ? 1 : 0); });
    b.forEach([&](const std::vector<int64_t> &at) { b.set(at, static_cast<double>(at[0] * 64 + at[1])); });
    ASSERT_TRUE(text.launch({&a, &b, &c, &b}).ok);
    c.forEach([&](const std::vector<int64_t> &at) { EXPECT_EQ(c.number(at), static_cast<double>(at[1] * 64 + at[0])); });
  }
}

// A loop moves over the blocks of one of several matrices, and the same block is used twice, transposed and plain.
TEST(SharedPanels, LoopsAndPlaces) {
  TextKernel text("kernel @k(%A: memref<?x?xbf16>, %B: memref<?x?x?xbf16>, %C: memref<?x?x?xf32>) grid (%h = 0 to dim(%C, 0), "
                  "%i = 0 to dim(%C, 1) step 32) {\n"
                  "  %ta = init_tile %A[%i, 0] -> tile<32x64xbf16>\n  %tb = init_tile %B[%h, 0, 0] -> tile<64x64xbf16>\n  %a = "
                  "load_tile %ta\n"
                  "  %s = constant 0.0 : vector<32x64xf32>\n  for %n = 0 to dim(%B, 1) step 64 {\n    %bt = load_tile %tb "
                  "{transpose = [1, 0]}\n"
                  "    %p = tile_mma %a, %bt : vector<32x64xf32>\n    %e = %p * %p\n    %b = load_tile %tb\n    %q = tile_mma "
                  "%a, %b : vector<32x64xf32>\n"
                  "    %s = (%s + %e) - %q\n    %tb = update_tile_offset %tb, 64, 0\n  }\n"
                  "  %tc = init_tile %C[%h, %i, 0] -> tile<32x64xf32>\n  store_tile %s, %tc\n}\n");
  EXPECT_TRUE(takesPanels(text));
  Array a(Elem::BF16, {90, 64}), b(Elem::BF16, {3, 150, 64}), c(Elem::F32, {3, 90, 64});
  fillSmall({&a, &b});
  for (int threads : {1, 4}) text.expectAsInterpreter({&a, &b, &c}, {}, threads);
}

TEST(SharedPanels, AreRemarked) {
  for (int depth : {128, 16}) {
    TextKernel text(transposedProduct("bf16", "f32", depth));
    Diagnostics diagnostics;
    ASSERT_TRUE(emit(text.module(), EmitKind::Llvm, {"x86-64-v4"}, diagnostics).ok());
    bool told = false;
    for (const Diagnostic &remark : diagnostics.all())
      for (const auto &label : remark.labels) told |= label.text.find("by the first workgroup") != std::string::npos;
    EXPECT_EQ(told, depth == 128);
  }
}

// The second workgroup reads what the first one has stored: B and C are the same memory, which only the launch can detect.
TEST(SharedPanels, NotWhereParametersOverlap) {
  TextKernel text(transposedProduct("f32", "f32", 64));
  ASSERT_TRUE(takesPanels(text));
  Array a(Elem::F32, {64, 64}), b(Elem::F32, {64, 64});
  a.forEach([&](const std::vector<int64_t> &at) { a.set(at, at[0] == at[1] ? 2 : 0); });
  b.forEach([&](const std::vector<int64_t> &at) { b.set(at, static_cast<double>(at[0] * 64 + at[1])); });
  ASSERT_TRUE(text.launch({&a, &b, &b}).ok);
  // Rows below 32 are twice b^T. Later rows are computed from the contents of B after that.
  auto first = [](int64_t row, int64_t column) { return 2.0 * static_cast<double>(column * 64 + row); };
  b.forEach([&](const std::vector<int64_t> &at) {
    double expected = first(at[0], at[1]);
    if (at[0] >= 32) expected = at[1] < 32 ? 2 * first(at[1], at[0]) : expected;
    EXPECT_EQ(b.number(at), expected) << at[0] << " " << at[1];
  });
}

TEST(ApartBits, EachPairHasItsOwn) {
  std::set<unsigned> seen;
  for (size_t i = 0; i < kApartMemRefs; ++i)
    for (size_t j = 0; j < i; ++j) {
      ASSERT_TRUE(apartBit(i, j));
      EXPECT_EQ(apartBit(i, j), apartBit(j, i));
      EXPECT_TRUE(seen.insert(*apartBit(i, j)).second);
      EXPECT_LT(*apartBit(i, j), 64u);
    }
  EXPECT_FALSE(apartBit(0, kApartMemRefs));
  EXPECT_FALSE(apartBit(2, 2));
}

// Pairs with an array after the eleventh have no bit, so the kernel compares them itself.
TEST(ApartBits, MoreArraysThanBits) {
  std::string parameters;
  for (int i = 3; i < 14; ++i) parameters += str(", %P", i, ": memref<?x?xf32>");
  const std::string use =
      "  %t13 = init_tile %P13[%i, 0] -> tile<32x64xf32>\n  %p13 = load_tile %t13 {transpose = [1, 0]}\n"
      "  %back = transpose %p13 [1, 0]\n  %tp = init_tile %P12[%i, %j] -> tile<32x64xf32>\n  store_tile %back, %tp\n";
  TextKernel text(transposedProduct("f32", "f32", 64, use, parameters));
  EXPECT_TRUE(takesPanels(text));
  std::vector<std::unique_ptr<Array>> arrays;
  std::vector<Array *> all;
  for (int i = 0; i < 14; ++i)
    arrays.push_back(std::make_unique<Array>(Elem::F32, std::vector<int64_t>{64, 64})), all.push_back(arrays.back().get());
  fillSmall(all);
  text.expectAsInterpreter(all, {}, 1);
  all[12] = all[1]; // the first workgroup overwrites B
  ASSERT_TRUE(text.launch(all).ok);
  // The first workgroup has stored one half of the matrix by which the second one multiplies; the second one has stored the
  // other half.
  all[2]->forEach([&](const std::vector<int64_t> &at) {
    if (at[0] < 32) return;
    double sum = 0;
    for (int64_t k = 0; k < 64; ++k) sum += all[0]->number({at[0], k}) * all[13]->number({at[1], k});
    EXPECT_NEAR(all[2]->number(at), sum, 1e-3) << at[0] << " " << at[1];
  });
}

const Op *lastOf(TextKernel &text, OpKind kind) {
  const Op *found = nullptr;
  walk(text.kernel().body, [&](Op &op) {
    if (op.kind() == kind) found = &op;
  });
  return found;
}

std::string loopText(std::string_view next, std::string_view second) {
  return str("kernel @k(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>, %n: index) grid (%i = 0 to dim(%C, 0) "
             "step 16, %j = 0 to 8) {\n"
             "  %ta = init_tile %A[%i, 0] -> tile<16x16xf32>\n  %tb = init_tile ",
             second,
             "[%j, 0] -> tile<16x16xf32>\n"
             "  %s = constant 0.0 : vector<16x16xf32>\n  for %k = 0 to %n {\n    %a = load_tile %ta\n    %s = (%s + %a)\n",
             next, "  }\n  %tc = init_tile %C[%i, 0] -> tile<16x16xf32>\n  store_tile %s, %tc\n}\n");
}

TEST(TileSource, ThroughLoops) {
  TextKernel moved(loopText("    %ta = update_tile_offset %ta, 0, 16\n", "%B"));
  const Op *load = lastOf(moved, OpKind::LoadTile);
  ASSERT_TRUE(load);
  EXPECT_EQ(parameterBehind(moved.kernel(), load->operand(0)), moved.kernel().param(0));
  std::vector<bool> dims(2);
  EXPECT_TRUE(collectGridDims(moved.kernel(), load->operand(0), dims));
  EXPECT_EQ(dims, std::vector<bool>({true, false}));
  // In this loop, two tiles swap their roles.
  const char *swap = "    %old = update_tile_offset %ta, 0, 0\n    %ta = update_tile_offset %tb, 0, 0\n    %tb = "
                     "update_tile_offset %old, 0, 0\n";
  TextKernel other(loopText(swap, "%B")), same(loopText(swap, "%A"));
  EXPECT_EQ(parameterBehind(other.kernel(), lastOf(other, OpKind::LoadTile)->operand(0)), nullptr);
  EXPECT_EQ(parameterBehind(same.kernel(), lastOf(same, OpKind::LoadTile)->operand(0)), same.kernel().param(0));
  std::vector<bool> both(2);
  EXPECT_TRUE(collectGridDims(same.kernel(), lastOf(same, OpKind::LoadTile)->operand(0), both));
  EXPECT_EQ(both, std::vector<bool>({true, true}));
}

TEST(TileSource, NotOfWhatIsLoaded) {
  TextKernel loaded("kernel @k(%A: memref<?x?xf32>, %I: memref<?xindex>, %C: memref<?x?xf32>) {\n  %at = memref.load %I[0]\n"
                    "  %ta = init_tile %A[%at, 0] -> tile<16x16xf32>\n  %a = load_tile %ta\n  %tc = init_tile %C[0, 0] -> "
                    "tile<16x16xf32>\n  store_tile %a, %tc\n}\n");
  std::vector<bool> dims;
  EXPECT_FALSE(collectGridDims(loaded.kernel(), lastOf(loaded, OpKind::LoadTile)->operand(0), dims));
  EXPECT_EQ(parameterBehind(loaded.kernel(), lastOf(loaded, OpKind::LoadTile)->operand(0)), loaded.kernel().param(0));
}

} // namespace
} // namespace xt
