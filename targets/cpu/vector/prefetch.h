// Prefetches cache lines.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/llvm/loops.h"

namespace xt {

enum class Prefetch : uint8_t {
  ToWrite,       // into the L1 cache, for a store
  ToFirstCache,  // into the L1 cache, for a load
  ToSecondCache, // into the L2 cache, for a load
};

inline void prefetch(llvm::IRBuilderBase &b, LlvmValue *address, Prefetch what) {
  constexpr uint32_t kData = 1, kFirstCache = 3, kSecondCache = 2; // llvm.prefetch: kind and locality
  bool writes = what == Prefetch::ToWrite;
  b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                    {address, b.getInt32(writes), b.getInt32(what == Prefetch::ToSecondCache ? kSecondCache : kFirstCache),
                     b.getInt32(kData)});
}

} // namespace xt
