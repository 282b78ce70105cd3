// Tests that for wide tiles, the output of the passes of each GPU and the memory that they allocate grow at most linearly with
// the tile. The tests count ops and bytes for each pass, and instructions, blocks and bytes for code generation, so that they
// do not depend on the machine.
#include "ir/base/text.h"
#include "ir/gpu/subgroup_size.h"
#include "lang/lower/lower.h"
#include "passes/facts.h"
#include "passes/lane_layouts.h"
#include "passes/pass_manager.h"
#include "passes/pipelines.h"
#include "targets/xe/emit/kernel_module.h"
#include "tests/targets/growth/allocated.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace xt::test {
namespace {

struct Shape {
  const char *name;
  std::string (*text)(int64_t columns);
  int64_t widest; // columns of the widest tile; tiles of half and a quarter of it are compiled too
};

std::string copied(int64_t columns) {
  std::string tile = str("tile<4x", columns, "xf32>");
  return str("kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) {\n  %tx = init_tile %X[0, 0] -> ", tile,
             "\n  %ty = init_tile %Y[0, 0] -> ", tile, "\n  %x = load_tile %tx\n  store_tile %x, %ty\n}\n");
}

// Returns a kernel whose loop carries tiles, with loads, a row that is broadcast to all rows, and stores.
std::string scaled(int64_t columns) {
  std::string tile = str("tile<4x", columns, "xf32>"), row = str("tile<1x", columns, "xf32>");
  return str(
      "kernel @k(%X: memref<?x?xf32>, %g: memref<1x?xf32>, %Y: memref<?x?xf32>) {\n  %tx = init_tile %X[0, 0] -> ", tile,
      "\n  %tg = init_tile %g[0, 0] -> ", row, "\n  %ty = init_tile %Y[0, 0] -> ", tile, "\n  for %j = 0 to dim(%X, 1) step ",
      columns, " {\n    %x = load_tile %tx\n    %a = load_tile %tg\n    %b = broadcast %a [0] -> vector<4x", columns,
      "xf32>\n    store_tile (%x * %b), %ty\n    %tx = update_tile_offset %tx, 0, ", columns,
      "\n    %tg = update_tile_offset %tg, 0, ", columns, "\n    %ty = update_tile_offset %ty, 0, ", columns, "\n  }\n}\n");
}

std::string turned(int64_t columns) {
  return str("kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) {\n  %tx = init_tile %X[0, 0] -> tile<4x", columns,
             "xf32>\n  %ty = init_tile %Y[0, 0] -> tile<", columns,
             "x4xf32>\n  %x = load_tile %tx\n  %t = transpose (%x * %x) [1, 0]\n  store_tile %t, %ty\n}\n");
}

std::string softmax(int64_t columns) {
  std::string tile = str("tile<4x", columns, "xf32>"), vector = str("vector<4x", columns, "xf32>");
  return str("kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) {\n  %tx = init_tile %X[0, 0] -> ", tile,
             "\n  %ty = init_tile %Y[0, 0] -> ", tile,
             "\n  %x = load_tile %tx\n  %m = reduction <maximumf> %x [1]\n  %mb = broadcast %m [1] -> ", vector,
             "\n  %e = exp(%x - %mb)\n  %s = reduction <add> %e [1]\n  %sb = broadcast %s [1] -> ", vector,
             "\n  store_tile (%e / %sb), %ty\n}\n");
}

// A scan combines each element with log2(columns) others, a few ops for each of its registers at every step.
std::string scanned(int64_t columns) {
  std::string tile = str("tile<4x", columns, "xf32>");
  return str("kernel @k(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) {\n  %tx = init_tile %X[0, 0] -> ", tile,
             "\n  %ty = init_tile %Y[0, 0] -> ", tile,
             "\n  %x = load_tile %tx\n  %s = scan <add> %x [1]\n  store_tile %s, %ty\n}\n");
}

std::string multiplied(int64_t columns) {
  return str("kernel @k(%A: memref<?x?xf16>, %B: memref<?x?xf16>, %C: memref<?x?xf32>) {\n  %ta = init_tile %A[0, 0] -> "
             "tile<8x32xf16>\n"
             "  %tb = init_tile %B[0, 0] -> tile<32x",
             columns, "xf16>\n  %tc = init_tile %C[0, 0] -> tile<8x", columns, "xf32>\n  %acc = constant 0.0 : vector<8x",
             columns,
             "xf32>\n  for %k = 0 to dim(%A, 1) step 32 {\n    %a = load_tile %ta\n    %b = load_tile %tb\n"
             "    %acc = tile_mma %a, %b, %acc\n    %ta = update_tile_offset %ta, 0, 32\n    %tb = update_tile_offset %tb, 32, "
             "0\n  }\n  store_tile %acc, %tc\n}\n");
}

const Shape kShapes[] = {{"copied", copied, 8192},   {"scaled", scaled, 8192},   {"turned", turned, 4096},
                         {"softmax", softmax, 8192}, {"scanned", scanned, 2048}, {"multiplied", multiplied, 1024}};

using Counts = std::map<std::string, double>; // counts by name

class WideTiles : public testing::TestWithParam<std::tuple<size_t, std::string_view>> {
protected:
  const Shape &shape() const { return kShapes[std::get<0>(GetParam())]; }
  const TargetInfo &target() const { return *findTargetInfo(std::get<1>(GetParam())); }

