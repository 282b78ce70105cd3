#include "passes/nest_rows.h"

#include "ir/constants.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/infer/layout_rules.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"

namespace xt {
namespace {

// The row of an element that is 0: no matrix has it, wherever its tile begins.
constexpr int64_t kNoRow = int64_t{-1} << 62;

const Op *opOf(const Value *value, OpKind kind) {
  while (value->definingOp() && value->definingOp()->kind() == OpKind::ConvertLayout) value = value->definingOp()->operand(0);
  const Op *op = value->definingOp();
  return op && op->kind() == kind ? op : nullptr;
}

bool isColumn(const Value *value) { return value->type().rank() == 2 && value->type().extent(1) == 1; }

// The vector of one column of which each row of `value` repeats an element; null: there is none.
Value *repeatedColumn(const Value *value) {
  const Op *broadcast = opOf(value, OpKind::Broadcast);
  return broadcast && dimensionOf(*broadcast) == 1 && isColumn(broadcast->operand(0)) ? broadcast->operand(0) : nullptr;
}

// The scalar of which all elements of `value` are copies; null: there is none.
Value *splatted(const Value *value) {
  const Op *splat = opOf(value, OpKind::Splat);
  return splat ? splat->operand(0) : nullptr;
}

bool isExtent(const Value *value, const Value *memref, int64_t dim, OpKind kind) {
  const Op *op = value ? value->definingOp() : nullptr;
  return op && op->kind() == kind && op->operand(0) == memref && constantInt(*op->operand(1)) == dim;
}

// The two operands of an op that may come in any order, of which `first` takes one.
template <class First> std::pair<const Value *, const Value *> operandsOf(const Op &op, const First &first) {
  const Value *x = op.operand(0), *y = op.operand(1);
  return first(x) ? std::pair(x, y) : first(y) ? std::pair(y, x) : std::pair<const Value *, const Value *>{};
}

// Matches `x <ult> y` where y is a splat of the extent of a dimension.
bool isBelowExtent(const Value *condition, const Value *x, const Value *matrix, int64_t dim) {
  const Op *compare = opOf(condition, OpKind::CmpI);
  return compare && CmpIOp(*compare).kind() == CmpIKind::Ult && compare->operand(0) == x &&
         isExtent(splatted(compare->operand(1)), matrix, dim, OpKind::Dim);
}

// Whether `value` is an op of that kind, of whose operands `p` takes one and `q` the other, of a difference the first and the
// second.
template <class P, class Q> bool isBinary(const Value *value, OpKind kind, const P &p, const Q &q) {
  const Op *op = opOf(value, kind);
  if (!op) return false;
  return (p(op->operand(0)) && q(op->operand(1))) || (kind != OpKind::SubI && p(op->operand(1)) && q(op->operand(0)));
}

// Matches the number of elements from the first to the last one of a matrix without a stride between the elements of a row, as
// lowering computes it: (1 + (rows - 1) * stride + (columns - 1)) * (min(rows, 1) * min(columns, 1)).
bool isSpan(const Value *value, const Value *matrix) {
  auto isOne = [](const Value *x) { return constantInt(*x) == 1; };
  auto isDim = [&](int64_t dim) { return [=](const Value *x) { return isExtent(x, matrix, dim, OpKind::Dim); }; };
  auto isStride = [&](const Value *x) { return isExtent(x, matrix, 0, OpKind::Stride); };
  auto isLast = [&](int64_t dim) { return [=](const Value *x) { return isBinary(x, OpKind::SubI, isDim(dim), isOne); }; };
  auto isAny = [&](int64_t dim) { return [=](const Value *x) { return isBinary(x, OpKind::MinSI, isDim(dim), isOne); }; };
  auto isLastRow = [&](const Value *x) { return isBinary(x, OpKind::MulI, isLast(0), isStride); };
  auto isRows = [&](const Value *x) { return isBinary(x, OpKind::AddI, isOne, isLastRow); };
  auto isAll = [&](const Value *x) { return isBinary(x, OpKind::AddI, isRows, isLast(1)); };
  auto isAnyAtAll = [&](const Value *x) { return isBinary(x, OpKind::MulI, isAny(0), isAny(1)); };
  return isBinary(value, OpKind::MulI, isAll, isAnyAtAll);
}

// Matches the view of a whole matrix as one row of elements; returns the matrix.
Value *flattened(const Value *value) {
  const Op *view = value->definingOp();
  if (!view || view->kind() != OpKind::View || view->operandCount() != 4) return nullptr;
  Value *matrix = view->operand(0);
  if (matrix->type().rank() != 2 || memrefStrides(matrix->type())[1] != 1) return nullptr;
  const bool whole = constantInt(*view->operand(1)) == 0 && constantInt(*view->operand(3)) == 1;
  return whole && isSpan(view->operand(2), matrix) ? matrix : nullptr;
}

// Matches `%along + %column`; sets the column.
bool isAlong(const Value *value, Value *&column) {
  auto isIota = [](const Value *x) {
    const Op *iota = opOf(x, OpKind::Iota);
    return iota && dimensionOf(*iota) == 1;
  };
  if (isIota(value)) return column = nullptr, true;
  const Op *sum = opOf(value, OpKind::AddI);
  if (!sum) return false;
  column = const_cast<Value *>(operandsOf(*sum, isIota).second);
  return column && (column = splatted(column));
}

} // namespace

bool addRowMask(const Value *mask, const Value *matrix, const Value *column, NestRows &rows) {
  if (Value *each = repeatedColumn(mask)) return rows.masks.push_back(each), true;
  const Op *limits = opOf(mask, OpKind::CreateMask);
  if (!limits || rows.first) return false;
  std::optional<int64_t> columns = constantInt(*limits->operand(1));
  const Op *left = limits->operand(1)->definingOp(); // the columns that are left of the matrix
  const bool ofMatrix = matrix && column && left && left->kind() == OpKind::SubI && left->operand(1) == column &&
                        isExtent(left->operand(0), matrix, 1, OpKind::Dim);
  if (!ofMatrix && (!columns || *columns < mask->type().extent(1))) return false;
  rows.first = limits->operand(0);
  return true;
}

GatheredRows gatheredRows(const Op &load) {
  const Op *init = load.operand(0)->definingOp();
  if (!init || init->kind() != OpKind::InitTile || !init->operand(0)->type().isMemRef()) return {};
  GatheredRows found;
  Value *matrix = flattened(init->operand(0));
  const Op *offsets = matrix ? opOf(init->operand(1), OpKind::Select) : nullptr;
  if (!offsets) return {};
  const Value *none = splatted(offsets->operand(2));
  const AttrValue *outside = constantValue(none ? *none : *offsets->operand(2));
  const auto *below = outside ? std::get_if<int64_t>(outside) : nullptr;
  const Op *inside = opOf(offsets->operand(0), OpKind::AndI), *sum = opOf(offsets->operand(1), OpKind::AddI);
  if (!below || *below >= 0 || !inside || !sum) return {};
  auto [row, along] = operandsOf(*sum, [](const Value *x) { return opOf(x, OpKind::MulI) != nullptr; });
  if (!row || !isAlong(along, found.column)) return {};
  auto [numbers, stride] = operandsOf(*opOf(row, OpKind::MulI), [](const Value *x) { return repeatedColumn(x) != nullptr; });
  if (!numbers || !isExtent(splatted(stride), matrix, 0, OpKind::Stride)) return {};
  const Value *number = numbers, *place = along;
  auto bounds = operandsOf(*inside, [&](const Value *x) { return isBelowExtent(x, number, matrix, 0); });
  if (!bounds.first || !isBelowExtent(bounds.second, place, matrix, 1)) return {};
  found.numbers = repeatedColumn(numbers);
  found.matrix = matrix;
  return found;
}

Value *rowNumbers(Builder &build, const NestRows &rows, Type sum) {
  Context &context = build.context();
  // Whoever holds an element of a row of the sums holds the number of that row.
  const Layout *layout = sum.layout() ? grouped(context, sum.layout(), 1, sum.extent(1)) : nullptr;
  const Type numbersType = context.vector({sum.extent(0), 1}, Elem::Index, layout);
  auto held = [&](Value *value) {
    const Type type = context.withLayout(value->type(), layout);
    return value->type() == type ? value : build.value(OpKind::ConvertLayout, {value}, type);
  };
  Value *numbers = rows.numbers ? held(rows.numbers) : nullptr;
  if (!numbers) {
    Op *count = build.create(OpKind::Iota, {}, {numbersType});
    IotaOp(*count).setDim(0);
    numbers = count->result();
  }
  std::vector<Value *> masks;
  for (Value *mask : rows.masks) masks.push_back(held(mask));
  if (rows.first)
    masks.push_back(build.value(OpKind::CreateMask, {rows.first, build.index(1)}, context.withElem(numbersType, Elem::I1)));
  for (Value *mask : masks)
    numbers = build.value(OpKind::Select, {mask, numbers, build.constantInt(numbersType, kNoRow)}, numbersType);
  return numbers;
}

} // namespace xt
