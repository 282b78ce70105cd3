// Memrefs, and access to single elements of them.
#include "ir/base/check.h"
#include "targets/xe/emit/kernel_emitter.h"

#include <llvm/IR/Module.h>

namespace xt {

LlvmValue *XeKernelEmitter::loadAt(LlvmValue *address, Elem elem) {
  llvm::Align align(static_cast<uint64_t>(elemInfo(elem).storageBytes));
  return ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, 0), hinted(address), align));
}

void XeKernelEmitter::storeAt(LlvmValue *address, Elem elem, LlvmValue *value) {
  llvm::Align align(static_cast<uint64_t>(elemInfo(elem).storageBytes));
  b.CreateAlignedStore(ops_.toStorage(elem, value), hinted(address), align);
}

LlvmValue *XeKernelEmitter::guarded(LlvmValue *condition, llvm::function_ref<LlvmValue *()> load, LlvmValue *otherwise) {
  if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition)) return known->isOne() ? load() : otherwise;
  return ifElse(b, condition, [&]() -> LlvmValues { return {load()}; }, [&]() -> LlvmValues { return {otherwise}; })[0];
}

void XeKernelEmitter::guardedDo(LlvmValue *condition, llvm::function_ref<void()> work) {
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(condition);
  if (known && known->isZero()) return;
  if (known) return work();
  ifThen(b, condition, work);
}

void XeKernelEmitter::emitDim(const Op &op) {
  const Value *memref = op.operand(0);
  const Parts &parts = parts_.at(memref);
  LlvmValue *dimension = scalar(op.operand(1)), *extent = number32(0);
  for (int d = 0; d < memref->type().rank(); ++d) {
    LlvmValue *here = b.CreateICmpEQ(dimension, llvm::ConstantInt::get(dimension->getType(), static_cast<uint64_t>(d)));
    LlvmValue *own = parts[static_cast<size_t>(1 + d)];
    match(own, extent);
    extent = b.CreateSelect(here, own, extent);
  }
  setIndex(op.result(), extent);
}

void XeKernelEmitter::castMemRef(const Op &op) {
  Parts from = parts_.at(op.operand(0));
  Type source = op.operand(0)->type(), result = op.result()->type();
  auto rank = static_cast<size_t>(result.rank());
  Parts parts(1 + 2 * rank, number(1));
  parts[0] = from[0];
  std::vector<int> dims = *memrefCastDims(source, result);
  for (size_t d = 0; d < rank; ++d) {
    parts[1 + d] = number32(1);
    if (dims[d] < 0) continue;
    parts[1 + d] = from[static_cast<size_t>(1 + dims[d])];
    parts[1 + rank + d] = from[static_cast<size_t>(1 + source.rank() + dims[d])];
  }
  parts_[op.result()] = std::move(parts);
}

void XeKernelEmitter::allocSlm(const Op &op) {
  Type type = op.result()->type();
  int64_t offset = slmLayout_.offsetOf(op);
  auto behind = std::ranges::upper_bound(slm_, offset, {}, &SlmVariable::begin);
  XT_CHECK(behind != slm_.begin(), "each buffer lies in a variable");
  Parts parts = {byteOffset(b, std::prev(behind)->variable, number32(offset - std::prev(behind)->begin))};
  for (int64_t extent : type.shape()) parts.push_back(number32(extent));
  for (int64_t stride : memrefStrides(type)) parts.push_back(number(stride));
  parts_[op.result()] = std::move(parts);
}

XeKernelEmitter::Element XeKernelEmitter::elementOfMemRef(const Op &op, size_t memref) {
  Type type = op.operand(memref)->type();
  const Parts &parts = parts_.at(op.operand(memref));
  auto rank = static_cast<size_t>(type.rank());
  LlvmValue *inside = b.getTrue(), *elements = number(0);
  for (size_t d = 0; d < rank; ++d) {
    LlvmValue *index = scalar(op.operand(memref + 1 + d));
    inside = b.CreateAnd(inside, below(index, parts[1 + d]));
    elements = b.CreateAdd(elements, b.CreateMul(wide(index), parts[1 + rank + d]));
  }
  return {inside, byteOffset(b, parts[0], b.CreateMul(elements, number(elemInfo(type.elem()).storageBytes)))};
}

void XeKernelEmitter::emitLoad(const Op &op) {
  Elem elem = op.result()->type().elem();
  Element element = elementOfMemRef(op, 0);
  LlvmValue *value =
      guarded(element.inside, [&] { return loadAt(element.address, elem); }, llvm::Constant::getNullValue(ops_.type(elem, 0)));
  if (elem == Elem::Index)
    setIndex(op.result(), value);
  else
    parts_[op.result()] = {value};
}

void XeKernelEmitter::emitStore(const Op &op) {
  Elem elem = op.operand(1)->type().elem();
  Element element = elementOfMemRef(op, 1);
  LlvmValue *value = elem == Elem::Index ? wide(scalar(op.operand(0))) : scalar(op.operand(0));
  guardedDo(element.inside, [&] { storeAt(element.address, elem, value); });
}

} // namespace xt
