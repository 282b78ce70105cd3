#include "lang/lower/vector_transfers.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/slices.h"

#include <algorithm>

namespace xt {

std::vector<int64_t> Transfer::dimsInMemory() const {
  std::vector<int64_t> dims;
  std::ranges::copy_if(map, std::back_inserter(dims), [](int64_t d) { return d != ast::kMapZero; });
  std::ranges::sort(dims);
  return dims;
}

std::vector<int64_t> Transfer::sliceExtents() const {
  std::vector<int64_t> extents(static_cast<size_t>(base.memref->type().rank()), 1);
  for (size_t k = 0; k < map.size(); ++k)
    if (map[k] != ast::kMapZero) extents[static_cast<size_t>(map[k])] = vector.extent(static_cast<int>(k));
  return extents;
}

std::vector<int64_t> Transfer::shapeInMemory() const {
  std::vector<int64_t> extents = sliceExtents(), shape;
  for (int64_t d : dimsInMemory()) shape.push_back(extents[static_cast<size_t>(d)]);
  return shape;
}

std::vector<int64_t> Transfer::permutation() const {
  std::vector<int64_t> dims = dimsInMemory(), permutation;
  for (int64_t d : map)
    if (d != ast::kMapZero) permutation.push_back(std::ranges::find(dims, d) - dims.begin());
  return permutation;
}

namespace {

// Reads the permutation map. Without one, the vector's dimensions are the last ones of the memref.
bool readMap(const CompositeClause &clause, Transfer &transfer, bool broadcasts) {
  int rank = transfer.base.memref->type().rank(), vectorRank = transfer.vector.rank();
  if (!clause.has("permutation_map")) {
    if (vectorRank > rank) {
      clause.diagnostics().report(DiagCode::ShapeMismatch, clause.range(),
                                  str(shapedText(transfer.vector), " has more dimensions than ",
                                      shapedText(transfer.base.memref->type()), ": ", clause.name(),
                                      " needs a permutation_map"));
      return false;
    }
    for (int d = rank - vectorRank; d < rank; ++d) transfer.map.push_back(d);
    return true;
  }
  std::optional<AffineMap> map = clause.map("permutation_map");
  if (!map) return false;
  auto wrong = [&](std::string message) {
    clause.diagnostics().report(DiagCode::AttributeValue, map->range, std::move(message));
    return false;
  };
  if (map->dims != static_cast<size_t>(rank))
    return wrong(str("the map has ", counted(static_cast<int64_t>(map->dims), "dimension"), ", but the memref has ", rank));
  if (map->results.size() != static_cast<size_t>(vectorRank))
    return wrong(str("the map has ", counted(static_cast<int64_t>(map->results.size()), "result"), ", but the vector has ",
                     counted(vectorRank, "dimension")));
  for (int64_t d : map->results) {
    if (d == ast::kMapZero && !broadcasts) return wrong("a write cannot broadcast: each result of its map must be a dimension");
    if (d != ast::kMapZero && std::ranges::count(map->results, d) > 1) return wrong("the map has a dimension twice");
  }
  transfer.map = map->results;
  return true;
}

bool readBounds(const CompositeClause &clause, Transfer &transfer) {
  transfer.inBounds.assign(static_cast<size_t>(transfer.vector.rank()), false);
  if (!clause.has("in_bounds")) return true;
  std::optional<std::vector<bool>> flags = clause.flags("in_bounds");
  if (!flags) return false;
  if (flags->size() != transfer.inBounds.size()) {
    clause.diagnostics().report(DiagCode::AttributeValue, clause.rangeOf("in_bounds"),
                                str("`in_bounds` has ", counted(static_cast<int64_t>(flags->size()), "element"),
                                    ", but the vector has ", counted(transfer.vector.rank(), "dimension")));
    return false;
  }
  transfer.inBounds = std::move(*flags);
  return true;
}

// The first index in each dimension of the tile at `position` in the leading dimensions.
Slice::IndicesOf indicesFrom(CompositeOps &ops, const Transfer &transfer) {
  return [&ops, &transfer](const std::vector<int64_t> &position, std::vector<Value *> &indices) {
    for (size_t d = 0; d < position.size(); ++d) indices.push_back(ops.plus(transfer.base.indices[d], position[d]));
    return std::ranges::none_of(indices, [](const Value *index) { return index == nullptr; });
  };
}

// Lowers the padding; null if an error was reported.
Value *lowerPadding(const CompositeClause &clause, const ast::Expr &expr, Elem elem) {
  Type type = clause.state().context.scalar(elem);
  Value *value = lowerExpr(clause.state(), expr, type);
  if (!value || value->type() == type) return value;
  clause.diagnostics().report(
      DiagCode::TypeMismatch, expr.range,
      str("the padding must be of the element type ", elemName(elem), ", not ", shapedText(value->type())));
  return nullptr;
}

class TransferRead {
public:
  TransferRead(const CompositeClause &clause, Transfer transfer)
      : clause_(clause), ops_(clause), transfer_(std::move(transfer)) {}
  // Loads the slice, whose elements out of bounds are the padding. `padding` may be null, which is 0.
  Value *load(Value *padding);
  // Makes the vector of a slice that was loaded; elements that the mask excludes are the padding.
  Value *arrange(Value *slice, Value *padding, Value *mask);

private:
  // The extents of the slice's dimensions that the map has; 1 if it has none.
  std::vector<int64_t> sliceShape() const {
    std::vector<int64_t> shape = transfer_.shapeInMemory();
    return shape.empty() ? std::vector<int64_t>{1} : shape;
  }
  Context &context() const { return clause_.state().context; }
  Value *padded(Value *value, Value *inside, Value *padding);
  Value *insideOfMemRef();
  Value *compare(std::string_view kind, Value *lhs, Value *rhs);
  Value *broadcast(Value *value);
  Value *broadcastMatrix(Value *value);

