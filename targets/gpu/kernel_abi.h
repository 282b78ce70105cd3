// A kernel that was compiled for a GPU, and the facts that a host needs to launch it. targets/llvm/lane/lane_kernel.h
// describes its arguments. The 32-bit word that an atomic on an element of 8 or 16 bits accesses is always allocated, because
// every allocation ends at a multiple of 4 bytes.
#pragma once
#include "ir/interp/disjoint_arguments.h"
#include "targets/llvm/lane/lane_kernel.h"

namespace xt {

// A condition for the block messages of a kernel at a launch: the memref passed for this parameter obeys BlockRules in its last
// two dimensions, and has at least one row. Otherwise the host launches a kernel that was compiled for a target without block
// messages. `turned`: the messages access the transpose of the last two dimensions.
struct GpuBlockUse {
  size_t param;
  bool turned = false;
  bool operator==(const GpuBlockUse &) const = default;
};

// The assumptions of compiled code about the buffers of a launch. A launch whose buffers break an assumption needs code that
// was compiled without it.
struct GpuAssumptions {
  bool blockRules = true; // the matrices that block messages access obey BlockRules (GpuKernel::blockUses)
  bool disjoint = true; // arguments overlap only as the kernel's forms allow (ir/interp/disjoint_arguments.h)
  bool aligned = true; // LaneKernel::alignments hold
  bool operator==(const GpuAssumptions &) const = default;
};

struct GpuKernel : LaneKernel {
  bool largeRegisterFile = false; // Intel: requests 256 registers per thread
  int64_t givenSlmBytes = 0; // NVIDIA: the bytes of shared local memory that a launch gives; the code declares none then
  std::vector<GpuBlockUse> blockUses;
  std::vector<bool> writes; // for each parameter, whether the kernel may write the array
  OverlapRule overlapRule = OverlapRule::Any; // how arguments may overlap, by the kernel's forms
};

// The kernels of a module, compiled for one target, in the form that its devices load. It is the same for the same input.
struct GpuCode {
  std::vector<uint8_t> binary;
  std::vector<GpuKernel> kernels;
  bool inlineAssembly = false; // Intel: only for drivers that take it (GpuDevice::inlineAssembly)
};

} // namespace xt
