// Data that the emitters of a kernel's ops share: the kernel, the results of its analyses, and the values of the function that
// is being emitted.
#pragma once
#include "ir/gpu/slm_layout.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/analysis/needed_rows.h"
#include "targets/cpu/analysis/shared_operands.h"
#include "targets/cpu/analysis/streaming.h"
#include "targets/cpu/runtime/host_runtime.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/llvm/register_ops.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace xt {

// The LLVM values of an IR value. Scalar: the value. MemRef: data, sizes, strides. Tile: TilePart. Vector: none.
using Parts = LlvmValues;

// The words of a launch from frame[9] on (runtime/launch_abi.h).
struct RuntimeWords {
  LlvmValue *failure = nullptr, *output = nullptr, *parts = nullptr, *threads = nullptr, *apart = nullptr, *numbers = nullptr;
};

struct KernelContext {
  enum TilePart : size_t { kBase, kRows, kColumns, kRowStride, kColumnStride, kY, kX, kTileParts };
  // The parts of a scatter tile; its offsets are in its buffer.
  enum ScatterPart : size_t { kScatterBase, kScatterSize, kScatterStride, kScatterParts };

  KernelContext(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                const BufferAssignment &buffers, const SlmLayout &slm);

  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  LlvmValue *scalar(const Value *value) const { return parts.at(value)[0]; }
  // A number that may differ between kernels that are equal except for the sizes of their tiles. It is loaded from
  // KernelOutput::numbers, so that these kernels have the same code.
  LlvmValue *argument(int64_t value);
  // Adds `values` to KernelOutput::numbers as consecutive words, and returns the address of the first one as an i64.
  LlvmValue *numbersAddress(llvm::ArrayRef<int64_t> values);
  LlvmValue *bufferAddress(const Buffer &buffer);
  LlvmValue *pitchOf(const Buffer &buffer);
  // If `condition` holds, reports the failure and leaves the workgroup; `before` emits code that runs before the report.
  void failIf(LlvmValue *condition, int64_t failure, llvm::function_ref<void()> before = [] {});
  int64_t addFailure(Failure failure);
  // Calls a function of the process. `result`: the type of the result; null: none.
  LlvmValue *callHost(const char *name, llvm::ArrayRef<LlvmValue *> args, llvm::Type *result = nullptr);

  llvm::Module &module;
  const Kernel &kernel;
  const CpuInfo &cpu;
  const FusionPlan &fusion;
  const BufferAssignment &buffers;
  const SlmLayout &slmLayout;
  const StreamedStores streamed;
  const SharedOperands shared;
  const NeededRows needed;
  llvm::IRBuilder<> b;
  RegisterOps ops;
  KernelOutput output;
  std::unordered_map<const Value *, Parts> parts;
  std::unordered_set<const LlvmValue *> notNegative; // values known to be 0 or more
  const Block *block = nullptr; // the block that is being emitted
  LlvmValue *grid[kGridDims][3] = {}; // lower, step, count
  LlvmValue *coordinates[kGridDims] = {}; // coordinates of the workgroup
  LlvmValue *part = nullptr; // the index of the current part; there are words.parts
  LlvmValue *workgroup = nullptr, *subgroup = nullptr, *lane = nullptr;
  LlvmValue *fiber = nullptr;
  LlvmValue *scratch = nullptr, *slm = nullptr;
  RuntimeWords words;
  llvm::BasicBlock *workgroupEnd = nullptr;
  bool fences = false; // whether there may have been non-temporal stores
};

} // namespace xt
