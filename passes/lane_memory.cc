// Windows onto memory: each lane loads and stores its own elements, in runs of adjacent elements where it has them,
// or together with the other lanes by one message.
#include "ir/base/check.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/xegpu.h"
#include "passes/lane_distribution.h"
#include "passes/tile_roots.h"

namespace xt {
namespace {

const Op *initOf(const Value *tile) {
  const Op *op = tile->definingOp();
  return op && op->kind() == OpKind::InitTile ? op : nullptr;
}

} // namespace

// Emits a barrier where a lane may read before another lane has written, or after another lane has overwritten the element.
void LaneDistribution::before(const Op &op, const Layout *layout) {
  std::vector<LaneAccess> accesses = laneAccesses(op);
  bool meets = false;
  for (LaneAccess &access : accesses) {
    access.layout = layout;
    meets |= hazards_.meets(access);
  }
  if (meets) {
    create(OpKind::SubgroupBarrier, {}, {});
    hazards_.clear();
  }
  for (const LaneAccess &access : accesses) hazards_.note(access);
}

// --- tiles -----------------------------------------------------------------------------------------------------------

// Along each dimension, the register digits after the last lane digit count adjacent elements.
std::vector<LaneDistribution::Piece> LaneDistribution::piecesOf(const Layout *layout) const {
  std::vector<Piece> pieces = {{{}, {}, {}}};
  for (int d = 0; d < layout->rank(); ++d) {
    int64_t run = 1;
    std::span<const Factor> factors = layout->factors(d);
    for (size_t i = factors.size(); i-- > 0 && factors[i].axis != Axis::Lane;) run *= factors[i].extent;
    std::vector<int64_t> own = layout->sliceOf(Axis::Lane, 0, d);
    std::vector<Piece> finer;
    for (const Piece &piece : pieces)
      for (size_t at = 0; at < own.size(); at += static_cast<size_t>(run)) {
        finer.push_back(piece);
        finer.back().own.push_back(static_cast<int64_t>(at));
        finer.back().shape.push_back(run);
        finer.back().start.push_back(own[at]);
      }
    pieces = std::move(finer);
  }
  return pieces;
}

std::vector<LaneDistribution::Piece> LaneDistribution::elementsOf(const Layout *layout) const {
  std::vector<Piece> elements;
  for (const Piece &piece : piecesOf(layout))
    for (int64_t row = 0; row < piece.shape[0]; ++row)
      for (int64_t column = 0; column < piece.shape[1]; ++column)
        elements.push_back(
            {{piece.own[0] + row, piece.own[1] + column}, {1, 1}, {piece.start[0] + row, piece.start[1] + column}});
  return elements;
}

Value *LaneDistribution::window(const Value *tile, const Layout *layout, const Piece &piece, bool turned) {
  size_t down = turned ? 1 : 0, right = turned ? 0 : 1;
  auto offset = [&](Value *from, size_t dim) {
    return plus(plus(from, place(layout, static_cast<int>(dim))), piece.start[dim]);
  };
  const Op *init = initOf(tile);
  if (!init) {
    Value *y = offset(nullptr, down), *x = offset(nullptr, right);
    return make(OpKind::UpdateTileOffset, {of(tile), y ? y : index(0), x ? x : index(0)}, of(tile)->type());
  }
  size_t row = rowOffsetAt(*init);
  std::vector<Value *> operands;
  for (size_t i = 0; i < init->operandCount(); ++i) {
    Value *operand = of(init->operand(i));
    operands.push_back(i == row ? offset(operand, down) : i == row + 1 ? offset(operand, right) : operand);
  }
  TypeData data = tile->type().data();
  data.shape = {piece.shape[down], piece.shape[right]};
  return make(OpKind::InitTile, std::move(operands), context_.intern(std::move(data)));
}

// Calls body(window, piece) for each piece of a tile that the lane holds.
template <class Body> void LaneDistribution::eachPiece(const Value *tile, const Layout *layout, bool turned, Body body) {
  bool whole = initOf(tile) && !tile->type().data().packed;
  for (const Piece &piece : whole ? piecesOf(layout) : elementsOf(layout)) body(window(tile, layout, piece, turned), piece);
}

void LaneDistribution::initTile(const Op &op) { plain(op); }

void LaneDistribution::updateTile(const Op &op) { plain(op); }

void LaneDistribution::loadTile(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  before(op, transposes(op) ? nullptr : layout); // in memory, other lanes own these elements
  Type type = laneType(op.result());
  Value *result = nullptr;
  eachPiece(op.operand(0), layout, transposes(op), [&](Value *window, const Piece &piece) {
    Value *part = copy(op, {window}, {context_.vector(piece.shape, type.elem())})->result();
    if (!result && part->type() != type) result = zeros(type);
    result = result ? placed(part, result, piece.own) : part;
  });
  bind(op.result(), result);
}

void LaneDistribution::storeTile(const Op &op) {
  const Layout *layout = layouts_.of(op.operand(0));
  before(op, layout);
  where(isFirstCopy(layout), {}, [&]() -> Value * {
    eachPiece(op.operand(1), layout, false, [&](Value *window, const Piece &piece) {
      copy(op, {slice(of(op.operand(0)), piece.own, piece.shape), window}, {});
    });
    return nullptr;
  });
}

void LaneDistribution::storeScalar(const Op &op) {
  before(op, nullptr);
  std::vector<bool> first(static_cast<size_t>(lanes_));
  first[0] = true;
  where(among(first), {}, [&]() -> Value * {
    plain(op);
    return nullptr;
  });
}

// --- scatter tiles, atomics ------------------------------------------------------------------------------------------

void LaneDistribution::gather(const Op &op) {
  before(op, layouts_.of(op.result()));
  plain(op);
}

void LaneDistribution::scatter(const Op &op) {
  const Layout *layout = layouts_.of(op.operand(0));
  before(op, layout);
  Value *mask = of(op.operand(1));
  if (Value *first = isFirstCopy(layout)) mask = make(OpKind::AndI, {mask, splat(first, mask->type())}, mask->type());
  copy(op, {of(op.operand(0)), mask, of(op.operand(2))}, {});
}

// One of the lanes that hold the same element performs the atomic op, and broadcasts the old value to the others.
void LaneDistribution::atomic(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  const Value *tile = op.operand(1);
  before(op, layout);
  Type type = laneType(op.result());
  Value *old = where(isFirstCopy(layout), type, [&]() -> Value * {
    if (tile->type().data().scatter) {
      std::vector<Value *> operands;
      for (const Value *operand : op.operands()) operands.push_back(of(operand));
      return copy(op, std::move(operands), {type})->result();
    }
    Value *result = nullptr;
    eachPiece(tile, layout, false, [&](Value *window, const Piece &piece) {
      Value *value = slice(of(op.operand(0)), piece.own, piece.shape);
      Value *part = copy(op, {value, window}, {value->type()})->result();
      if (!result && part->type() != type) result = zeros(type);
      result = result ? placed(part, result, piece.own) : part;
    });
    return result;
  });
  if (layout->isReplicated(Axis::Lane)) old = shuffled(old, firstCopy(layout));
  bind(op.result(), old);
}

// --- messages --------------------------------------------------------------------------------------------------------

// The lane's elements of a block, whose layout is `layout`. Groups of neighbours along the second dimension (vnni_axis = 1) may
// belong to several lanes, which `load_nd` does not allow. Without the attribute each lane loads its own elements in the same
// order; they only get another shape.
Value *LaneDistribution::loadBlock(const Op &op, const Layout *layout) {
  const Elem elem = op.result()->type().elem();
  if (LoadNdOp(op).vnniAxis() != 1) return copy(op, {of(op.operand(0))}, {laneVector(layout, elem)})->result();
  const std::vector<int64_t> groups = layout->ownerShape(Axis::Lane);
  Op *read = copy(op, {of(op.operand(0))}, {context_.vector({groups[0], groups[1] * groups[2]}, elem)});
  read->removeAttr(attr_names::kVnniAxis);
  return reshaped(read->result(), groups);
}

void LaneDistribution::xegpu(const Op &op) {
  if (op.kind() == OpKind::LoadNd || op.kind() == OpKind::StoreNd || op.kind() == OpKind::NbarrierWait) hazards_.clear();
  if (op.kind() == OpKind::LoadNd) {
    const Layout *layout = layouts_.loaded(op, layouts_.ofBlock(op.operand(0)));
    XT_CHECK(layout, "a block in VNNI form has 32 bits of a column in one lane");
    return bind(op.result(), converted(loadBlock(op, layout), layout, layouts_.of(op.result())));
  }
  if (op.kind() == OpKind::StoreNd) {
    copy(op, {in(op.operand(0), layouts_.ofBlock(op.operand(1))), of(op.operand(1))}, {});
    return;
  }
  plain(op);
}

} // namespace xt
