// Emits one kernel at lane scope as an LLVM function that a GPU runs for each lane.
#pragma once
#include "ir/base/result.h"
#include "targets/llvm/lane/lane_context.h"
#include "targets/llvm/lane/source_lines.h"

#include <string>

namespace xt {

class LaneKernelEmitter {
public:
  // All arguments must outlive the object.
  LaneKernelEmitter(llvm::Module &module, Context &types, const Kernel &kernel, const TargetInfo &target, LaneDevice &device,
                    SourceLines &lines, Diagnostics &diagnostics)
      : c(module, types, kernel, target, device, diagnostics), b(c.b), v(c.values), lines_(lines) {}
  // Adds the function to the module, with the arguments of lane_kernel.h. Returns an Error that names an op if the device has
  // no instruction for it.
  Result<LaneKernel> emit(const std::string &entry);

private:
  llvm::Function *makeFunction(const std::string &entry);
  void loadParameters(llvm::Function *function);
  unsigned loadMemRef(llvm::Function *function, size_t param, unsigned next);
  void computeIds(llvm::Function *function);
  llvm::Function *withoutOutcome(llvm::Function *function);
  void emitBlock(const Block &block);
  void emitOp(const Op &op);
  void emitVectorOp(const Op &op);
  void emitMemoryOp(const Op &op);
  void emitId(const Op &op);

  LaneContext c;
  llvm::IRBuilderBase &b;
  LaneValues &v;
  SourceLines &lines_;
};

} // namespace xt