  Counts compile(int64_t columns) {
    Counts counts;
    SourceManager sources;
    Diagnostics diagnostics;
    Context context;
    auto lowered = lowerFile(sources, sources.add("wide.xt", shape().text(columns)), context, {}, diagnostics);
    EXPECT_TRUE(lowered.ok()) << renderText(diagnostics, sources, false);
    if (!lowered) return counts;
    Module &module = **lowered;
    for (size_t i = 0; i < kLanePipeline.size(); ++i) {
      const PassInfo *pass = &passInfo(kLanePipeline[i]);
      if (kLanePipeline[i] == PassKind::DistributeToLanes) {
        Kernel &kernel = *module.kernels[0];
        counts["ops that lane_layouts looks at"] =
            static_cast<double>(LaneLayouts(kernel, context, target(), subgroupSizeFor(target(), kernel)).visited());
      }
      PassOptions options;
      options.target = &target();
      options.verifyEach = false;
      size_t before = allocatedBytes;
      EXPECT_TRUE(runPasses(module, {&pass, 1}, options, diagnostics).ok()) << renderText(diagnostics, sources, false);
      std::string name = str(i, " ", pass->name);
      counts[name + ": bytes"] = static_cast<double>(allocatedBytes - before);
      counts[name + ": ops"] = static_cast<double>(countOps(module));
    }
    emit(module, diagnostics, counts);
    return counts;
  }

private:
  void emit(const Module &module, Diagnostics &diagnostics, Counts &counts) {
    llvm::LLVMContext context;
    size_t before = allocatedBytes;
    Result<XeModule> made = emitXeModule(module, target(), {}, context, diagnostics);
    ASSERT_TRUE(made.ok());
    counts["code: bytes"] = static_cast<double>(allocatedBytes - before);
    counts["code: instructions"] = static_cast<double>(made->module->getInstructionCount());
    double blocks = 0;
    for (const llvm::Function &function : *made->module) blocks += static_cast<double>(function.size());
    counts["code: blocks"] = blocks;
  }
};

// The increase per added column must not grow by more than a tenth. The increase of bytes may grow by a half, because hash
// tables grow in steps, by factors that are not exactly two. With quadratic growth, an increase would double.
TEST_P(WideTiles, GrowLinearly) {
  int64_t widest = shape().widest;
  compile(widest / 8); // warms up: allocates what a process creates only once
  Counts quarter = compile(widest / 4), half = compile(widest / 2), whole = compile(widest);
  for (const auto &[name, count] : whole) {
    double first = half[name] - quarter[name], second = (count - half[name]) / 2;
    double most = name.ends_with("bytes") ? 1.5 : 1.1;
    EXPECT_LE(second, most * std::max(first, 0.0) + 64) << name << ": " << quarter[name] << ", " << half[name] << ", " << count;
  }
  std::printf("%.0f ops, %.0f instructions, %.0f blocks\n", whole[str(kLanePipeline.size() - 1, " sink-to-uses: ops")],
              whole["code: instructions"], whole["code: blocks"]);
}

std::string nameOf(const testing::TestParamInfo<WideTiles::ParamType> &of) {
  std::string name = str(kShapes[std::get<0>(of.param)].name, "_", std::get<1>(of.param));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kernels, WideTiles,
                         testing::Combine(testing::Range(size_t{0}, std::size(kShapes)),
                                          testing::Values("xe-pvc", "xe-bmg", "xe-dg2", "spirv", "spirv-coop")),
                         nameOf);

} // namespace
} // namespace xt::test
