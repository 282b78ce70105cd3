// The effects of a kernel on its memref parameters, derived from its ops.
#pragma once
#include "ir/module.h"

#include <unordered_map>
#include <vector>

namespace xt {

// For each memref, tile or address (i64), the parameters whose memory it may refer to. Tiles are followed through the ops that
// create tiles from tiles and through loops and branches: the origins of a value are the union over all paths.
class MemoryOrigins {
public:
  explicit MemoryOrigins(const Kernel &kernel);   // the kernel must outlive the object
  std::vector<bool> of(const Value *value) const; // per parameter

private:
  void flow(const Value *from, const Value *to);
  void visit(const Op &op);
  const Kernel &kernel_;
  std::unordered_map<const Value *, std::vector<bool>> sets_; // used for lookup only (no deterministic order)
  bool changed_ = false;
};

// How an op accesses the memory that an operand refers to: Reads, Writes, both or None.
Effect effectsOn(const Op &op, size_t operand);
// Whether an op reads and writes the same memory, as atomics do.
bool updatesMemory(const Op &op);

struct KernelEffects {
  // Per parameter: whether some op may read or write it, through the memref itself or through tiles made from it. False for
  // scalars, except addresses (i64) that tiles are made from.
  std::vector<bool> reads, writes;
};

// Applies the effects in the op table to the origins that MemoryOrigins finds.
KernelEffects kernelEffects(const Kernel &kernel);

} // namespace xt
