// The call of xt_plan_nest that a kernel makes before a nest: the sizes that it passes, and the words of the plan that it gets.
#pragma once
#include "targets/cpu/products/nest_plan.h"
#include "targets/llvm/loops.h"

#include <array>
#include <bit>
#include <unordered_map>

namespace xt {

inline std::array<int64_t, sizeof(NestRules) / sizeof(int64_t)> rulesAsWords(const NestRules &rules) {
  return std::bit_cast<std::array<int64_t, sizeof(NestRules) / sizeof(int64_t)>>(rules);
}

class NestPlanCall {
public:
  // Each nest of a kernel has its own NestCall on the stack, so that the plan stays valid until the nest has other sizes.
  explicit NestPlanCall(llvm::IRBuilderBase &b) {
    constexpr size_t kWords = sizeof(NestCall) / sizeof(int64_t);
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    auto *call = top.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), kWords));
    call->setAlignment(llvm::Align(kCacheLine));
    call_ = call;
    top.CreateAlignedStore(b.getInt64(0), placeOf(top, offsetof(NestCall, planned), &NestSizes::rules),
                           llvm::Align(alignof(int64_t)));
  }
  LlvmValue *address() const { return call_; }
  void set(llvm::IRBuilderBase &b, int64_t NestSizes::*word, LlvmValue *value) {
    b.CreateAlignedStore(value, placeOf(b, offsetof(NestCall, sizes), word), llvm::Align(alignof(int64_t)));
  }
  void called(LlvmValue *call) { after_ = llvm::cast<llvm::Instruction>(call); }
  // A word of the plan. It is loaded once, right after the call, and may be used everywhere in the nest.
  LlvmValue *get(llvm::IRBuilderBase &b, int64_t NestPlan::*word) {
    return once(b, offsetOf(word), [&] {
      return b.CreateAlignedLoad(b.getInt64Ty(), placeOf(b, offsetof(NestCall, plan), word), llvm::Align(alignof(int64_t)));
    });
  }
  // A word of the plan that is 0 or 1, as an i1.
  LlvmValue *isSet(llvm::IRBuilderBase &b, int64_t NestPlan::*word) {
    return once(b, ~offsetOf(word), [&] {
      return b.CreateTrunc(
          b.CreateAlignedLoad(b.getInt64Ty(), placeOf(b, offsetof(NestCall, plan), word), llvm::Align(alignof(int64_t))),
          b.getInt1Ty());
    });
  }

private:
  template <class Words> static int64_t offsetOf(int64_t Words::*word) {
    static constexpr Words kWords{};
    return reinterpret_cast<const char *>(&(kWords.*word)) - reinterpret_cast<const char *>(&kWords);
  }
  template <class Words> LlvmValue *placeOf(llvm::IRBuilderBase &b, size_t member, int64_t Words::*word) {
    return byteOffset(b, call_, b.getInt64(member + static_cast<uint64_t>(offsetOf(word))));
  }
  template <class Make> LlvmValue *once(llvm::IRBuilderBase &b, int64_t key, Make make) {
    auto [at, isNew] = words_.try_emplace(key, nullptr);
    if (isNew) {
      llvm::IRBuilderBase::InsertPointGuard guard(b);
      b.SetInsertPoint(after_->getParent(), std::next(after_->getIterator()));
      at->second = make();
    }
    return at->second;
  }

  LlvmValue *call_ = nullptr; // the address of the NestCall
  llvm::Instruction *after_ = nullptr; // the call
  std::unordered_map<int64_t, LlvmValue *> words_; // by offset in the plan (complemented: as an i1); never iterated
};

} // namespace xt
