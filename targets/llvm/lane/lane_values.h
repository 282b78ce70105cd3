// The LLVM values of a kernel's IR values.
//
// A scalar becomes an LLVM value in the form of RegisterOps; an index has 32 bits if its range fits, otherwise 64. A vector
// becomes a Fragment, with 64 bits per index. A memref, tile, tensor_desc or named barrier becomes a list of parts.
#pragma once
#include "ir/module.h"
#include "targets/llvm/lane/fragment.h"
#include "targets/llvm/lane/index_ranges.h"
#include "targets/llvm/register_ops.h"

#include <unordered_map>

namespace xt {

using LaneParts = LlvmValues;

// The parts of a memref are its address, sizes and strides. A tile or a tensor_desc has these parts:
enum WindowPart : size_t { kBase, kRows, kColumns, kRowStride, kColumnStride, kY, kX, kWindowParts };
// The parts of a scatter tile; its offsets are a fragment.
enum ScatterPart : size_t { kScatterBase, kScatterSize, kScatterStride, kScatterParts };
enum BarrierPart : size_t { kBarrierId, kBarrierRole, kBarrierProducers, kBarrierConsumers, kBarrierParts };

class LaneValues {
public:
  // All arguments must outlive the object.
  LaneValues(llvm::IRBuilderBase &builder, RegisterOps &ops, const IndexRanges &ranges)
      : b(builder), ops_(ops), ranges_(ranges) {}

  LlvmValue *scalar(const Value *value) const { return parts_.at(value)[0]; }
  const LaneParts &partsOf(const Value *value) const { return parts_.at(value); }
  const Fragment &fragment(const Value *value) const { return fragments_.at(value); }
  void setParts(const Value *value, LaneParts parts) { parts_[value] = std::move(parts); }
  void setFragment(const Value *value, Fragment fragment) { fragments_[value] = std::move(fragment); }
  void setIndex(const Value *value, LlvmValue *index);
  // valueOf() returns a scalar as a fragment of one element; setValue() does the reverse.
  Fragment valueOf(const Value *value) const;
  void setValue(const Value *value, Fragment elements);

  // Helpers for indices, and for integers of 32 and 64 bits.
  bool narrow(const Value *index) const { return ranges_.of(index).fits32(); }
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  LlvmValue *number32(int64_t value) { return b.getInt32(static_cast<uint32_t>(value)); }
  LlvmValue *wide(LlvmValue *index) { return b.CreateSExt(index, b.getInt64Ty()); }
  LlvmValue *resize(LlvmValue *index, bool narrow);
  void match(LlvmValue *&x, LlvmValue *&y); // sign-extends the narrower value
  LlvmValue *add(LlvmValue *x, LlvmValue *y);
  LlvmValue *below(LlvmValue *index, LlvmValue *size); // 0 <= index < size
  LlvmValue *asIndex(const Value *integer);            // from any integer type, to 64 bits

  // flatten() returns all LLVM values of a list of IR values in order; unflatten() does the reverse.
  LaneParts flatten(llvm::ArrayRef<Value *> values);
  void unflatten(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts);
  LaneParts chunksOf(const Fragment &fragment, Elem elem);
  static Fragment splat(LlvmValue *scalar, size_t count) { return Fragment(count, FragmentElement{scalar}); }

private:
  llvm::IRBuilderBase &b;
  RegisterOps &ops_;
  const IndexRanges &ranges_;
  std::unordered_map<const Value *, LaneParts> parts_; // both are used for lookup only
  std::unordered_map<const Value *, Fragment> fragments_;
};

} // namespace xt
