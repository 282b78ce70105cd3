// Emits one kernel as one LLVM function (runtime/launch_abi.h).
#pragma once
#include "targets/cpu/vector/control_flow.h"
#include "targets/cpu/vector/element_picker.h"
#include "targets/cpu/vector/fiber_lanes.h"
#include "targets/cpu/vector/host_calls.h"
#include "targets/cpu/vector/loads.h"
#include "targets/cpu/vector/overlaps.h"
#include "targets/cpu/vector/scatter_emitter.h"
#include "targets/cpu/vector/transposer.h"

#include <memory>

namespace xt {

// The interface of the emitter of ops that multiply matrices. It is implemented in targets/cpu/products, which depends on this
// folder, so the creator of a KernelEmitter passes a function that makes it.
class ProductEmitter {
public:
  virtual ~ProductEmitter() = default;
  // Decides into how many parts a workgroup may be divided.
  virtual void divide(KernelOutput &output) = 0;
  // Emits a nest into the buffer of its result, or, with a store, into the tile that is stored to.
  virtual void emitNest(const Op &nest, const Op *store) = 0;
  virtual void emitMma(const Op &mma) = 0;
};
using MakeProductEmitter = std::unique_ptr<ProductEmitter> (*)(KernelEmitter &);

inline constexpr int kMaxRegionDepth = 128; // the emitter accepts regions nested this deep

// Emits the function around a kernel's body and its scalars, and chooses the emitter of each op.
class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                const BufferAssignment &buffers, const SlmLayout &slm, MakeProductEmitter makeProducts);
  KernelOutput emit();
  void emitBlock(const Block &block);

  KernelContext context;
  TileMemory tiles{*this, context};
  Overlaps overlaps{context};
  Loads loads{*this, context};
  ElementPicker picker{*this, context};
  Transposer transposer{*this, context};
  ScatterEmitter scatter{*this, context};
  HostCalls host{*this, context};
  FiberLanes lanes{*this, context};
  ControlFlow flow{*this, context};

private:
  void loadParameters(LlvmValue *frame);
  void emitWorkgroup(LlvmValue *id);
  void emitOp(const Op &op);
  // Emits an elementwise op or a plain load that is not evaluated at its uses.
  void emitPointwise(const Op &op);
  LlvmValue *constant(const Op &op); // emits a constant of a scalar type
  LlvmValue *dimOf(const Op &op);
  LlvmValue *idOf(const Op &op); // of the subgroup, the lane or the workgroup

  KernelContext &c_ = context;
  llvm::IRBuilder<> &b = context.b;
  RegisterOps &ops_ = context.ops;
  const std::unique_ptr<ProductEmitter> products_;
};

} // namespace xt
