#include "passes/subgroup_scan.h"

#include "ir/combine.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/index_arithmetic.h"

namespace xt {

// All elements of each line of a value, combined.
Value *SubgroupScan::total(const Op &op, Value *value) {
  size_t dim = dimensionOf(op);
  std::vector<int64_t> shape = shapeOf(value->type());
  shape[dim] = 1;
  Op *reduce = b_.create(OpKind::Reduction, {value}, {b_.context().vector(std::move(shape), value->type().elem())});
  reduce->setAttr(attr_names::kKind, std::string(wordText(ScanOp(op).kind())), op.range());
  ReductionOp(*reduce).setDim(static_cast<int64_t>(dim));
  return reduce->result();
}

Value *SubgroupScan::scanOf(const Op &op, Value *value, bool exclusive) {
  Op *scan = b_.create(OpKind::Scan, {value}, {value->type()});
  ScanOp(*scan).setKind(ScanOp(op).kind(), op.range());
  ScanOp(*scan).setDim(ScanOp(op).dim());
  if (exclusive) ScanOp(*scan).setExclusive();
  if (ScanOp(op).reverse()) ScanOp(*scan).setReverse();
  return scan->result();
}

// The scanned piece with what is before it, one element for each of its lines.
Value *SubgroupScan::combined(const Op &op, Value *piece, Value *before) {
  Op *wide = b_.create(OpKind::Broadcast, {before}, {b_.context().vector(shapeOf(piece->type()), piece->type().elem())});
  BroadcastOp(*wide).setDim(ScanOp(op).dim());
  return b_.value(*combiningOp(op), {piece, wide->result()}, piece->type());
}

// Element `number` of each line.
Value *SubgroupScan::elementAt(const Op &op, Value *line, Value *number) {
  std::vector<int64_t> shape = shapeOf(line->type());
  Type indices = b_.context().vector(shape, kIndexElem);
  Op *count = b_.create(OpKind::Iota, {}, {indices});
  IotaOp(*count).setDim(ScanOp(op).dim());
  Value *wanted = b_.value(OpKind::Splat, {number}, indices);
  Op *here = b_.create(OpKind::CmpI, {count->result(), wanted}, {b_.context().vector(shape, Elem::I1)});
  CmpIOp(*here).setKind(CmpIKind::Eq);
  Op *identity = b_.create(OpKind::Constant, {}, {line->type()});
  ConstantOp(*identity).setValue(combiningIdentity(*combiningOp(op), line->type().elem()), op.range());
  return total(op, b_.value(OpKind::Select, {here->result(), line, identity->result()}, line->type()));
}

// The pieces of a line are in one subgroup: each continues with all elements of the pieces before it.
void SubgroupScan::inOneSubgroup(const Op &op, const Pieces &pieces) {
  size_t dim = dimensionOf(op), kept = 1 - dim, count = pieces.dims[dim].starts.size();
  bool exclusive = ScanOp(op).exclusive(), reverse = ScanOp(op).reverse();
  Values results(pieces.count(), nullptr);
  for (size_t line = 0; line < pieces.dims[kept].starts.size(); ++line) {
    Value *before = nullptr;
    for (size_t i = 0; i < count; ++i) {
      std::vector<size_t> at(2);
      at[dim] = reverse ? count - 1 - i : i;
      at[kept] = line;
      size_t k = pieces.number(at);
      Value *own = values_.of(op.operand(0))[k], *scanned = scanOf(op, own, exclusive);
      results[k] = before ? combined(op, scanned, before) : scanned;
      if (i + 1 == count) break;
      Value *all = total(op, own);
      before = before ? b_.value(*combiningOp(op), {before, all}, all->type()) : all;
    }
  }
  values_.bind(op.result(), std::move(results));
}

void SubgroupScan::acrossSubgroups(const Op &op, const Pieces &pieces) {
  Type type = op.result()->type();
  size_t dim = dimensionOf(op), kept = 1 - dim;
  int64_t length = pieces.dims[dim].length, count = type.extent(static_cast<int>(dim)) / length;
  std::vector<int64_t> shape = shapeOf(type);
  shape[dim] = count;
  // The number of a piece among those of its line.
  auto number = [&](size_t k) {
    Value *first = orZero(b_, places_.indexOf(pieces.dims[dim], pieces.at(k)[dim]));
    return length == 1 ? first : b_.value(OpKind::DivSI, {first, b_.index(length)}, b_.context().index());
  };
  Values numbers, scanned, totals;
  for (size_t k = 0; k < pieces.count(); ++k) {
    Value *own = values_.of(op.operand(0))[k];
    numbers.push_back(number(k));
    scanned.push_back(scanOf(op, own, ScanOp(op).exclusive()));
    totals.push_back(total(op, own));
  }
  Value *buffer = slm_.buffer(shape, type.elem());
  slm_.write(*type.layout(), [&] {
    for (size_t k = 0; k < pieces.count(); ++k) {
      Value *at[2];
      at[kept] = places_.indexOf(pieces.dims[kept], pieces.at(k)[kept]);
      at[dim] = numbers[k];
      slm_.store(totals[k], buffer, at[0], at[1]);
    }
  });
  std::vector<int64_t> read(2);
  read[kept] = pieces.dims[kept].length;
  read[dim] = count;
  Values before(pieces.dims[kept].starts.size(), nullptr), results;
  for (size_t k = 0; k < pieces.count(); ++k) {
    size_t line = pieces.at(k)[kept];
    if (!before[line]) {
      Value *at[2] = {nullptr, nullptr};
      at[kept] = places_.indexOf(pieces.dims[kept], line);
      before[line] = scanOf(op, slm_.load(buffer, at[0], at[1], read), true);
    }
    results.push_back(combined(op, scanned[k], elementAt(op, before[line], numbers[k])));
  }
  values_.bind(op.result(), std::move(results));
}

void SubgroupScan::scan(const Op &op) {
  Pieces pieces(op.result()->type());
  if (pieces.dims[dimensionOf(op)].digits.empty())
    inOneSubgroup(op, pieces);
  else
    acrossSubgroups(op, pieces);
}

} // namespace xt
