#include "lang/lower/order_ops.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/matrix_forms.h"
#include "lang/lower/written_types.h"

#include <algorithm>

namespace xt {
namespace {

using Values = std::vector<Value *>;

class OrderOp {
public:
  explicit OrderOp(const CompositeClause &clause) : clause_(clause), ops_(clause) {}

  std::optional<Values> reverse();
  std::optional<Values> sort(bool descending);
  std::optional<Values> topK();
  std::optional<Values> histogram();

private:
  bool read(size_t most);
  bool comparable() const;
  bool sorted(bool descending);
  bool step(int64_t block, int64_t distance, bool descending);
  Value *moved(Value *value, int64_t by, bool behind);
  Value *selectMoved(Value *mask, Value *value, int64_t by);
  Value *follows(Value *a, Value *b);
  bool checkOperands(const ast::Signature &signature);
  std::optional<Values> finish(Values results);

  Value *indices(int64_t value) { return ops_.op(OpKind::Splat, {ops_.index(value)}, {}, indexType()); }
  Type indexType() const { return context().vector(shapeOf(values_[0]->type()), kIndexElem); }
  Value *place();
  Value *compare(OpKind kind, std::string_view predicate, Value *a, Value *b) {
    return ops_.op(kind, {a, b}, {{"kind", std::string(predicate), clause_.range()}});
  }
  Value *select(Value *mask, Value *a, Value *b) { return ops_.op(OpKind::Select, {mask, a, b}); }
  bool wrong(DiagCode code, SourceRange range, std::string message) const {
    clause_.diagnostics().report(code, range, std::move(message));
    return false;
  }
  Context &context() const { return clause_.state().context; }

  static constexpr size_t kMostValues = 8;
  const CompositeClause &clause_;
  CompositeOps ops_;
  Values values_; // as matrices
  Values given_; // the operands
  std::optional<MatrixView> view_;
  size_t dim_ = 0; // of the matrices
  int64_t extent_ = 0;
};

// Reads the operands, which have one shape, and the dimension; makes matrices of them.
bool OrderOp::read(size_t most) {
  const ast::OpClause &clause = clause_.clause();
  if (!clause_.takesOperands(1, most)) return false;
  for (const ast::Expr &operand : clause.operands) {
    Value *value = clause_.plainVector(operand);
    if (!value) return false;
    if (!values_.empty() && !std::ranges::equal(value->type().shape(), values_[0]->type().shape()))
      return wrong(DiagCode::ShapeMismatch, operand.range,
                   str(clause_.name(), " takes vectors of one shape, but ", shapedText(value->type()), " follows ",
                       shapedText(values_[0]->type())));
    values_.push_back(value);
    given_.push_back(value);
  }
  std::optional<int64_t> dim = clause_.dimension(values_[0]->type());
  if (!dim) return false;
  view_.emplace(ops_, values_[0]->type().shape(), static_cast<size_t>(*dim));
  dim_ = static_cast<size_t>(view_->dim());
  extent_ = values_[0]->type().extent(static_cast<int>(*dim));
  for (Value *&value : values_)
    if (!(value = view_->matrixOf(value))) return false;
  return true;
}

// The dimension consists of blocks whose sizes are different powers of two, the largest first. Each step swaps halves of blocks, of
// half the size of those before, which reverses every block; then the blocks change places.
std::optional<Values> OrderOp::reverse() {
  if (!read(1)) return std::nullopt;
  Value *value = values_[0];
  int64_t largest = 1;
  while (largest * 2 <= extent_) largest *= 2;
  for (int64_t by = largest / 2; by >= 1 && value; by /= 2) {
    int64_t end = extent_ & ~(2 * by - 1); // behind it are smaller blocks
    Value *at = place(), *zero = indices(0), *bit = ops_.op(OpKind::AndI, {at, indices(by)});
    Value *isFirst = compare(OpKind::CmpI, "eq", bit, zero), *swapped = selectMoved(isFirst, value, by);
    value = end == extent_ ? swapped : select(compare(OpKind::CmpI, "slt", at, indices(end)), swapped, value);
  }
  Value *blocks = value;
  for (int64_t size = largest, begin = 0; largest != extent_ && size >= 1; size /= 2) {
    if ((extent_ & size) == 0) continue;
    std::vector<int64_t> shape = shapeOf(values_[0]->type()), from(2, 0), to(2, 0);
    shape[dim_] = size, from[dim_] = begin, to[dim_] = extent_ - begin - size;
    value = ops_.insert(ops_.slice(blocks, from, shape), value, to);
    begin += size;
  }
  return finish({value});
}

// For each element its index along the dimension.
Value *OrderOp::place() {
  return ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{static_cast<int64_t>(dim_)}, clause_.range()}}, indexType());
}