  const CompositeClause &clause_;
  CompositeOps ops_;
  Transfer transfer_;
};

Value *TransferRead::compare(std::string_view kind, Value *lhs, Value *rhs) {
  return ops_.op(OpKind::CmpI, {lhs, rhs}, {{"kind", std::string(kind), clause_.range()}});
}

// The padding where `inside` is false.
Value *TransferRead::padded(Value *value, Value *inside, Value *padding) {
  if (!value || !inside) return nullptr;
  return ops_.op(OpKind::Select, {inside, value, ops_.op(OpKind::Splat, {padding}, {}, value->type())});
}

// Which elements of the slice are elements of the memref, in the dimensions that are not promised to be in bounds.
Value *TransferRead::insideOfMemRef() {
  std::vector<int64_t> dims = transfer_.dimsInMemory(), shape = sliceShape();
  Type indices = context().vector(shape, kIndexElem);
  Value *inside = nullptr;
  for (size_t d = 0; d < transfer_.base.indices.size(); ++d) {
    auto k = std::ranges::find(transfer_.map, static_cast<int64_t>(d));
    if (k != transfer_.map.end() && transfer_.inBounds[static_cast<size_t>(k - transfer_.map.begin())]) continue;
    Value *at = ops_.op(OpKind::Splat, {transfer_.base.indices[d]}, {}, indices);
    if (k != transfer_.map.end()) {
      int64_t dim = std::ranges::find(dims, static_cast<int64_t>(d)) - dims.begin();
      at = ops_.op(OpKind::AddI,
                   {ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{dim}, clause_.range()}}, indices), at});
    }
    Value *extent = ops_.op(OpKind::Dim, {transfer_.base.memref, ops_.index(static_cast<int64_t>(d))});
    Value *behindStart = compare("sge", at, ops_.op(OpKind::Splat, {ops_.index(0)}, {}, indices));
    Value *beforeEnd = compare("slt", at, ops_.op(OpKind::Splat, {extent}, {}, indices));
    Value *both = ops_.op(OpKind::AndI, {behindStart, beforeEnd});
    inside = inside ? ops_.op(OpKind::AndI, {inside, both}) : both;
  }
  return inside;
}

