#include "targets/llvm/lane/lane_values.h"
#include "ir/elem_kinds.h"

namespace xt {

LlvmValue *LaneValues::resize(LlvmValue *index, bool narrow) {
  return b.CreateSExtOrTrunc(index, narrow ? b.getInt32Ty() : b.getInt64Ty());
}

void LaneValues::setIndex(const Value *value, LlvmValue *index) { parts_[value] = {resize(index, narrow(value))}; }

void LaneValues::match(LlvmValue *&x, LlvmValue *&y) {
  if (x->getType() == y->getType()) return;
  x = wide(x);
  y = wide(y);
}

LlvmValue *LaneValues::add(LlvmValue *x, LlvmValue *y) {
  match(x, y);
  return b.CreateAdd(x, y);
}

// The comparison is unsigned: a negative index is then larger than every size.
LlvmValue *LaneValues::below(LlvmValue *index, LlvmValue *size) {
  match(index, size);
  return b.CreateICmpULT(index, size);
}

LlvmValue *LaneValues::asIndex(const Value *integer) {
  if (integer->type().isIndex()) return wide(scalar(integer));
  return ops_.indexFrom(scalar(integer), integer->type().elem());
}

Fragment LaneValues::valueOf(const Value *value) const {
  return value->type().isVector() ? fragment(value) : Fragment{{scalar(value)}};
}

void LaneValues::setValue(const Value *value, Fragment elements) {
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

LaneParts LaneValues::chunksOf(const Fragment &fragment, Elem elem) {
  LaneParts parts;
  unsigned bits = ops_.type(elem, 0)->getScalarSizeInBits();
  for (size_t k = 0; k < fragment.size();) {
    size_t length = chunkLength(bits, fragment.size() - k);
    parts.push_back(together(b, std::span(fragment).subspan(k, length)));
    k += length;
  }
  return parts;
}

LaneParts LaneValues::flatten(llvm::ArrayRef<Value *> values) {
  LaneParts all;
  for (const Value *value : values) {
    if (auto parts = parts_.find(value); parts != parts_.end()) all.append(parts->second);
    if (auto elements = fragments_.find(value); elements != fragments_.end())
      all.append(chunksOf(elements->second, value->type().isWindow() ? Elem::Index : value->type().elem()));
  }
  return all;
}

void LaneValues::unflatten(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts) {
  auto take = [&] {
    LlvmValue *first = parts.front();
    parts = parts.drop_front();
    return first;
  };
  for (const Value *value : values) {
    Type type = value->type();
    bool scatter = type.isWindow() && type.data().scatter;
    if (type.isIndex()) {
      setIndex(value, take());
    } else if (!type.isVector()) {
      size_t count = type.isMemRef()               ? 1 + 2 * static_cast<size_t>(type.rank())
                     : type.is(TypeKind::NBarrier) ? size_t{kBarrierParts}
                     : scatter                     ? size_t{kScatterParts}
                     : type.isWindow()             ? size_t{kWindowParts}
                     : type.is(TypeKind::Token)    ? 0 // the order of groups says what a wait is for
                                                   : 1;
      LaneParts own;
      for (size_t i = 0; i < count; ++i) own.push_back(take());
      if (count == kWindowParts && !scatter && type.isWindow())
        for (size_t d = 0; d < 2; ++d) own[kY + d] = resize(own[kY + d], ranges_.ofWindow(value, d).fits32());
      parts_[value] = std::move(own);
    }
    if (!type.isVector() && !scatter) continue;
    Fragment elements;
    auto count = static_cast<size_t>(type.elementCount());
    while (elements.size() < count) append(elements, take());
    fragments_[value] = std::move(elements);
  }
}

} // namespace xt