// Each element becomes the one `by` behind it or before it; those that have none stay as they are.
Value *OrderOp::moved(Value *value, int64_t by, bool behind) {
  if (!value) return nullptr;
  std::vector<int64_t> shape = shapeOf(value->type()), from(2, 0), to(2, 0);
  shape[dim_] -= by;
  (behind ? from : to)[dim_] = by;
  return ops_.insert(ops_.slice(value, from, shape), value, to);
}

// Where the mask is set the element behind, elsewhere the one before. The ops are made one by one, as compilers evaluate
// arguments in different orders.
Value *OrderOp::selectMoved(Value *mask, Value *value, int64_t by) {
  Value *before = moved(value, by, false), *behind = moved(value, by, true);
  return select(mask, behind, before);
}

// Whether key `a` is greater than key `b`; NaN is greater than all numbers.
Value *OrderOp::follows(Value *a, Value *b) {
  if (!a || !b) return nullptr;
  Elem elem = a->type().elem();
  if (!isFloat(elem)) return compare(OpKind::CmpI, elemInfo(elem).isUnsigned || elem == Elem::I1 ? "ugt" : "sgt", a, b);
  Value *isNan = compare(OpKind::CmpF, "uno", a, a), *isNumber = compare(OpKind::CmpF, "ord", b, b);
  return ops_.op(OpKind::OrI, {compare(OpKind::CmpF, "ogt", a, b), ops_.op(OpKind::AndI, {isNan, isNumber})});
}

// Compares and swaps the elements at this distance that Batcher's network compares when it merges blocks of `block` elements,
// two by two. values_[0] are the keys; if there are several values, the last ones are the indices before the sort.
bool OrderOp::step(int64_t block, int64_t distance, bool descending) {
  Value *at = place(), *bit = ops_.op(OpKind::AndI, {at, indices(distance)});
  Value *isLow = nullptr, *isHigh = nullptr;
  if (distance == block) {
    isLow = compare(OpKind::CmpI, "eq", bit, indices(0));
    isHigh = compare(OpKind::CmpI, "ne", bit, indices(0));
  } else {
    Value *inPair = ops_.op(OpKind::AndI, {at, indices(2 * block - 1)});
    isLow = ops_.op(OpKind::AndI, {compare(OpKind::CmpI, "ne", bit, indices(0)),
                                   compare(OpKind::CmpI, "slt", inPair, indices(2 * block - distance))});
    isHigh = ops_.op(OpKind::AndI,
                     {compare(OpKind::CmpI, "eq", bit, indices(0)), compare(OpKind::CmpI, "sge", inPair, indices(distance))});
  }
  isLow = ops_.op(OpKind::AndI, {isLow, compare(OpKind::CmpI, "slt", at, indices(extent_ - distance))});
  Values others, firsts, seconds;
  for (size_t i = 0; i < values_.size(); ++i) {
    Value *value = values_[i], *other = selectMoved(isLow, value, distance);
    others.push_back(other);
    if (i != 0 && i + 1 != values_.size()) continue;
    firsts.push_back(select(isLow, value, other));
    seconds.push_back(select(isLow, other, value));
  }
  Value *swaps = descending ? follows(seconds[0], firsts[0]) : follows(firsts[0], seconds[0]);
  if (values_.size() > 1) {
    Value *less = descending ? follows(firsts[0], seconds[0]) : follows(seconds[0], firsts[0]);
    Value *isFalse = ops_.op(OpKind::Splat, {ops_.op(OpKind::Extract, {ops_.zeros({1}, Elem::I1), ops_.index(0)})}, {},
                             context().vector(shapeOf(values_[0]->type()), Elem::I1));
    Value *equal = less && swaps ? compare(OpKind::CmpI, "eq", ops_.op(OpKind::OrI, {less, swaps}), isFalse) : nullptr;
    Value *laterFirst = compare(OpKind::CmpI, "sgt", firsts.back(), seconds.back());
    swaps = ops_.op(OpKind::OrI, {swaps, ops_.op(OpKind::AndI, {equal, laterFirst})});
  }
  swaps = ops_.op(OpKind::AndI, {swaps, ops_.op(OpKind::OrI, {isLow, isHigh})});
  for (size_t i = 0; i < values_.size(); ++i)
    if (!(values_[i] = select(swaps, others[i], values_[i]))) return false;
  return true;
}

