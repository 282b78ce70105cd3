// Memory that the workgroups of a launch share: the first that needs something packed does so for all.
#include "targets/cpu/kernel_emitter.h"
#include "targets/cpu/mma_nest.h"
#include "targets/cpu/tile_source.h"
#include "targets/cpu/vector_values.h"

#include "ir/base/check.h"

#include <algorithm>

namespace xt {

// How many workgroups of the launch have the same of what depends on these dimensions of the grid; null: one.
LlvmValue *KernelEmitter::alikeWorkgroups(const std::vector<bool> &dims) {
  LlvmValue *alike = nullptr;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d]) continue;
    LlvmValue *count = grid_[kGridDims - dims.size() + d][2];
    alike = alike ? b.CreateMul(alike, count) : count;
  }
  return alike;
}

// The panel of all workgroups that ask by the same words, where `shares` holds and there is memory; `mustFill` where the caller is
// to do so, in memory of its own if there is none.
KernelEmitter::SharedPanel KernelEmitter::takePanel(LlvmValue *shares, LlvmValues key, LlvmValue *bytes) {
  constexpr int64_t kWord = 8;
  key.push_back(number(panelPlaces_++)); // what other places of the kernel pack is something else
  LlvmValue *fill = ops_.stackSlot(1);
  LlvmValue *address = ifElse(
      b, shares,
      [&] {
        LlvmValue *words = keySlot(key.size());
        for (size_t i = 0; i < key.size(); ++i)
          b.CreateAlignedStore(key[i], byteOffset(b, words, number(kWord * static_cast<int64_t>(i))), llvm::Align(8));
        return LlvmValues{callHost(kPanelTakeSymbol, {runtime_, words, number(kWord * static_cast<int64_t>(key.size())), bytes, fill}, b.getPtrTy())};
      },
      [&] { return LlvmValues{llvm::ConstantPointerNull::get(b.getPtrTy())}; })[0];
  LlvmValue *found = b.CreateIsNotNull(address);
  LlvmValue *asked = b.CreateICmpNE(b.CreateAlignedLoad(b.getInt64Ty(), fill, llvm::Align(8)), number(0));
  return {address, found, b.CreateOr(b.CreateNot(found), asked)};
}

// It is filled.
void KernelEmitter::panelIsReady(const SharedPanel &panel) {
  ifElse(
      b, panel.found,
      [&] {
        callHost(kPanelReadySymbol, {runtime_, panel.address});
        return LlvmValues();
      },
      [] { return LlvmValues(); });
}

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

namespace {

// The parameters that a kernel stores to, if all it does that lasts is to store tiles to parameters.
std::optional<std::vector<const Value *>> storedParameters(const Kernel &kernel) {
  std::vector<const Value *> stored;
  bool known = true;
  forEachOp(kernel.body, [&](const Op &op) {
    Effect effects = op.info().effects;
    known &= !has(effects, Effect::Synchronises);
    if (!has(effects, Effect::Writes)) return;
    const Value *memref = op.kind() == OpKind::StoreTile ? parameterBehind(kernel, op.operand(1)) : nullptr;
    known &= memref != nullptr;
    if (memref && std::find(stored.begin(), stored.end(), memref) == stored.end()) stored.push_back(memref);
  });
  return known ? std::optional(stored) : std::nullopt;
}

} // namespace

// Whether b of a tile_mma is to be shared: a block that is turned or converted before it is multiplied, of a matrix that the
// kernel does not store to, the same for workgroups that do other rows of a.
bool KernelEmitter::mayShareRight(const Op &mma) const {
  const Op *load = mma.operand(1)->definingOp();
  if (output_.usesFibers || kernel_.grid.empty() || !load || load->kind() != OpKind::LoadTile || load->block() != mma.block()) return false;
  Type type = load->result()->type();
  bool prepared = !isPlainLoad(*load) || type.elem() != mmaElem(type.elem());
  bool large = type.extent(0) * type.extent(1) * elemInfo(type.elem()).storageBytes >= kLeastSharedBytes;
  if (!prepared || !large || std::distance(load->result()->uses().begin(), load->result()->uses().end()) != 1) return false;
  const Value *read = parameterBehind(kernel_, load->operand(0));
  std::vector<bool> dims(kernel_.grid.size());
  if (!read || !collectGridDims(kernel_, load->operand(0), dims) || std::find(dims.begin(), dims.end(), false) == dims.end()) return false;
  std::optional<std::vector<const Value *>> stored = storedParameters(kernel_);
  return stored && std::find(stored->begin(), stored->end(), read) == stored->end();
}

// It is loaded where it is packed.
bool KernelEmitter::isSharedLoad(const Op &load) const {
  for (Use use : load.result()->uses())
    if (use.user->kind() != OpKind::TileMma || use.operand != 1 || !mayShareRight(*use.user)) return false;
  return !load.result()->uses().empty();
}

LlvmValue *KernelEmitter::sharesRight(const Op &mma) {
  const Value *tile = mma.operand(1)->definingOp()->operand(0), *read = parameterBehind(kernel_, tile);
  std::vector<bool> dims(kernel_.grid.size());
  collectGridDims(kernel_, tile, dims);
  LlvmValue *shares = b.CreateICmpSGT(alikeWorkgroups(dims), number(1));
  const std::optional<std::vector<const Value *>> written = storedParameters(kernel_);
  for (const Value *stored : *written) shares = b.CreateAnd(shares, areParametersApart(read, stored));
  return shares;
}

// As prepareRight, by the first workgroup that needs this block.
MmaRight KernelEmitter::sharedRight(const Op &mma) {
  const Op &load = *mma.operand(1)->definingOp();
  const Buffer &own = *preparedBuffer(mma);
  LlvmValue *bytes = number(own.shape.bytes()), *size = number(own.shape.bytes() + kCacheLine); // and what is known of it
  SharedPanel panel = takePanel(sharesRight(mma), parts_.at(load.operand(0)), size);
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
              callHost(kPanelReadySymbol, {runtime_, panel.address});
              return LlvmValues{panel.address};
            },
            [&] { return LlvmValues{prepared.matrix.address}; });
        return LlvmValues{shared[0], least};
      },
      [&] { return LlvmValues{panel.address, b.CreateAlignedLoad(b.getInt64Ty(), behind, word)}; });
  return {{own.shape, placed[0], number(own.shape.pitch)}, placed[1]};
}

} // namespace xt
