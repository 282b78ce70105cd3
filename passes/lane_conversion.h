// Internal to the pass block-tiles: converts vectors from one layout of lanes to another one, in registers or through shared
// local memory, whichever takes less time.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/gpu/target_info.h"
#include "passes/kernel_prologue.h"
#include "passes/lane_moves.h"

#include <map>

namespace xt {

// What a conversion costs each lane. Shared local memory takes a store for each element that a lane holds before, a load for each
// one that it holds after, and two barriers of the subgroup.
struct ConversionCost {
  ShuffleCost registers;
  int64_t stores = 0, loads = 0, bytes = 0; // bytes: of the buffer, for one subgroup
  static constexpr int64_t kBarriers = 2;
  // Estimated cycles.
  int64_t inRegisters() const;
  int64_t throughMemory() const;
  bool prefersMemory() const { return throughMemory() < inRegisters(); }
};
ConversionCost conversionCost(const Layout *from, const Layout *to, int64_t elemBytes);
// For remarks: "16 stores, 16 loads, 1024 bytes and 2 barriers".
std::string memoryText(const ConversionCost &cost);

class LaneConversion {
public:
  // `lanes`: the size of the kernel's subgroups.
  LaneConversion(Kernel &kernel, const TargetInfo &target, Builder &builder, Diagnostics &diagnostics, int64_t lanes);

  // The vector, whose type states a layout, in the layout `to` (null: any). `throughMemory`: even if registers take less time.
  Value *convert(Value *vector, const Layout *to, bool throughMemory);

private:
  Value *buffer(Type vector);
  Value *exchange(Value *vector, Value *buffer, Type to);

  Kernel &kernel_;
  Builder &b_;
  Diagnostics &diagnostics_;
  KernelPrologue prologue_;
  int64_t lanes_, slmLimit_, slmUsed_;
  std::map<std::pair<Elem, std::vector<int64_t>>, Value *> buffers_; // by element type and shape of a subgroup's vector
};

} // namespace xt