// Whether the keys can be compared; otherwise reports an error.
bool OrderOp::comparable() const {
  Elem elem = values_[0]->type().elem();
  if (!isStorageFloat(elem)) return true;
  clause_.diagnostics()
      .report(DiagCode::OperandType, clause_.clause().operands[0].range,
              str(clause_.name(), " does not compare ", elemName(elem), ", which is a type of stored numbers"))
      .note("convert the keys first, for example `cast(%x, f32)`; other vectors may be of this type");
  return false;
}

// Sorts values_.
bool OrderOp::sorted(bool descending) {
  if (!comparable()) return false;
  size_t given = values_.size();
  if (given > 1) { // equal keys keep their order
    Value *numbers = ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{static_cast<int64_t>(dim_)}, clause_.range()}},
                             context().vector(shapeOf(values_[0]->type()), Elem::I32));
    values_.push_back(numbers);
  }
  for (int64_t block = 1; block < extent_; block *= 2)
    for (int64_t distance = block; distance >= 1; distance /= 2)
      if (!step(block, distance, descending)) return false;
  values_.resize(given);
  return true;
}

std::optional<Values> OrderOp::sort(bool descending) {
  if (!read(kMostValues) || !sorted(descending)) return std::nullopt;
  return finish(values_);
}

std::optional<Values> OrderOp::topK() {
  if (!read(kMostValues)) return std::nullopt;
  std::optional<std::vector<int64_t>> k = clause_.integers("k");
  if (!k) return std::nullopt;
  if (k->size() != 1 || (*k)[0] < 1 || (*k)[0] > extent_) {
    wrong(DiagCode::AttributeValue, clause_.rangeOf("k"),
          str("`k` of ", clause_.name(), " must be from 1 to the extent, which is ", extent_));
    return std::nullopt;
  }
  if (!sorted(!clause_.has("smallest"))) return std::nullopt;
  std::vector<int64_t> shape = shapeOf(values_[0]->type());
  shape[dim_] = (*k)[0];
  Values results;
  for (Value *value : values_) results.push_back(ops_.slice(value, {0, 0}, shape));
  return finish(std::move(results));
}

