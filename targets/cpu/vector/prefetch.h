// Prefetches cache lines.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/llvm/loops.h"

namespace xt {

enum class Prefetch : uint8_t {
  ToWrite, // into the L1 cache, for a store
  ToL1,    // into the L1 cache, for a load
  ToL2,    // into the L2 cache, for a load
};

inline void prefetch(llvm::IRBuilderBase &b, LlvmValue *address, Prefetch what) {
  constexpr uint32_t kData = 1, kL1 = 3, kL2 = 2; // llvm.prefetch: kind and locality
  bool writes = what == Prefetch::ToWrite;
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                    {address, b.getInt32(writes), b.getInt32(what == Prefetch::ToL2 ? kL2 : kL1), b.getInt32(kData)});
}

} // namespace xt