// Inserts the broadcast dimensions of a matrix.
Value *TransferRead::broadcastMatrix(Value *value) {
  Type to = transfer_.vector;
  std::vector<int64_t> shape;
  for (int k = 0; k < 2; ++k) shape.push_back(transfer_.map[static_cast<size_t>(k)] == ast::kMapZero ? 1 : to.extent(k));
  value = ops_.reshape(value, shape);
  for (int k = 0; k < 2; ++k) {
    auto dim = static_cast<size_t>(k);
    if (transfer_.map[dim] != ast::kMapZero || to.extent(k) == 1) continue;
    shape[dim] = to.extent(k);
    value = ops_.op(OpKind::Broadcast, {value}, {{"dims", std::vector<int64_t>{k}, clause_.range()}},
                    context().vector(shape, to.elem()));
  }
  return value;
}

// Inserts the broadcast dimensions: the copies are made in front of all other dimensions and then moved to their places.
Value *TransferRead::broadcast(Value *value) {
  Type to = transfer_.vector;
  if (std::ranges::count(transfer_.map, ast::kMapZero) == 0) return value;
  if (to.rank() == 2) return broadcastMatrix(value);
  std::vector<int64_t> front, kept, order(transfer_.map.size()), shape;
  for (size_t k = 0; k < transfer_.map.size(); ++k)
    (transfer_.map[k] == ast::kMapZero ? front : kept).push_back(static_cast<int64_t>(k));
  int64_t copies = 1, elements = 1;
  for (int64_t k : front) copies *= to.extent(static_cast<int>(k));
  for (int64_t k : kept) elements *= to.extent(static_cast<int>(k));
  front.insert(front.end(), kept.begin(), kept.end());
  for (size_t i = 0; i < front.size(); ++i) {
    order[static_cast<size_t>(front[i])] = static_cast<int64_t>(i);
    shape.push_back(to.extent(static_cast<int>(front[i])));
  }
  value = ops_.op(OpKind::Broadcast, {ops_.reshape(value, {1, elements})}, {{"dims", std::vector<int64_t>{0}, clause_.range()}},
                  context().vector({copies, elements}, to.elem()));
  return ops_.transpose(ops_.reshape(value, shape), order);
}

Value *TransferRead::load(Value *padding) {
  const AttrValue *constant = padding ? constantValue(*padding) : nullptr;
  std::vector<Attr> attrs;
  if (constant) attrs.push_back({"padding", *constant, clause_.range()});
  Slice slice(clause_, transfer_.base.memref, transfer_.sliceExtents());
  Value *value = slice.load(indicesFrom(ops_, transfer_), attrs);
  if (!padding || constant) return value;
  Value *inside = insideOfMemRef();
  return inside ? padded(ops_.reshape(value, sliceShape()), inside, padding) : value;
}

Value *TransferRead::arrange(Value *slice, Value *padding, Value *mask) {
  Value *value = ops_.reshape(slice, sliceShape());
  if (mask && !padding) padding = ops_.op(OpKind::Extract, {ops_.zeros({1}, transfer_.vector.elem()), ops_.index(0)});
  if (mask) value = padded(value, mask, padding);
  return broadcast(ops_.transpose(value, transfer_.permutation()));
}

// Lowers the mask, which has the shape of the slice; null if an error was reported.
Value *lowerMask(const CompositeClause &clause, const ast::Expr &expr, const std::vector<int64_t> &shape) {
  Value *mask = clause.vector(expr, "the mask");
  if (!mask || (mask->type().elem() == Elem::I1 && std::ranges::equal(mask->type().shape(), shape))) return mask;
  clause.diagnostics()
      .report(DiagCode::ShapeMismatch, expr.range,
              str("the mask must be a vector of i1 of shape ", shapeText(shape), ", not ", shapedText(mask->type())))
      .note("a mask has the shape of the slice of the memref, before the permutation_map");
  return nullptr;
}

} // namespace

