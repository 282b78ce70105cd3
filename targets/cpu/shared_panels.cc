// Memory that the workgroups of a launch share: the first workgroup that needs a packed panel packs it for all.
#include "ir/base/check.h"
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/kernel_emitter.h"
#include "targets/cpu/mma_nest.h"

namespace xt {

// The number of workgroups of the launch that agree in these dimensions of the grid, and so in all that depends on them; null:
// one.
LlvmValue *KernelEmitter::alikeWorkgroups(const std::vector<bool> &dims) {
  LlvmValue *alike = nullptr;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d]) continue;
    LlvmValue *count = grid_[kGridDims - dims.size() + d][2];
    alike = alike ? b.CreateMul(alike, count) : count;
  }
  return alike;
}

// Whether this workgroup's position among them is odd.
LlvmValue *KernelEmitter::isOddAmongAlike(const std::vector<bool> &dims) {
  LlvmValue *place = number(0);
  for (size_t d = 0; d < dims.size(); ++d)
    if (!dims[d]) place = b.CreateAdd(place, coordinates_[kGridDims - dims.size() + d]);
  return b.CreateTrunc(place, b.getInt1Ty());
}

// Runs workgroups that agree in `dims` on one thread, unless their `sum` is small: the thread pool makes a call for each share
// of neighbours, which takes 0.2 us.
void KernelEmitter::shareBy(const std::vector<bool> &dims, Type sum) {
  constexpr int64_t kLeastSums = 32 * 64;
  if (output_.sharedDims.empty() && sum.extent(0) * sum.extent(1) >= kLeastSums) output_.sharedDims = dims;
}

// The panel of all workgroups that pass the same key words (if `isOwn` holds, only those of one thread), if `shares` holds and
// there is memory. `mustFill`: the caller has to fill it, in its own memory if no panel was found.
KernelEmitter::SharedPanel KernelEmitter::takePanel(LlvmValue *shares, LlvmValue *isOwn, LlvmValues key, LlvmValue *bytes) {
  constexpr int64_t kWord = 8;
  key.push_back(number(panelPlaces_++)); // distinguishes the panels of different ops
  LlvmValue *fill = ops_.stackSlot(1);
  LlvmValue *address = ifElse(
      b, shares,
      [&] {
        LlvmValue *words = keySlot(key.size()), *keyBytes = number(kWord * static_cast<int64_t>(key.size()));
        for (size_t i = 0; i < key.size(); ++i)
          b.CreateAlignedStore(key[i], byteOffset(b, words, number(kWord * static_cast<int64_t>(i))), llvm::Align(8));
        return LlvmValues{callHost(
            kPanelTakeSymbol, {runtime_, words, keyBytes, bytes, b.CreateZExt(isOwn, b.getInt64Ty()), fill}, b.getPtrTy())};
      },
      [&] { return LlvmValues{llvm::ConstantPointerNull::get(b.getPtrTy())}; })[0];
  LlvmValue *found = b.CreateIsNotNull(address);
  LlvmValue *asked = b.CreateICmpNE(b.CreateAlignedLoad(b.getInt64Ty(), fill, llvm::Align(8)), number(0));
  return {address, found, b.CreateOr(b.CreateNot(found), asked)};
}

// Reports that a panel that was found has been filled.
void KernelEmitter::panelIsReady(const SharedPanel &panel) { callHost(kPanelReadySymbol, {runtime_, panel.address}); }

LlvmValue *KernelEmitter::keySlot(size_t words) {
  constexpr size_t kMostWords = 16;
  XT_CHECK(words <= kMostWords, "a key fits its slot");
  if (!key_) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    key_ = top.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), kMostWords));
  }
  return key_;
}

// Like prepareRight, but only the first workgroup that needs this block prepares it.
MmaRight KernelEmitter::sharedRight(const Op &mma) {
  const SharedOperands::Operand &operand = shared_.ofMma.at(&mma);
  const Op &load = *operand.load;
  LlvmValue *shares = b.CreateICmpSGT(alikeWorkgroups(operand.gridDims), number(1));
  shareBy(operand.gridDims, mma.result()->type());
  for (const Value *stored : shared_.stored) shares = b.CreateAnd(shares, areParametersApart(operand.read, stored));
  const Buffer &own = *preparedBuffer(mma);
  LlvmValue *bytes = argument(own.shape.bytes()), *size = b.CreateAdd(bytes, number(kCacheLine)); // and the least magnitude
  SharedPanel panel = takePanel(shares, b.getFalse(), parts_.at(load.operand(0)), size);
  LlvmValue *behind = byteOffset(b, panel.address, bytes);
  llvm::Align word(8);
  LlvmValues placed = ifElse(
      b, panel.mustFill,
      [&] {
        if (!isPlainLoad(load)) emitTransposedLoad(load);
        MmaRight prepared = prepareRight(mma);
        LlvmValue *least = prepared.least ? prepared.least : number(0);
        LlvmValues shared = ifElse(
            b, panel.found,
            [&] {
              b.CreateMemCpy(panel.address, llvm::Align(kCacheLine), prepared.matrix.address, llvm::Align(kCacheLine), bytes);
              b.CreateAlignedStore(least, behind, word);
              panelIsReady(panel);
              return LlvmValues{panel.address};
            },
            [&] { return LlvmValues{prepared.matrix.address}; });
        return LlvmValues{shared[0], least};
      },
      [&] { return LlvmValues{panel.address, b.CreateAlignedLoad(b.getInt64Ty(), behind, word)}; });
  return {{own.shape, placed[0], pitchOf(own)}, placed[1]};
}

} // namespace xt
