#include "targets/llvm/lane/memory.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

LlvmValue *LaneMemoryOps::loadAt(LlvmValue *address, Elem elem) {
  llvm::Align align(static_cast<uint64_t>(elemInfo(elem).storageBytes));
  return ops.fromStorage(elem, b.CreateAlignedLoad(ops.storageType(elem, 0), c.device.accessed(c, address), align));
}

void LaneMemoryOps::storeAt(LlvmValue *address, Elem elem, LlvmValue *value) {
  llvm::Align align(static_cast<uint64_t>(elemInfo(elem).storageBytes));
  b.CreateAlignedStore(ops.toStorage(elem, value), c.device.accessed(c, address), align);
}

LlvmValue *LaneMemoryOps::guarded(LlvmValue *condition, llvm::function_ref<LlvmValue *()> load, LlvmValue *otherwise) {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition)) return known->isOne() ? load() : otherwise;
  return ifElse(b, condition, [&]() -> LlvmValues { return {load()}; }, [&]() -> LlvmValues { return {otherwise}; })[0];
}

void LaneMemoryOps::guardedDo(LlvmValue *condition, llvm::function_ref<void()> work) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition);
  if (known && known->isZero()) return;
  if (known) return work();
  ifThen(b, condition, work);
}

void LaneMemoryOps::emitDim(const Op &op) {
  const Value *memref = op.operand(0);
  const LaneParts &parts = v.partsOf(memref);
  LlvmValue *dimension = v.scalar(op.operand(1)), *extent = v.number32(0);
  int rank = memref->type().rank(), first = op.kind() == OpKind::Stride ? 1 + rank : 1;
  for (int d = 0; d < rank; ++d) {
    LlvmValue *here = b.CreateICmpEQ(dimension, llvm::ConstantInt::get(dimension->getType(), static_cast<uint64_t>(d)));
    LlvmValue *own = parts[static_cast<size_t>(first + d)];
    v.match(own, extent);
    extent = b.CreateSelect(here, own, extent);
  }
  v.setIndex(op.result(), extent);
}

void LaneMemoryOps::castMemRef(const Op &op) {
  LaneParts from = v.partsOf(op.operand(0));
  Type source = op.operand(0)->type(), result = op.result()->type();
  auto rank = static_cast<size_t>(result.rank());
  LaneParts parts(1 + 2 * rank, v.number(1));
  parts[0] = from[0];
  std::vector<int> dims = *memrefCastDims(source, result);
  for (size_t d = 0; d < rank; ++d) {
    parts[1 + d] = v.number32(1);
    if (dims[d] < 0) continue;
    parts[1 + d] = from[static_cast<size_t>(1 + dims[d])];
    parts[1 + rank + d] = from[static_cast<size_t>(1 + source.rank() + dims[d])];
  }
  v.setParts(op.result(), std::move(parts));
}

void LaneMemoryOps::viewMemRef(const Op &op) {
  auto rank = static_cast<size_t>(op.result()->type().rank());
  LlvmValue *bytes = v.number(elemInfo(op.result()->type().elem()).storageBytes);
  LaneParts parts(1 + 2 * rank);
  parts[0] = byteOffset(b, v.partsOf(op.operand(0))[0], b.CreateMul(v.wide(v.scalar(op.operand(1))), bytes));
  for (size_t d = 0; d < rank; ++d) {
    parts[1 + d] = v.scalar(op.operand(2 + d));
    parts[1 + rank + d] = v.wide(v.scalar(op.operand(2 + rank + d)));
  }
  v.setParts(op.result(), std::move(parts));
}

// Buffers that share memory are placed in one variable, and every other buffer in its own, because the software device knows
// where each variable ends.
void LaneMemoryOps::makeSlmVariables(const std::string &entry) {
  std::vector<SlmBuffer> buffers = c.slmLayout.buffers;
  std::ranges::stable_sort(buffers, {}, &SlmBuffer::offset);
  for (size_t first = 0, next; first < buffers.size(); first = next) {
    int64_t begin = buffers[first].offset, end = begin;
    std::string name = entry + ".slm";
    for (next = first; next < buffers.size() && (next == first || buffers[next].offset < end); ++next) {
      end = std::max(end, buffers[next].offset + buffers[next].bytes);
      name += "." + std::string(buffers[next].alloc->result()->name());
    }
    auto *bytes = llvm::ArrayType::get(b.getInt8Ty(), static_cast<uint64_t>(end - begin));
    auto *variable =
        new llvm::GlobalVariable(c.module, bytes, false, llvm::GlobalValue::InternalLinkage, llvm::PoisonValue::get(bytes),
                                 name, nullptr, llvm::GlobalValue::NotThreadLocal, c.addressSpace(MemorySpace::Slm));
    variable->setAlignment(llvm::Align(kSlmAlignment));
    c.slm.push_back({begin, end, variable});
  }
}

void LaneMemoryOps::allocSlm(const Op &op) {
  Type type = op.result()->type();
  int64_t offset = c.slmLayout.offsetOf(op);
  auto behind = std::ranges::upper_bound(c.slm, offset, {}, &SlmVariable::begin);
  XT_CHECK(behind != c.slm.begin(), "each buffer lies in a variable");
  LaneParts parts = {byteOffset(b, std::prev(behind)->variable, v.number32(offset - std::prev(behind)->begin))};
  for (int64_t extent : type.shape()) parts.push_back(v.number32(extent));
  for (int64_t stride : memrefStrides(type)) parts.push_back(v.number(stride));
  v.setParts(op.result(), std::move(parts));
}

LaneElement LaneMemoryOps::elementOfMemRef(const Op &op, size_t memref) {
  Type type = op.operand(memref)->type();
  const LaneParts &parts = v.partsOf(op.operand(memref));
  auto rank = static_cast<size_t>(type.rank());
  LlvmValue *inside = b.getTrue(), *elements = v.number(0);
  for (size_t d = 0; d < rank; ++d) {
    LlvmValue *index = v.scalar(op.operand(memref + 1 + d));
    inside = b.CreateAnd(inside, v.below(index, parts[1 + d]));
    elements = b.CreateAdd(elements, b.CreateMul(v.wide(index), parts[1 + rank + d]));
  }
  return {inside, byteOffset(b, parts[0], b.CreateMul(elements, v.number(elemInfo(type.elem()).storageBytes)))};
}

void LaneMemoryOps::emitLoad(const Op &op) {
  Elem elem = op.result()->type().elem();
  LaneElement element = elementOfMemRef(op, 0);
  LlvmValue *value =
      guarded(element.inside, [&] { return loadAt(element.address, elem); }, llvm::Constant::getNullValue(ops.type(elem, 0)));
  if (elem == Elem::Index)
    v.setIndex(op.result(), value);
  else
    v.setParts(op.result(), {value});
}

void LaneMemoryOps::emitStore(const Op &op) {
  Elem elem = op.operand(1)->type().elem();
  LaneElement element = elementOfMemRef(op, 1);
  LlvmValue *value = elem == Elem::Index ? v.wide(v.scalar(op.operand(0))) : v.scalar(op.operand(0));
  guardedDo(element.inside, [&] { storeAt(element.address, elem, value); });
}

} // namespace xt
