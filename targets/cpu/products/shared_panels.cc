#include "targets/cpu/products/shared_panels.h"

#include "ir/base/check.h"

namespace xt {

LlvmValue *SharedPanels::alikeWorkgroups(const std::vector<bool> &dims) {
  LlvmValue *alike = nullptr;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d]) continue;
    LlvmValue *count = e_.context.grid[kGridDims - dims.size() + d][2];
    alike = alike ? b.CreateMul(alike, count) : count;
  }
  return alike;
}

LlvmValue *SharedPanels::isOddAmongAlike(const std::vector<bool> &dims) {
  LlvmValue *place = number(0);
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d]) place = b.CreateAdd(place, e_.context.coordinates[kGridDims - dims.size() + d]);
  return b.CreateTrunc(place, b.getInt1Ty());
}

// The thread pool makes one call for each contiguous range of workgroups that share (ThreadPool::run, `period`), and a call
// takes as long as a small product.
void SharedPanels::shareBy(const std::vector<bool> &dims, Type sum) {
  constexpr int64_t kLeastSums = 32 * 64;
  if (e_.context.output.sharedDims.empty() && sum.extent(0) * sum.extent(1) >= kLeastSums) e_.context.output.sharedDims = dims;
}

SharedPanel SharedPanels::take(LlvmValue *shares, LlvmValue *isOwn, LlvmValues key, LlvmValue *bytes) {
  constexpr int64_t kWord = 8;
  key.push_back(number(places_++)); // distinguishes the panels of different ops
  LlvmValue *fill = e_.context.ops.stackSlot(1);
  LlvmValue *address = ifElse(
      b, shares,
      [&] {
        LlvmValue *words = keySlot(key.size()), *keyBytes = number(kWord * static_cast<int64_t>(key.size()));
        for (size_t i = 0; i < key.size(); ++i)
          b.CreateAlignedStore(key[i], byteOffset(b, words, number(kWord * static_cast<int64_t>(i))), llvm::Align(8));
        return LlvmValues{e_.context.callHost(
            kPanelTakeSymbol, {e_.context.words.output, words, keyBytes, bytes, b.CreateZExt(isOwn, b.getInt64Ty()), fill},
            b.getPtrTy())};
      },
      [&] { return LlvmValues{llvm::ConstantPointerNull::get(b.getPtrTy())}; })[0];
  LlvmValue *found = b.CreateIsNotNull(address);
  LlvmValue *mustPack = b.CreateICmpNE(b.CreateAlignedLoad(b.getInt64Ty(), fill, llvm::Align(8)), number(0));
  return {address, found, b.CreateOr(b.CreateNot(found), mustPack)};
}

void SharedPanels::isReady(const SharedPanel &panel) {
  e_.context.callHost(kPanelReadySymbol, {e_.context.words.output, panel.address});
}

LlvmValue *SharedPanels::keySlot(size_t words) {
  constexpr size_t kMostWords = 16;
  XT_CHECK(words <= kMostWords, "a key fits its slot");
  if (!key_) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    key_ = top.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), kMostWords));
  }
  return key_;
}

} // namespace xt
