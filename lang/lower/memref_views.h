// Lowers the ops that view a memref's elements in another shape without copying: `memref.subview`, `memref.transpose`,
// `memref.collapse_shape` and `memref.expand_shape`. Each becomes a `view` with computed sizes and strides.
#pragma once
#include "lang/lower/composite_clause.h"

namespace xt {

// These functions return nullopt if an error was reported.
std::optional<std::vector<Value *>> lowerSubview(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerMemRefTranspose(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerCollapseShape(const CompositeClause &clause);
std::optional<std::vector<Value *>> lowerExpandShape(const CompositeClause &clause);

// An extent, a stride or an offset, in elements: a number that is known while the file is compiled, or a value.
struct ViewNumber {
  int64_t known = kDynamic;
  Value *value = nullptr; // null until it is needed, if the number is known
};

// Computes with such numbers, and folds those that are known.
class ViewNumbers {
public:
  explicit ViewNumbers(CompositeOps &ops) : ops_(ops) {}
  static ViewNumber known(int64_t number) { return {number, nullptr}; }
  static ViewNumber of(Value *value); // known if the value is a constant that is not negative
  ViewNumber size(Value *memref, size_t dim);
  ViewNumber stride(Value *memref, size_t dim);
  ViewNumber times(ViewNumber a, ViewNumber b);
  ViewNumber plus(ViewNumber a, ViewNumber b);
  // The number of elements from the memref's first to its last one; 0 if it is empty.
  ViewNumber span(Value *memref);
  Value *value(ViewNumber &number);

private:
  CompositeOps &ops_;
};

// A memref with these sizes and strides, whose first element is `offset` elements after that of `base`; null if a value is null.
Value *viewOf(KernelState &state, CompositeOps &ops, Value *base, ViewNumber offset, std::vector<ViewNumber> sizes,
              std::vector<ViewNumber> strides);

} // namespace xt
