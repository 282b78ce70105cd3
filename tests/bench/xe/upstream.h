// The same work through upstream's XeGPU pipeline: mlir-opt, mlir-translate, opt, llc.
#pragma once
#include "ir/base/result.h"
#include "targets/xe/isa/external_tool.h"
#include "targets/xe/isa/isa_report.h"

#include <string>

namespace xt::bench {

struct UpstreamGemm {
  std::string elem = "f16", sum = "f32";
  int instA = 16;          // columns of a block of A, and rows of one of B
  bool prefetches = false; // three steps ahead, as ours
};

// A module of one kernel, @gemm_wg: the GEMM of the appendix, 256x256 of C to a workgroup of 8x4 subgroups, all matrices
// 4096x4096.
std::string upstreamText(const UpstreamGemm &gemm);

// The commands of the chain, in order, each in `directory`, which has the module as gemm.mlir; the last makes gemm.spv.
struct Command {
  std::string program, package;
  std::vector<std::string> arguments;
};
std::vector<Command> upstreamChain();
// The chain's first command leaves a module around the kernel's; the second wants the kernel's alone.
Result<void> takeKernelOut(const ScratchDirectory &directory);

// What Intel's compiler makes of it, with the subgroup size that upstream leaves out, and the large register file. An
// Error names the program that refuses the kernel, with its words.
Result<IsaReport> upstreamCode(const UpstreamGemm &gemm);

} // namespace xt::bench