// Compares each element with each number that is counted.
std::optional<Values> OrderOp::histogram() {
  const ast::OpClause &clause = clause_.clause();
  if (!clause_.takesOperands(1, 2)) return std::nullopt;
  Value *v = clause_.vector(clause.operands[0], "the first operand"), *mask = nullptr;
  Type result = clause_.vectorType();
  if (!v || !result) return std::nullopt;
  if (clause.operands.size() > 1 && !(mask = clause_.vector(clause.operands[1], "the mask"))) return std::nullopt;
  given_ = {v};
  if (mask) given_.push_back(mask);
  if (clause.signature && !checkOperands(*clause.signature)) return std::nullopt;
  Elem elem = v->type().elem();
  if (isFloat(elem) || elem == Elem::I1) {
    wrong(DiagCode::OperandType, clause.operands[0].range,
          str(clause_.name(), " counts integers, not ", shapedText(v->type())));
    return std::nullopt;
  }
  int64_t bins = result.elementCount();
  if (result.rank() < 1 || result.rank() > 2 || result.shape().back() != bins || result.elem() != Elem::I32) {
    wrong(DiagCode::TypeMismatch, clause_.range(),
          str("the result of ", clause_.name(), " is a row of i32, such as vector<16xi32> or vector<1x16xi32>, not ",
              shapedText(result)));
    return std::nullopt;
  }
  if (mask && (mask->type().elem() != Elem::I1 || !std::ranges::equal(mask->type().shape(), v->type().shape()))) {
    wrong(DiagCode::ShapeMismatch, clause.operands[1].range,
          str("the mask of ", clause_.name(), " is a vector of i1 of the shape of ", shapedText(v->type()), ", not ",
              shapedText(mask->type())));
    return std::nullopt;
  }
  int64_t count = v->type().elementCount();
  auto along = [&](Value *value) {
    return ops_.op(OpKind::Broadcast, {ops_.reshape(value, {count, 1})}, {{"dims", std::vector<int64_t>{1}, clause_.range()}},
                   context().vector({count, bins}, value->type().elem()));
  };
  auto largest = elemInfo(elem).isUnsigned ? elemInfo(elem).bits : elemInfo(elem).bits - 1;
  if (elem != kIndexElem && largest < 62 && bins > (int64_t{1} << largest)) {
    wrong(DiagCode::ShapeMismatch, clause_.range(),
          str(elemName(elem), " has no more than ", int64_t{1} << largest, " numbers from 0 on, but the result has ", bins));
    return std::nullopt;
  }
  Value *number =
      ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{1}, clause_.range()}}, context().vector({count, bins}, elem));
  Value *is = compare(OpKind::CmpI, "eq", along(v), number);
  if (mask) is = ops_.op(OpKind::AndI, {is, along(mask)});
  Value *ones = ops_.op(OpKind::ExtUI, {is}, {}, context().vector({count, bins}, Elem::I32));
  Value *counts = ops_.op(OpKind::Reduction, {ones},
                          {{"kind", std::string("add"), clause_.range()}, {"dims", std::vector<int64_t>{0}, clause_.range()}});
  counts = ops_.reshape(ops_.inAnyLayout(counts), shapeOf(result)); // the counts have the layout of the elements
  if (!counts) return std::nullopt;
  if (clause.signature)
    for (size_t i = 0; i < clause.signature->left.size() && i < given_.size(); ++i)
      clause_.stateOperandLayout(*given_[i], clause.signature->left[i]);
  setWrittenLayout(clause_.state(), clause, counts, result);
  return Values{counts};
}

// Checks the types that are written for the operands: those of all, or one for the first.
bool OrderOp::checkOperands(const ast::Signature &signature) {
  for (size_t i = 0; i < signature.left.size() && i < given_.size(); ++i)
    if (!agreesWith(clause_.state(), signature.left[i], given_[i]->type(), "the operand")) return false;
  return true;
}

// Makes vectors of matrices. Checks the types that are written, and states their layouts.
std::optional<Values> OrderOp::finish(Values results) {
  for (Value *&result : results) {
    result = view_->vectorOf(result);
    if (std::ranges::count(given_, result)) result = ops_.inAnyLayout(result); // one element, which needs no step
  }
  if (std::ranges::count(results, nullptr)) return std::nullopt;
  const ast::OpClause &clause = clause_.clause();
  if (!clause.signature) return results;
  const ast::Signature &signature = *clause.signature;
  if (!checkOperands(signature)) return std::nullopt;
  for (size_t i = 0; i < signature.left.size() && i < given_.size(); ++i)
    clause_.stateOperandLayout(*given_[i], signature.left[i]);
  if (!signature.right.empty() && signature.right.size() != results.size()) {
    wrong(DiagCode::SignatureCount, signature.range,
          str("the signature of ", clause_.name(), " has ", counted(static_cast<int64_t>(signature.right.size()), "result"),
              ", not ", results.size()));
    return std::nullopt;
  }
  for (size_t i = 0; i < signature.right.size() && i < results.size(); ++i) {
    if (!agreesWith(clause_.state(), signature.right[i], results[i]->type(), "the result")) return std::nullopt;
    setWrittenLayout(clause_.state(), signature.right[i], results[i], writtenType(clause_.state(), signature.right[i]));
  }
  return results;
}

} // namespace

std::optional<Values> lowerReverse(const CompositeClause &clause) { return OrderOp(clause).reverse(); }
std::optional<Values> lowerSort(const CompositeClause &clause) { return OrderOp(clause).sort(clause.has("descending")); }
std::optional<Values> lowerTopK(const CompositeClause &clause) { return OrderOp(clause).topK(); }
std::optional<Values> lowerHistogram(const CompositeClause &clause) { return OrderOp(clause).histogram(); }

} // namespace xt
