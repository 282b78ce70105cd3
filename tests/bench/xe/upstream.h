// Compiles the same work with upstream's XeGPU pipeline: mlir-opt, mlir-translate, opt, llc.
#pragma once
#include "ir/base/result.h"
#include "targets/process/external_tool.h"
#include "targets/xe/isa/isa_report.h"

#include <string>

namespace xt::bench {

struct UpstreamGemm {
  std::string elem = "f16", sum = "f32";
  int instA = 16;          // columns of a block of A, and rows of a block of B
  bool prefetches = false; // whether the kernel prefetches three steps ahead, like ours
};

// Returns a module with one kernel, @gemm_wg: the GEMM of the appendix. A workgroup of 8x4 subgroups computes 256x256 of C; all
// matrices are 4096x4096.
std::string upstreamText(const UpstreamGemm &gemm);

// The commands of the chain in order. Each runs in `directory`, which contains the module as gemm.mlir; the last one writes
// gemm.spv.
struct Command {
  std::string program, package;
  std::vector<std::string> arguments;
};
std::vector<Command> upstreamChain();
// The first command writes the kernel's module inside an outer module, but the second one accepts only the kernel's module.
// Writes the kernel's module to kernel.mlir.
Result<void> takeKernelOut(const ScratchDirectory &directory);

// Compiles the kernel with upstream's chain and then with Intel's compiler, with the subgroup size that upstream omits, and
// with the large register file. An Error names the program that rejects the kernel, with its message.
Result<IsaReport> upstreamCode(const UpstreamGemm &gemm);

} // namespace xt::bench
