#include "lang/lower/transfer_gather.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/slices.h"
#include "lang/lower/vector_transfers.h"

#include <algorithm>
#include <numeric>

namespace xt {
namespace {

// A dimension of the memref whose indices a vector gives.
struct IndexVector {
  size_t dim;
  Value *indices;
  std::vector<int64_t> map; // for each dimension of `indices` that of the slice
};

class TransferGather {
public:
  explicit TransferGather(const CompositeClause &clause) : clause_(clause), ops_(clause) {}
  Value *lower();

private:
  bool readDims(std::vector<size_t> &dims) const;
  bool readVectors(const std::vector<size_t> &dims);
  bool fits(const IndexVector &vector, const AffineMap &map, SourceRange range) const;
  bool wrong(SourceRange range, std::string message) const;
  Value *firstIfCounting(const IndexVector &vector);
  void makeContiguous();
  size_t tileDims() const;
  Value *loadLine(const std::vector<Attr> &padding);
  Value *loadTiles(const std::vector<Attr> &padding);

  const CompositeClause &clause_;
  CompositeOps ops_;
  Transfer transfer_;
  std::vector<IndexVector> vectors_;
};

bool TransferGather::wrong(SourceRange range, std::string message) const {
  clause_.diagnostics().report(DiagCode::AttributeValue, range, std::move(message));
  return false;
}

// Reads the gathered dimensions from `indexed` or `gather_dims`.
bool TransferGather::readDims(std::vector<size_t> &dims) const {
  auto rank = static_cast<size_t>(transfer_.base.memref->type().rank());
  if (clause_.has("indexed") && clause_.has("index_maps"))
    return wrong(clause_.rangeOf("index_maps"), "`indexed` goes with `indexed_maps`, `gather_dims` with `index_maps`");
  if (clause_.has("gather_dims") && clause_.has("indexed_maps"))
    return wrong(clause_.rangeOf("indexed_maps"), "`indexed` goes with `indexed_maps`, `gather_dims` with `index_maps`");
  if (clause_.has("indexed") == clause_.has("gather_dims"))
    return wrong(clause_.range(), str(clause_.name(), " needs one of `indexed` and `gather_dims`"));
  if (clause_.has("indexed")) {
    std::optional<std::vector<bool>> flags = clause_.flags("indexed");
    if (!flags) return false;
    if (flags->size() != rank)
      return wrong(clause_.rangeOf("indexed"), str("`indexed` has ", counted(static_cast<int64_t>(flags->size()), "element"),
                                                   ", but the memref has ", counted(static_cast<int64_t>(rank), "dimension")));
    for (size_t d = 0; d < rank; ++d)
      if ((*flags)[d]) dims.push_back(d);
    return true;
  }
  std::optional<std::vector<int64_t>> list = clause_.integers("gather_dims");
  if (!list) return false;
  for (int64_t d : *list) {
    if (d < 0 || d >= static_cast<int64_t>(rank) || (!dims.empty() && static_cast<size_t>(d) <= dims.back()))
      return wrong(clause_.rangeOf("gather_dims"), str("`gather_dims` must list dimensions of the memref in ascending order"));
    dims.push_back(static_cast<size_t>(d));
  }
  return true;
}

// Whether the vector has an index for each position in the dimensions that its map names; otherwise reports an error.
bool TransferGather::fits(const IndexVector &vector, const AffineMap &map, SourceRange range) const {
  std::vector<int64_t> extents = transfer_.sliceExtents();
  Type type = vector.indices->type();
  if (map.dims != extents.size())
    return wrong(map.range, str("the map has ", counted(static_cast<int64_t>(map.dims), "dimension"), ", but the memref has ",
                                extents.size()));
  if (type.elem() != kIndexElem)
    return wrong(range, str("an index vector holds elements of type index, not ", elemName(type.elem())));
  if (map.results.size() != static_cast<size_t>(type.rank()))
    return wrong(map.range, str("the map has ", counted(static_cast<int64_t>(map.results.size()), "result"),
                                ", but the index vector is ", shapedText(type)));
  for (size_t k = 0; k < map.results.size(); ++k) {
    int64_t d = map.results[k];
    if (d == ast::kMapZero || std::ranges::count(map.results, d) > 1)
      return wrong(map.range, "each result of the map must be another dimension");
    int64_t extent = extents[static_cast<size_t>(d)];
    if (type.extent(static_cast<int>(k)) != extent)
      return wrong(range, str("the index vector is ", shapedText(type), ", but dimension ", d,
                              " of the slice, by which the map "
                              "indexes it, has ",
                              counted(extent, "element")));
  }
  return true;
}

bool TransferGather::readVectors(const std::vector<size_t> &dims) {
  std::string_view key = clause_.has("indexed") ? "indexed_maps" : "index_maps";
  std::optional<std::vector<AffineMap>> maps = clause_.maps(key);
  if (!maps) return false;
  const std::vector<ast::Expr> &operands = clause_.clause().operands;
  if (maps->size() != dims.size())
    return wrong(clause_.rangeOf(key), str("`", key, "` has ", counted(static_cast<int64_t>(maps->size()), "map"), " for ",
                                           counted(static_cast<int64_t>(dims.size()), "gathered dimension")));
  if (operands.size() < 1 + dims.size() || operands.size() > 3 + dims.size()) {
    clause_.diagnostics()
        .report(DiagCode::OperandCount, clause_.range(),
                str(clause_.name(), " needs an index vector for each of ",
                    counted(static_cast<int64_t>(dims.size()), "gathered dimension"),
                    ", then a padding and a mask if there are any"))
        .note("for example `transfer_gather %A[%i, %j](%rows)`");
    return false;
  }
  for (size_t k = 0; k < dims.size(); ++k) {
    const ast::Expr &expr = operands[1 + k];
    IndexVector vector{dims[k], clause_.vector(expr, "an index vector"), (*maps)[k].results};
    if (!vector.indices || !fits(vector, (*maps)[k], expr.range)) return false;
    vectors_.push_back(std::move(vector));
  }
  return true;
}

// If the vector is b, b + 1, b + 2 … along its own dimension, or has one element, returns b as a scalar; else null.
Value *TransferGather::firstIfCounting(const IndexVector &vector) {
  Value *indices = vector.indices;
  if (indices->type().elementCount() == 1 && transfer_.sliceExtents()[vector.dim] == 1) {
    std::vector<Value *> operands(static_cast<size_t>(indices->type().rank()) + 1, ops_.index(0));
    operands[0] = indices;
    return ops_.op(OpKind::Extract, std::move(operands));
  }
  if (vector.map != std::vector{static_cast<int64_t>(vector.dim)}) return nullptr;
  auto is = [](const Value *value, OpKind kind) { return value->definingOp() && value->definingOp()->kind() == kind; };
  if (is(indices, OpKind::Iota)) return ops_.index(0);
  if (!is(indices, OpKind::AddI)) return nullptr;
  for (size_t i : {0, 1}) {
    Value *iota = indices->definingOp()->operand(i), *other = indices->definingOp()->operand(1 - i);
    if (!is(iota, OpKind::Iota)) continue;
    if (is(other, OpKind::Splat)) return other->definingOp()->operand(0);
    if (std::optional<int64_t> constant = constantInt(*other)) return ops_.index(*constant);
  }
  return nullptr;
}

// Drops index vectors that count upwards: their dimensions are contiguous.
void TransferGather::makeContiguous() {
  std::erase_if(vectors_, [&](const IndexVector &vector) {
    Value *first = firstIfCounting(vector);
    Value *&index = transfer_.base.indices[vector.dim];
    if (first && index) index = ops_.op(OpKind::AddI, {index, first});
    return first != nullptr;
  });
}

// The number of last dimensions, at most two, along which the slice is contiguous for every index.
size_t TransferGather::tileDims() const {
  size_t rank = transfer_.base.indices.size(), dims = 0;
  auto indexed = [&](size_t d) {
    return std::ranges::any_of(vectors_, [&](const IndexVector &vector) {
      return vector.dim == d || std::ranges::count(vector.map, static_cast<int64_t>(d)) > 0;
    });
  };
  while (dims < 2 && dims < rank && !indexed(rank - 1 - dims)) ++dims;
  return dims;
}

// Loads elements of a memref of one dimension by a gather.
Value *TransferGather::loadLine(const std::vector<Attr> &padding) {
  Context &context = clause_.state().context;
  std::vector<int64_t> shape = {1, transfer_.sliceExtents()[0]};
  Type indices = context.vector(shape, kIndexElem);
  Value *offsets = ops_.reshape(vectors_[0].indices, shape);
  offsets = ops_.op(OpKind::AddI, {offsets, ops_.op(OpKind::Splat, {transfer_.base.indices[0]}, {}, indices)});
  TypeData tile = context.tile(shape, transfer_.vector.elem()).data();
  tile.scatter = true;
  clause_.state().builder.setRange(clause_.range());
  Value *mask = clause_.state().builder.constantInt(context.vector(shape, Elem::I1), 1);
  Value *base = ops_.op(OpKind::InitTile, {transfer_.base.memref, offsets}, {}, context.intern(std::move(tile)));
  return ops_.op(OpKind::LoadGather, {base, mask}, padding);
}

Value *TransferGather::loadTiles(const std::vector<Attr> &padding) {
  auto indicesOf = [&](const std::vector<int64_t> &position, std::vector<Value *> &indices) {
    for (size_t d = 0; d < position.size(); ++d) {
      auto vector = std::ranges::find(vectors_, d, &IndexVector::dim);
      Value *index = transfer_.base.indices[d];
      if (vector == vectors_.end()) {
        indices.push_back(ops_.plus(index, position[d]));
        continue;
      }
      std::vector<Value *> operands = {vector->indices};
      for (int64_t dim : vector->map) operands.push_back(ops_.index(position[static_cast<size_t>(dim)]));
      indices.push_back(ops_.op(OpKind::AddI, {index, ops_.op(OpKind::Extract, std::move(operands))}));
    }
    return std::ranges::none_of(indices, [](const Value *index) { return index == nullptr; });
  };
  return Slice(clause_, transfer_.base.memref, transfer_.sliceExtents(), tileDims()).load(indicesOf, padding);
}

Value *TransferGather::lower() {
  std::optional<Transfer> transfer = readTransfer(clause_);
  std::vector<size_t> dims;
  if (!transfer) return nullptr;
  transfer_ = std::move(*transfer);
  if (!readDims(dims) || !readVectors(dims)) return nullptr;
  std::optional<PaddingAndMask> values = readPaddingAndMask(clause_, transfer_, 1 + dims.size());
  if (!values) return nullptr;
  const AttrValue *constant = values->padding ? constantValue(*values->padding) : nullptr;
  if (values->padding && !constant) {
    clause_.diagnostics()
        .report(DiagCode::NotSupported, clause_.range(), str(clause_.name(), " with a padding that is no constant"))
        .note("gather with a constant, and replace it with `select`");
    return nullptr;
  }
  std::vector<Attr> padding;
  if (constant) padding.push_back({"padding", *constant, clause_.range()});
  makeContiguous();
  bool line = transfer_.base.indices.size() == 1 && !vectors_.empty();
  return vectorOfSlice(clause_, transfer_, line ? loadLine(padding) : loadTiles(padding), *values);
}

} // namespace

std::optional<std::vector<Value *>> lowerTransferGather(const CompositeClause &clause) {
  if (clause.clause().operands.empty()) {
    clause.diagnostics().report(DiagCode::OperandCount, clause.range(), str(clause.name(), " needs a memref with indices"));
    return std::nullopt;
  }
  Value *value = TransferGather(clause).lower();
  return value ? std::optional(std::vector{value}) : std::nullopt;
}

} // namespace xt