std::optional<Transfer> readTransfer(const CompositeClause &clause) {
  std::optional<IndexedMemRef> base = clause.indexedMemRef(clause.clause().operands[0]);
  Type vector = clause.vectorType();
  if (!base || !vector || !clause.signatureAgrees({base->memref})) return std::nullopt;
  Transfer transfer{std::move(*base), vector, {}, {}};
  if (!clause.memoryHolds(transfer.base.memref->type(), transfer.vector, "vector") || !readMap(clause, transfer, true) ||
      !readBounds(clause, transfer))
    return std::nullopt;
  return transfer;
}

std::optional<PaddingAndMask> readPaddingAndMask(const CompositeClause &clause, const Transfer &transfer, size_t first) {
  const std::vector<ast::Expr> &operands = clause.clause().operands;
  PaddingAndMask out;
  if (operands.size() > first && !(out.padding = lowerPadding(clause, operands[first], transfer.vector.elem())))
    return std::nullopt;
  if (operands.size() > first + 1 && !(out.mask = lowerMask(clause, operands[first + 1], transfer.shapeInMemory())))
    return std::nullopt;
  return out;
}

Value *vectorOfSlice(const CompositeClause &clause, const Transfer &transfer, Value *slice, const PaddingAndMask &values) {
  Value *value = slice ? TransferRead(clause, transfer).arrange(slice, values.padding, values.mask) : nullptr;
  if (value) setWrittenLayout(clause.state(), clause.clause(), value, transfer.vector);
  return value;
}

std::optional<std::vector<Value *>> lowerTransferRead(const CompositeClause &clause) {
  if (!clause.takesOperands(1, 3)) return std::nullopt;
  std::optional<Transfer> transfer = readTransfer(clause);
  std::optional<PaddingAndMask> values = transfer ? readPaddingAndMask(clause, *transfer, 1) : std::nullopt;
  if (!values) return std::nullopt;
  Value *value = vectorOfSlice(clause, *transfer, TransferRead(clause, *transfer).load(values->padding), *values);
  return value ? std::optional(std::vector{value}) : std::nullopt;
}

std::optional<std::vector<Value *>> lowerTransferWrite(const CompositeClause &clause) {
  const std::vector<ast::Expr> &operands = clause.clause().operands;
  if (!clause.takesOperands(2, 3)) return std::nullopt;
  Value *value = clause.vector(operands[0], "the value");
  std::optional<IndexedMemRef> base = clause.indexedMemRef(operands[1]);
  if (!value || !base || !clause.signatureAgrees({value, base->memref})) return std::nullopt;
  Transfer transfer{std::move(*base), value->type(), {}, {}};
  if (!clause.memoryHolds(transfer.base.memref->type(), transfer.vector, "vector") || !readMap(clause, transfer, false) ||
      !readBounds(clause, transfer))
    return std::nullopt;
  CompositeOps ops(clause);
  std::vector<int64_t> permutation = transfer.permutation(), toMemory(permutation.size());
  for (size_t k = 0; k < permutation.size(); ++k) toMemory[static_cast<size_t>(permutation[k])] = static_cast<int64_t>(k);
  Slice slice(clause, transfer.base.memref, transfer.sliceExtents());
  value = ops.reshape(ops.transpose(value, toMemory), slice.extents());
  Value *mask = operands.size() > 2 ? lowerMask(clause, operands[2], transfer.shapeInMemory()) : nullptr;
  if (operands.size() > 2 && !(mask = ops.reshape(mask, slice.extents()))) return std::nullopt;
  if (!value || !slice.store(value, indicesFrom(ops, transfer), mask)) return std::nullopt;
  return std::vector<Value *>();
}

} // namespace xt
