#include "targets/llvm/lane/gathers.h"

#include "ir/atomic_update.h"
#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/shared.h"
#include "targets/llvm/lane/phi.h"
#include "targets/llvm/lane/windows.h"

namespace xt {
namespace {

constexpr size_t kTile = 0;

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
void LaneGathers::initScatter(const Op &op) {
  const Value *base = op.operand(0), *offsets = op.operand(1);
  Type type = op.result()->type();
  LaneParts parts = base->type().isMemRef() // a memref of one dimension has three parts: base, size, stride
                        ? v.partsOf(base)
                        : LaneParts{LaneMemoryOps(c).pointer(v.asIndex(base)), nullptr, v.number(1)};
  if (!base->type().isMemRef()) parts[kScatterSize] = v.number(-1); // an address has no bounds
  v.setParts(op.result(), std::move(parts));
  if (!isDescriptor(op.result())) {
    v.setFragment(op.result(), v.fragment(offsets));
    return;
  }
  LlvmValue *first = v.asIndex(offsets);
  Fragment all;
  for (int64_t k = 0; k < type.data().chunk; ++k) all.push_back({b.CreateAdd(first, v.number(k))});
  v.setFragment(op.result(), std::move(all));
}

void LaneGathers::moveScatter(const Op &op) {
  const Value *deltas = op.operand(1);
  v.setParts(op.result(), v.partsOf(op.operand(0)));
  Fragment offsets = v.fragment(op.operand(0));
  LlvmValue *same = deltas->type().isVector() ? nullptr : v.asIndex(deltas);
  for (size_t k = 0; k < offsets.size(); ++k) {
    LlvmValue *delta = same ? same : scalarOf(b, v.fragment(deltas)[k]);
    offsets[k] = {b.CreateAdd(scalarOf(b, offsets[k]), delta)};
  }
  v.setFragment(op.result(), std::move(offsets));
}

// The size of a scatter tile on an address is the greatest unsigned number, so that every offset except one is below it.
LaneElement LaneGathers::scatterElement(const Value *tile, size_t k, LlvmValue *mask) {
  const LaneParts &parts = v.partsOf(tile);
  LlvmValue *offset = scalarOf(b, v.fragment(tile)[k]);
  LlvmValue *size = parts[kScatterSize];
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(size);
  LlvmValue *inside = known && known->isMinusOne() ? static_cast<LlvmValue *>(b.getTrue()) : v.below(offset, size);
  LlvmValue *bytes = b.CreateMul(parts[kScatterStride], v.number(elemInfo(tile->type().elem()).storageBytes));
  return {mask ? b.CreateAnd(inside, mask) : inside, byteOffset(b, parts[kScatterBase], b.CreateMul(offset, bytes))};
}

LlvmValue *LaneGathers::maskOf(const Op &op, size_t operand, size_t k) {
  if (operand >= op.operandCount()) return nullptr;
  const Value *mask = op.operand(operand);
  return mask->type().isVector() ? scalarOf(b, v.fragment(mask)[k]) : v.scalar(mask);
}

void LaneGathers::emitGather(const Op &op) {
  const Value *tile = op.operand(kTile);
  Elem elem = tile->type().elem();
  LlvmValue *padding = paddingOf(op, ops, elem);
  LaneMemoryOps memory(c);
  Fragment result;
  for (size_t k = 0; k < v.fragment(tile).size(); ++k) {
    LaneElement element = scatterElement(tile, k, maskOf(op, 1, k));
    result.push_back({memory.guarded(element.inside, [&] { return memory.loadAt(element.address, elem); }, padding)});
  }
  v.setValue(op.result(), std::move(result));
}

void LaneGathers::emitScatter(const Op &op) {
  bool descriptor = op.info().typeRule == TypeRule::ScatterTdesc;
  const Value *tile = op.operand(descriptor ? 1 : 2);
  Fragment value = v.valueOf(op.operand(0));
  LaneMemoryOps memory(c);
  for (size_t k = 0; k < value.size(); ++k) {
    LlvmValue *given = scalarOf(b, value[k]);
    if (op.operand(0)->type().isIndex()) given = v.wide(given);
    LaneElement element = scatterElement(tile, k, maskOf(op, descriptor ? 2 : 1, k));
    memory.guardedDo(element.inside, [&] { memory.storeAt(element.address, tile->type().elem(), given); });
  }
}

void LaneGathers::emitAtomic(const Op &op) {
  const AtomicUpdate update(op);
  const Value *tile = update.tile();
  Elem elem = tile->type().elem();
  Fragment value = v.valueOf(update.value()), expected, result;
  if (update.compares()) expected = v.valueOf(update.expected());
  // Buffers of indices hold 64 bits, also where the kernel's indices have 32.
  auto given = [&](const Fragment &from, size_t k) {
    return update.value()->type().isIndex() ? v.wide(scalarOf(b, from[k])) : scalarOf(b, from[k]);
  };
  bool scatter = tile->type().data().scatter;
  LaneWindows windows(c);
  LaneWindows::Lattice lattice = scatter ? LaneWindows::Lattice() : windows.latticeOf(tile->type());
  LaneWindows::Reach where = scatter ? LaneWindows::Reach() : windows.reach(tile, lattice);
  for (size_t k = 0; k < value.size(); ++k) {
    LlvmValue *mask = maskOf(op, update.maskIndex(), k);
    LaneElement element;
    if (scatter) {
      element = scatterElement(tile, k, mask);
    } else {
      size_t row = k / lattice.columns.size(), column = k % lattice.columns.size();
      element = {windows.inside(where, row, column), windows.address(where, row, column)};
      if (mask) element.inside = b.CreateAnd(element.inside, mask);
    }
    result.push_back({LaneMemoryOps(c).guarded(
        element.inside,
        [&] {
          if (!update.compares()) return updateAtomically(op, elem, element.address, given(value, k));
          return compareAndSwap(op, elem, element.address, given(expected, k), given(value, k));
        },
        ops.zero(elem, 0))});
  }
  v.setValue(op.result(), std::move(result));
}

// Updates that the hardware lacks use compare-and-swap.
LlvmValue *LaneGathers::updateAtomically(const Op &op, Elem elem, LlvmValue *address, LlvmValue *value) {
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
  if (!update || (update == llvm::AtomicRMWInst::FAdd && !c.device.addsFloats()))
    return swapUntilDone(op, elem, address,
                         [&](LlvmValue *current) { return assigns ? value : ops.combine(kind, elem, current, value); });
  bool exchangesFloat = assigns && isFloat(elem);
  LlvmValue *given = exchangesFloat ? b.CreateBitCast(value, b.getIntNTy(static_cast<unsigned>(8 * bytes))) : value;
  LlvmValue *before =
      b.CreateAtomicRMW(*update, address, given, llvm::Align(bytes), llvm::AtomicOrdering::Monotonic, scopeOf(op));
  return exchangesFloat ? b.CreateBitCast(before, value->getType()) : before;
}

llvm::SyncScope::ID LaneGathers::scopeOf(const Op &op) {
  return c.syncScope(AtomicUpdate(op).inWorkgroup() ? LaneScope::Workgroup : LaneScope::Device);
}

// Hardware compares words. Of a narrower element, the whole word is exchanged until no other part of it changes meanwhile.
LlvmValue *LaneGathers::compareAndSwap(const Op &op, Elem elem, LlvmValue *address, LlvmValue *expected, LlvmValue *value) {
  auto bytes = static_cast<uint64_t>(elemInfo(elem).storageBytes);
  if (bytes < 4)
    return swapUntilDone(op, elem, address,
                         [&](LlvmValue *current) { return b.CreateSelect(b.CreateICmpEQ(current, expected), value, current); });
  return b.CreateExtractValue(b.CreateAtomicCmpXchg(address, expected, value, llvm::Align(bytes),
                                                    llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic,
                                                    scopeOf(op)),
                              0);
}

// A compare-and-swap loop on the 32- or 64-bit word that holds the element.
LlvmValue *LaneGathers::swapUntilDone(const Op &op, Elem elem, LlvmValue *address, NextValue next) {
  auto bytes = static_cast<unsigned>(elemInfo(elem).storageBytes);
  llvm::Type *image = b.getIntNTy(8 * bytes), *word = bytes == 8 ? b.getInt64Ty() : b.getInt32Ty();
  llvm::Align align(bytes == 8 ? 8 : 4);
  LlvmValue *place = b.CreatePtrToInt(address, b.getInt64Ty()), *shift = nullptr;
  if (bytes < 4) { // an element does not cross words, because its address is a multiple of its size
    LlvmValue *inWord = b.CreateTrunc(b.CreateAnd(place, v.number(3)), b.getInt32Ty());
    shift = b.CreateMul(inWord, v.number32(8));
    address = b.CreatePtrAdd(address, b.CreateNeg(b.CreateAnd(place, v.number(3))));
  }
  // Bytes around a narrow element are only accessed by exchanges (lane_kernel.h). The loop therefore starts from 0 without a
  // load: if the word differs, the first exchange reads it.
  LlvmValue *first = v.number32(0);
  if (!shift) {
    llvm::LoadInst *load = b.CreateAlignedLoad(word, address, align);
    if (c.device.atomicsOrderAll()) load->setAtomic(llvm::AtomicOrdering::Monotonic, scopeOf(op));
    first = load;
  }
  llvm::Function *function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock *before = b.GetInsertBlock();
  auto *again = llvm::BasicBlock::Create(b.getContext(), "atomic", function);
  auto *done = llvm::BasicBlock::Create(b.getContext(), "atomic.end", function);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  llvm::PHINode *old = openPhi(b, first, before);
  LlvmValue *bits = shift ? b.CreateTrunc(b.CreateLShr(old, shift), image) : static_cast<LlvmValue *>(old);
  LlvmValue *current = ops.fromStorage(elem, b.CreateBitCast(bits, ops.storageType(elem, 0)));
  LlvmValue *wanted = b.CreateBitCast(ops.toStorage(elem, next(current)), image);
  if (shift) {
    LlvmValue *mask = b.CreateShl(b.getInt32(bytes == 1 ? 0xFF : 0xFFFF), shift);
    wanted = b.CreateOr(b.CreateAnd(old, b.CreateNot(mask)), b.CreateShl(b.CreateZExt(wanted, word), shift));
  }
  llvm::AtomicCmpXchgInst *swap = b.CreateAtomicCmpXchg(address, old, wanted, align, llvm::AtomicOrdering::Monotonic,
                                                        llvm::AtomicOrdering::Monotonic, scopeOf(op));
  LlvmValue *found = b.CreateExtractValue(swap, 0);
  closePhi(b, old, found);
  b.CreateCondBr(b.CreateExtractValue(swap, 1), done, again);
  b.SetInsertPoint(done);
  return current;
}

} // namespace xt
