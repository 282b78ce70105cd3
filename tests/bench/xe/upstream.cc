#include "tests/bench/xe/upstream.h"

#include "ir/base/output_file.h"
#include "ir/base/text.h"
#include "targets/xe/isa/offline_compiler.h"
#include "tests/targets/xe/isa/shim.h"

#include <fstream>
#include <sstream>

namespace xt::bench {
namespace {

// The passes of gpu-lower-to-xevm-pipeline with xegpu-op-level=workgroup, as printed by mlir-opt 22 (--dump-pass-pipeline),
// without the last one, which generates a binary within the process.
constexpr const char *kPipeline =
    "builtin.module(cse,convert-vector-to-scf{target-rank=1},xevm-attach-target{O=2 chip=pvc triple=spirv64-unknown-unknown},"
    "lower-affine,func.func(gpu-async-region),gpu.module(xegpu-wg-to-sg-distribute,cse,xegpu-propagate-layout{layout-kind=inst}"
    ","
    "xegpu-blocking,canonicalize,cse,xegpu-propagate-layout{layout-kind=lane},xegpu-subgroup-distribute,canonicalize,cse,"
    "loop-invariant-code-motion,cse,xegpu-vector-linearize,convert-math-to-xevm{convert-arith=true},convert-xegpu-to-xevm,"
    "convert-gpu-to-llvm-spv{use-64bit-index=true},cse,reconcile-unrealized-casts),convert-scf-to-cf,expand-strided-metadata,"
    "gpu-to-llvm,lower-affine,convert-vector-to-llvm,convert-to-llvm,reconcile-unrealized-casts,gpu.module(canonicalize,cse))";

constexpr const char *kText = R"(#a = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 32], inst_data = [8, INST]>
#b = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 64], inst_data = [INST, 16]>
#c = #xegpu.layout<sg_layout = [8, 4], sg_data = [32, 64], inst_data = [8, 16]>
#ap = #xegpu.layout<sg_layout = [32, 1], sg_data = [8, 32], inst_data = [8, INST]>
#bp = #xegpu.layout<sg_layout = [4, 8], sg_data = [8, 32], inst_data = [8, INST]>
module @gemm attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @gemm_wg(%A: memref<4096x4096xELEM>, %B: memref<4096x4096xELEM>, %C: memref<4096x4096xSUM>) kernel attributes {known_block_size = array<i32: 64, 8, 1>} {
      %zero = arith.constant 0 : index
      %depth = arith.constant 32 : index
      %ahead = arith.constant 96 : index
      %side = arith.constant 256 : index
      %all = arith.constant 4096 : index
      %x = gpu.block_id x
      %y = gpu.block_id y
      %m = arith.muli %x, %side : index
      %n = arith.muli %y, %side : index
      %tc = xegpu.create_nd_tdesc %C : memref<4096x4096xSUM> -> !xegpu.tensor_desc<256x256xSUM, #c>
      %none = arith.constant {layout_result_0 = #c} dense<ZERO> : vector<256x256xSUM>
      %ta = xegpu.create_nd_tdesc %A : memref<4096x4096xELEM> -> !xegpu.tensor_desc<256x32xELEM, #a>
      %tb = xegpu.create_nd_tdesc %B : memref<4096x4096xELEM> -> !xegpu.tensor_desc<32x256xELEM, #b>
      %pa = xegpu.create_nd_tdesc %A : memref<4096x4096xELEM> -> !xegpu.tensor_desc<256x32xELEM, #ap>
      %pb = xegpu.create_nd_tdesc %B : memref<4096x4096xELEM> -> !xegpu.tensor_desc<32x256xELEM, #bp>
      %sum = scf.for %k = %zero to %all step %depth iter_args(%acc = %none) -> (vector<256x256xSUM>) {
        %a = xegpu.load_nd %ta[%m, %k] {layout = #a} : !xegpu.tensor_desc<256x32xELEM, #a> -> vector<256x32xELEM>
        %b = xegpu.load_nd %tb[%k, %n] {layout = #b} : !xegpu.tensor_desc<32x256xELEM, #b> -> vector<32x256xELEM>
PREFETCHES
        %next = xegpu.dpas %a, %b, %acc {layout_a = #a, layout_b = #b, layout_cd = #c} : vector<256x32xELEM>, vector<32x256xELEM>, vector<256x256xSUM> -> vector<256x256xSUM>
        scf.yield %next : vector<256x256xSUM>
      }
      xegpu.store_nd %sum, %tc[%m, %n] {layout = #c} : vector<256x256xSUM>, !xegpu.tensor_desc<256x256xSUM, #c>
      gpu.return
    }
  }
}
)";

constexpr const char *kPrefetches = R"(        %kp = arith.addi %k, %ahead : index
        xegpu.prefetch_nd %pa[%m, %kp] {layout = #ap} : !xegpu.tensor_desc<256x32xELEM, #ap>
        xegpu.prefetch_nd %pb[%kp, %n] {layout = #bp} : !xegpu.tensor_desc<32x256xELEM, #bp>)";

std::string contentsOf(const std::string &path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Result<void> execute(const Command &command, const ScratchDirectory &directory) {
  Result<ToolOutput> ran = runTool(command.program, command.package, command.arguments, {.directory = directory.path()});
  if (!ran.ok()) return ran.error();
  if (ran->status == 0) return {};
  return Error::environment(str(command.program, " refuses it: ", ran->output.substr(0, ran->output.find('\n'))));
}

// Requires a subgroup size of 16. Without this, Intel's compiler chooses 32 lanes, and spills.
std::string withSubgroupSize(std::string ir) {
  size_t kernel = ir.find("define spir_kernel"), body = kernel == std::string::npos ? kernel : ir.find(" {\n", kernel);
  if (body == std::string::npos) return ir;
  ir.insert(body, " !intel_reqd_sub_group_size !1000000");
  return ir + "\n!1000000 = !{i32 16}\n";
}

} // namespace

std::string upstreamText(const UpstreamGemm &gemm) {
  std::string text = kText;
  auto replace = [&](std::string_view what, std::string_view by) {
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
  };
  replace("PREFETCHES", gemm.prefetches ? kPrefetches : "");
  replace("ELEM", gemm.elem);
  replace("ZERO", gemm.sum == "i32" ? "0" : "0.0");
  replace("SUM", gemm.sum);
  replace("INST", std::to_string(gemm.instA));
  return text;
}

std::vector<Command> upstreamChain() {
  return {{"mlir-opt-22", "mlir-22-tools", {str("--pass-pipeline=", kPipeline), "gemm.mlir", "-o", "lowered.mlir"}},
          {"mlir-translate-22", "mlir-22-tools", {"--mlir-to-llvmir", "kernel.mlir", "-o", "kernel.ll"}},
          {"opt-22", "llvm-22", {"-O2", "-S", "kernel.ll", "-o", "optimised.ll"}},
          {"llc-22",
           "llvm-22",
           {"-O2", "-disable-lsr", "-mtriple=spirv64-unknown-unknown", "--spirv-ext=+SPV_INTEL_inline_assembly",
            "-filetype=obj", "optimised.ll", "-o", "gemm.spv"}}};
}

Result<void> takeKernelOut(const ScratchDirectory &directory) {
  std::string text = contentsOf(directory.file("lowered.mlir")), aliases;
  size_t module = text.find("gpu.module"), begin = module;
  std::istringstream lines(text.substr(0, std::min(module, text.size())));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#")) aliases += line + "\n";
  // The body begins at the last brace of the line; other braces belong to attributes.
  if (module != std::string::npos) begin = text.rfind('{', text.find('\n', module));
  size_t end = begin;
  for (int depth = 0; end < text.size(); ++end) {
    depth += text[end] == '{' ? 1 : text[end] == '}' ? -1 : 0;
    if (depth == 0) break;
  }
  if (module == std::string::npos || end >= text.size()) return Error::environment("mlir-opt left no gpu.module");
  return writeOutputFile(directory.file("kernel.mlir"), {str(aliases, "module ", text.substr(begin, end + 1 - begin), "\n")});
}

Result<IsaReport> upstreamCode(const UpstreamGemm &gemm) {
  Result<ScratchDirectory> directory = ScratchDirectory::make();
  if (!directory.ok()) return directory.error();
  std::vector<Command> chain = upstreamChain();
  auto text = writeOutputFile(directory->file("gemm.mlir"), {upstreamText(gemm)});
  auto shim = writeOutputFile(directory->file("shim.ll"), {test::deviceShim()});
  if (!text.ok() || !shim.ok()) return text.ok() ? shim.error() : text.error();
  for (size_t i = 0; i < chain.size(); ++i) {
    if (i == 3) { // links the functions that the older compiler lacks
      Command link{"llvm-link-22", "llvm-22", {"--only-needed", "-S", "optimised.ll", "shim.ll", "-o", "linked.ll"}};
      if (Result<void> done = execute(link, *directory); !done.ok()) return done.error();
      auto sized =
          writeOutputFile(directory->file("optimised.ll"), {withSubgroupSize(contentsOf(directory->file("linked.ll")))});
      if (!sized.ok()) return sized.error();
    }
    if (Result<void> done = execute(chain[i], *directory); !done.ok()) return done.error();
    if (i == 0)
      if (Result<void> done = takeKernelOut(*directory); !done.ok()) return done.error();
  }
  std::string spirv = contentsOf(directory->file("gemm.spv"));
  GpuCode program{{spirv.begin(), spirv.end()}, std::vector<GpuKernel>(1)};
  program.kernels[0].entry = "gemm_wg";
  program.kernels[0].largeRegisterFile = true;
  Result<std::vector<std::string>> listings = compileOffline(program, "xe-pvc");
  if (!listings.ok()) return listings.error();
  return readIsa((*listings)[0]);
}

} // namespace xt::bench
