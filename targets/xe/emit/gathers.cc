// Scatter tiles and descriptors, whose elements have their own offsets, and atomics.
#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/views/shared.h"
#include "targets/xe/emit/kernel_emitter.h"

namespace xt {
namespace {

constexpr size_t kTile = 0, kTileOfUpdate = 1;

bool isDescriptor(const Value *window) { return window->type().isTensorDesc(); }

// The value that a load returns for a masked-off element.
LlvmValue *paddingOf(const Op &op, RegisterOps &ops, Elem elem) {
  const AttrValue *padding = SharedAttrs(op).padding();
  return padding ? ops.constant(elem, *padding, 0) : ops.zero(elem, 0);
}

std::optional<llvm::AtomicRMWInst::BinOp> integerUpdate(OpKind kind) {
  using Update = llvm::AtomicRMWInst;
  switch (kind) {
  case OpKind::AddI: return Update::Add;
  case OpKind::AndI: return Update::And;
  case OpKind::OrI: return Update::Or;
  case OpKind::XorI: return Update::Xor;
  case OpKind::MinSI: return Update::Min;
  case OpKind::MaxSI: return Update::Max;
  case OpKind::MinUI: return Update::UMin;
  case OpKind::MaxUI: return Update::UMax;
  default: return std::nullopt;
  }
}

} // namespace

// A lane's part of a descriptor is its chunk of neighbouring elements.
void XeKernelEmitter::initScatter(const Op &op) {
  const Value *base = op.operand(0), *offsets = op.operand(1);
  Type type = op.result()->type();
  if (base->type().isMemRef())
    parts_[op.result()] = parts_.at(base); // of a one-dimensional memref: base, size, stride
  else
    parts_[op.result()] = {pointer(asIndex(base)), nullptr, number(1)}; // without bounds
  if (!base->type().isMemRef()) parts_[op.result()][kScatterSize] = number(-1);
  if (!isDescriptor(op.result())) {
    fragments_[op.result()] = fragment(offsets);
    return;
  }
  LlvmValue *first = asIndex(offsets);
  Fragment all;
  for (int64_t k = 0; k < type.data().chunk; ++k) all.push_back({b.CreateAdd(first, number(k))});
  fragments_[op.result()] = std::move(all);
}

void XeKernelEmitter::moveScatter(const Op &op) {
  const Value *deltas = op.operand(1);
  parts_[op.result()] = parts_.at(op.operand(0));
  Fragment offsets = fragment(op.operand(0));
  LlvmValue *same = deltas->type().isVector() ? nullptr : asIndex(deltas);
  for (size_t k = 0; k < offsets.size(); ++k) {
    LlvmValue *delta = same ? same : scalarOf(b, fragment(deltas)[k]);
    offsets[k] = {b.CreateAdd(scalarOf(b, offsets[k]), delta)};
  }
  fragments_[op.result()] = std::move(offsets);
}

// The size of an address is the greatest unsigned number, so every offset except one is below it.
XeKernelEmitter::Element XeKernelEmitter::scatterElement(const Value *tile, size_t k, LlvmValue *mask) {
  const Parts &parts = parts_.at(tile);
  LlvmValue *offset = scalarOf(b, fragment(tile)[k]);
  LlvmValue *size = parts[kScatterSize];
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(size);
  LlvmValue *inside = known && known->isMinusOne() ? static_cast<LlvmValue *>(b.getTrue()) : below(offset, size);
  LlvmValue *bytes = b.CreateMul(parts[kScatterStride], number(elemInfo(tile->type().elem()).storageBytes));
  return {mask ? b.CreateAnd(inside, mask) : inside, byteOffset(b, parts[kScatterBase], b.CreateMul(offset, bytes))};
}

LlvmValue *XeKernelEmitter::maskOf(const Op &op, size_t operand, size_t k) {
  if (operand >= op.operandCount()) return nullptr;
  const Value *mask = op.operand(operand);
  return mask->type().isVector() ? scalarOf(b, fragment(mask)[k]) : scalar(mask);
}

void XeKernelEmitter::setValue(const Value *value, Fragment elements) {
  if (value->type().isVector()) {
    fragments_[value] = std::move(elements);
    return;
  }
  LlvmValue *only = scalarOf(b, elements[0]);
  if (value->type().isIndex())
    setIndex(value, only);
  else
    parts_[value] = {only};
}

Fragment XeKernelEmitter::valueOf(const Value *value) const {
  return value->type().isVector() ? fragment(value) : Fragment{{scalar(value)}};
}

void XeKernelEmitter::emitGather(const Op &op) {
  const Value *tile = op.operand(kTile);
  Elem elem = tile->type().elem();
  LlvmValue *padding = paddingOf(op, ops_, elem);
  Fragment result;
  for (size_t k = 0; k < fragment(tile).size(); ++k) {
    Element element = scatterElement(tile, k, maskOf(op, 1, k));
    result.push_back({guarded(element.inside, [&] { return loadAt(element.address, elem); }, padding)});
  }
  setValue(op.result(), std::move(result));
}

void XeKernelEmitter::emitScatter(const Op &op) {
  bool descriptor = op.info().typeRule == TypeRule::ScatterTdesc;
  const Value *tile = op.operand(descriptor ? 1 : 2);
  Fragment value = valueOf(op.operand(0));
  for (size_t k = 0; k < value.size(); ++k) {
    LlvmValue *given = scalarOf(b, value[k]);
    if (op.operand(0)->type().isIndex()) given = wide(given);
    Element element = scatterElement(tile, k, maskOf(op, descriptor ? 2 : 1, k));
    guardedDo(element.inside, [&] { storeAt(element.address, tile->type().elem(), given); });
  }
}

void XeKernelEmitter::emitAtomic(const Op &op) {
  const Value *tile = op.operand(kTileOfUpdate);
  Elem elem = tile->type().elem();
  Fragment value = valueOf(op.operand(0)), result;
  bool scatter = tile->type().data().scatter;
  Lattice lattice = scatter ? Lattice() : latticeOf(tile->type());
  Reach where = scatter ? Reach() : reach(tile, lattice);
  for (size_t k = 0; k < value.size(); ++k) {
    LlvmValue *given = scalarOf(b, value[k]), *mask = maskOf(op, 2, k);
    if (op.operand(0)->type().isIndex()) given = wide(given);
    Element element;
    if (scatter) {
      element = scatterElement(tile, k, mask);
    } else {
      size_t row = k / lattice.columns.size(), column = k % lattice.columns.size();
      element = {inside(where, row, column), address(where, row, column)};
      if (mask) element.inside = b.CreateAnd(element.inside, mask);
    }
    result.push_back(
        {guarded(element.inside, [&] { return updateAtomically(op, elem, element.address, given); }, ops_.zero(elem, 0))});
  }
  setValue(op.result(), std::move(result));
}

// Updates that the hardware lacks use compare-and-swap.
LlvmValue *XeKernelEmitter::updateAtomically(const Op &op, Elem elem, LlvmValue *address, LlvmValue *value) {
  std::optional<OpKind> combining = combiningOp(op); // nullopt: the new value replaces the old one
  bool assigns = !combining, word = elemInfo(elem).storageBytes >= 4;
  auto bytes = static_cast<uint64_t>(elemInfo(elem).storageBytes);
  OpKind kind = combining.value_or(OpKind::Select);
  std::optional<llvm::AtomicRMWInst::BinOp> update;
  if (word && assigns)
    update = llvm::AtomicRMWInst::Xchg;
  else if (word && isInteger(elem))
    update = integerUpdate(kind);
  else if (elem == Elem::F32 && kind == OpKind::AddF)
    update = llvm::AtomicRMWInst::FAdd;
  if (elemInfo(elem).isUnsigned && update == llvm::AtomicRMWInst::Min) update = llvm::AtomicRMWInst::UMin;
  if (elemInfo(elem).isUnsigned && update == llvm::AtomicRMWInst::Max) update = llvm::AtomicRMWInst::UMax;
  if (!update || (update == llvm::AtomicRMWInst::FAdd && target_.mma.empty())) return swapUntilDone(kind, elem, address, value);
  bool exchangesFloat = assigns && isFloat(elem);
  LlvmValue *given = exchangesFloat ? b.CreateBitCast(value, b.getIntNTy(static_cast<unsigned>(8 * bytes))) : value;
  LlvmValue *before = b.CreateAtomicRMW(*update, address, given, llvm::Align(bytes), llvm::AtomicOrdering::Monotonic,
                                        b.getContext().getOrInsertSyncScopeID("device"));
  return exchangesFloat ? b.CreateBitCast(before, value->getType()) : before;
}

// A compare-and-swap loop on the 32- or 64-bit word that holds the element.
LlvmValue *XeKernelEmitter::swapUntilDone(OpKind kind, Elem elem, LlvmValue *address, LlvmValue *value) {
  auto bytes = static_cast<unsigned>(elemInfo(elem).storageBytes);
  llvm::Type *image = b.getIntNTy(8 * bytes), *word = bytes == 8 ? b.getInt64Ty() : b.getInt32Ty();
  llvm::Align align(bytes == 8 ? 8 : 4);
  LlvmValue *place = b.CreatePtrToInt(address, b.getInt64Ty()), *shift = nullptr;
  if (bytes < 4) { // an element does not cross words, because its address is a multiple of its size
    LlvmValue *inWord = b.CreateTrunc(b.CreateAnd(place, number(3)), b.getInt32Ty());
    shift = b.CreateMul(inWord, number32(8));
    address = b.CreatePtrAdd(address, b.CreateNeg(b.CreateAnd(place, number(3))));
  }
  llvm::SyncScope::ID scope = b.getContext().getOrInsertSyncScopeID("device");
  // Bytes around a narrow element are only accessed by exchanges (kernel_abi.h), so the loop starts from 0: if the word
  // differs, the first exchange reads it.
  LlvmValue *first = shift ? number32(0) : static_cast<LlvmValue *>(b.CreateAlignedLoad(word, address, align));
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *again = llvm::BasicBlock::Create(b.getContext(), "atomic", function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "atomic.end", function);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  llvm::PHINode *old = openPhi(first, before);
  LlvmValue *bits = shift ? b.CreateTrunc(b.CreateLShr(old, shift), image) : static_cast<LlvmValue *>(old);
  LlvmValue *current = ops_.fromStorage(elem, b.CreateBitCast(bits, ops_.storageType(elem, 0)));
  LlvmValue *next = kind == OpKind::Select ? value : ops_.combine(kind, elem, current, value);
  LlvmValue *wanted = b.CreateBitCast(ops_.toStorage(elem, next), image);
  if (shift) {
    LlvmValue *mask = b.CreateShl(b.getInt32(bytes == 1 ? 0xFF : 0xFFFF), shift);
    wanted = b.CreateOr(b.CreateAnd(old, b.CreateNot(mask)), b.CreateShl(b.CreateZExt(wanted, word), shift));
  }
  llvm::AtomicCmpXchgInst *swap = b.CreateAtomicCmpXchg(address, old, wanted, align, llvm::AtomicOrdering::Monotonic,
                                                        llvm::AtomicOrdering::Monotonic, scope);
  LlvmValue *found = b.CreateExtractValue(swap, 0);
  closePhi(old, found);
  b.CreateCondBr(b.CreateExtractValue(swap, 1), done, again);
  b.SetInsertPoint(done);
  return current;
}

} // namespace xt
