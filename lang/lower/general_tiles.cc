#include "lang/lower/general_tiles.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/block_mask.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "lang/lower/memref_views.h"
#include "lang/lower/replaced_ops.h"
#include "lang/lower/tile_families.h"
#include "lang/lower/tile_windows.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace xt {
namespace {

bool isMasked(const Op &op) { return blockMaskOf(op) != nullptr; }

bool isRankGeneral(Type tile) { return tile.isTile() && tile.rank() != 2; }

// Whether an init_tile looks into a memref whose rows and columns both have gaps between their elements. With strides of its
// own, the op says that one of them is 1.
bool hasGaps(const Op &init) {
  Type base = init.operand(0)->type();
  if (!base.isMemRef() || base.rank() < 2 || init.operandCount() != 1 + static_cast<size_t>(base.rank())) return false;
  StorageOrders orders = storageOrders(base);
  return !orders.rowMajor && !orders.columnMajor && !base.data().memory.swizzle;
}

// Whether the elements of a base have no offsets that a scatter tile could have. Targets then read all elements of a load with a mask.
bool isOpaque(Type base) { return !base.isMemRef() || base.data().memory.swizzle; }

// Whether targets may read what the mask of a load excludes: all elements of the base exist, which a shape that the op gives does not
// promise, and they are not in shared local memory, whose accesses without a barrier between them software devices report.
bool isWhollyReadable(const Op &init) {
  Type base = init.operand(0)->type();
  return base.isMemRef() && base.data().space == MemorySpace::Global &&
         init.operandCount() == 1 + static_cast<size_t>(base.rank());
}

// One step of the expansion: replaces the general tiles of one kind.
class TileExpansion {
public:
  // Ranks: tiles that do not have two dimensions. Elements: tiles whose elements are accessed one by one.
  enum class Kind : uint8_t { Ranks, Elements };
  TileExpansion(KernelState &state, Kind kind)
      : state_(state), body_(state.kernel->body), kind_(kind), families_(state.kernel->body), replaced_(state) {}
  bool run();

private:
  void collect();
  bool isGeneral(const Value *value) const { return general_.contains(families_.of(value)); }

  bool rewrite(Block &block);
  bool rewrite(Op &op);
  void init(Op &op);
  void move(Op &op);
  bool control(Op &op);
  bool sameBase(const Op &op, const TileWindow &window, const Value *base);
  bool load(Op &op);
  bool store(Op &op);
  bool prefetch(Op &op);
  bool update(Op &op);
  bool refuse(const Op &op, const Value *tile);
  bool refuseMask(const Op &op);

  void eraseAll();

  KernelState &state_;
  Block &body_;
  Kind kind_;
  TileFamilies families_;
  std::unordered_set<int> general_; // families of tiles; for lookup only
  std::unordered_map<const Value *, TileWindow> windows_; // for lookup only
  std::vector<std::pair<Op *, std::vector<size_t>>> carriers_; // loops and branches, and the carried values that are tiles
  ReplacedOps replaced_;
};

// --- which tiles are general ---------------------------------------------------------------------------------------

void TileExpansion::collect() {
  // Families of tiles: of opaque bases, of bases that are not wholly readable, and those that loads, or other accesses, have masks
  // for. Their order does not matter.
  std::unordered_set<int> opaque, notReadable, loaded, written;
  walk(body_, [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (kind_ == Kind::Ranks && isRankGeneral(op.result(i)->type())) general_.insert(families_.of(op.result(i)));
    if (kind_ == Kind::Ranks) return;
    if (op.kind() == OpKind::InitTile && !op.result()->type().data().scatter) {
      int family = families_.of(op.result());
      if (hasGaps(op)) general_.insert(family);
      if (isOpaque(op.operand(0)->type())) opaque.insert(family);
      if (!isWhollyReadable(op)) notReadable.insert(family);
    }
    if (isMasked(op))
      (op.kind() == OpKind::LoadTile ? loaded : written).insert(families_.of(op.operand(accessedTileIndex(op))));
  });
  for (int family : written)
    if (!opaque.contains(family)) general_.insert(family);
  for (int family : loaded)
    if (notReadable.contains(family) && !opaque.contains(family)) general_.insert(family);
}

// --- what becomes of them ------------------------------------------------------------------------------------------

void TileExpansion::init(Op &op) {
  Type base = op.operand(0)->type();
  if (!base.isMemRef()) return; // an address, which rewrite() reports where the tile is used
  auto rank = static_cast<size_t>(base.rank());
  std::vector<Value *> operands = op.operands();
  TileWindow &window = windows_[op.result()];
  window.offsets.assign(operands.begin() + 1, operands.begin() + 1 + static_cast<ptrdiff_t>(rank));
  window.base = operands[0];
  if (operands.size() == 1 + rank) return;
  // Sizes and strides of its own: a view.
  CompositeOps ops(state_, op.range());
  std::vector<ViewNumber> sizes, strides;
  for (size_t d = 0; d < rank; ++d) sizes.push_back(ViewNumbers::of(operands[1 + rank + d]));
  for (size_t d = 0; d < rank; ++d) strides.push_back(ViewNumbers::of(operands[1 + 2 * rank + d]));
  window.base = viewOf(state_, ops, operands[0], ViewNumbers::known(0), std::move(sizes), std::move(strides));
}

void TileExpansion::move(Op &op) {
  auto from = windows_.find(op.operand(0));
  if (from == windows_.end()) return;
  TileWindow window = from->second;
  CompositeOps ops(state_, op.range());
  size_t deltas = op.operandCount() - 1, first = window.offsets.size() - deltas;
  for (size_t d = 0; d < deltas; ++d)
    window.offsets[first + d] = ops.op(OpKind::AddI, {window.offsets[first + d], op.operand(1 + d)});
  windows_[op.result()] = std::move(window);
}

// Whether a tile that a loop or a branch carries has this base; otherwise reports an error.
bool TileExpansion::sameBase(const Op &op, const TileWindow &window, const Value *base) {
  // A value of an inner block is not visible outside of it.
  bool inside = false;
  for (const Block *block = base->definingBlock(); block && !inside;
       block = block->parentOp() ? block->parentOp()->block() : nullptr)
    inside = block->parentOp() == &op;
  if (window.base == base && !inside) return true;
  state_.diagnostics()
      .report(DiagCode::NotSupported, op.range(), "the tile that this branch or loop carries must have one base on all paths")
      .note("this holds for tiles of other than two dimensions, tiles of a base without a stride of 1, and tiles that are "
            "accessed with "
            "a mask; make such a tile behind the branch, or use it in the branch");
  return false;
}

bool TileExpansion::control(Op &op) {
  CarriedAt at = carriedAt(op);
  std::vector<size_t> tiles;
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (isGeneral(op.result(i))) tiles.push_back(i);
  Type index = state_.context.index();
  for (size_t i : tiles) {
    if (!at.loops) continue;
    auto initial = windows_.find(op.operand(at.operand + i));
    if (initial == windows_.end()) return refuse(op, op.result(i));
    TileWindow window = initial->second, inside{window.base, {}};
    Value *old = op.region()->param(at.param + i);
    for (size_t d = 0; d < window.offsets.size(); ++d) {
      op.addOperand(window.offsets[d]);
      inside.offsets.push_back(op.region()->addParam(index, old->name().empty() ? "" : str(old->name(), "_", d), old->range()));
    }
    windows_[old] = std::move(inside);
  }
  for (size_t r = 0; r < op.regionCount(); ++r)
    if (!rewrite(*op.region(r))) return false;
  for (size_t i : tiles) {
    TileWindow result;
    for (size_t r = 0; r < op.regionCount(); ++r) {
      Op &yield = *op.region(r)->last();
      auto found = windows_.find(yield.operand(at.yield + i));
      if (found == windows_.end()) return refuse(op, op.result(i));
      const TileWindow &window = found->second;
      if (!result.base) result.base = at.loops ? windows_.at(op.region()->param(at.param + i)).base : window.base;
      if (!sameBase(op, window, result.base)) return false;
      for (Value *offset : window.offsets) yield.addOperand(offset);
      result.offsets.resize(window.offsets.size());
    }
    for (Value *&offset : result.offsets) offset = op.addResult(index);
    windows_[op.result(i)] = std::move(result);
  }
  if (!tiles.empty()) carriers_.emplace_back(&op, std::move(tiles));
  return true;
}

bool TileExpansion::refuseMask(const Op &op) {
  state_.diagnostics()
      .report(DiagCode::NotSupported, op.range(),
              "a store or an atomic with a mask to a base that is an address, or to a swizzled buffer")
      .note("its elements are written one by one, at offsets that only other memrefs have");
  return false;
}

// An op that takes no such tile, or a tile of other than two dimensions whose base is an address.
bool TileExpansion::refuse(const Op &op, const Value *tile) {
  state_.diagnostics()
      .report(DiagCode::NotSupported, op.range(),
              kind_ == Kind::Ranks
                  ? str("`", op.info().name, "` of ", shapedText(tile->type()), ", which does not have two dimensions")
                  : str("`", op.info().name, "` of a tile whose elements are accessed one by one"))
      .note(kind_ == Kind::Ranks
                ? "load_tile, store_tile, prefetch_tile and update_tile_offset take tiles of up to five dimensions"
                : "such tiles have a base without a stride of 1, or are accessed with a mask; their base "
                  "is a memref, and load_tile, store_tile, prefetch_tile and update_tile_offset take them");
  return false;
}

bool TileExpansion::load(Op &op) {
  Value *tile = op.operand(0), *mask = blockMaskOf(op), *value = nullptr;
  auto found = windows_.find(tile);
  if (found == windows_.end()) return refuse(op, tile);
  CompositeOps ops(state_, op.range());
  if (kind_ == Kind::Ranks) {
    value = WindowAccess(state_, op, found->second, tile->type()).load(op.attrs(), mask);
  } else {
    std::vector<Attr> attrs;
    if (const AttrValue *padding = LoadTileOp(op).padding()) attrs.push_back({"padding", *padding, op.range()});
    if (mask && transposes(op)) mask = ops.transpose(mask, {1, 0});
    value = WindowAccess(state_, op, found->second, tile->type()).gather(attrs, mask);
    if (transposes(op)) value = ops.transpose(value, {1, 0});
  }
  if (!value) return false;
  Type written = op.result()->type();
  const Layout *layout = written.layout() ? written.layout() : transposes(op) ? nullptr : tile->type().layout();
  replaced_.replace(op, value, layout);
  return true;
}

bool TileExpansion::update(Op &op) {
  const AtomicUpdate atomic(op);
  auto found = windows_.find(atomic.tile());
  if (found == windows_.end()) return refuse(op, atomic.tile());
  WindowAccess access(state_, op, found->second, atomic.tile()->type());
  std::vector<Value *> values;
  if (atomic.compares()) values.push_back(atomic.expected());
  values.push_back(atomic.value());
  Value *old = kind_ == Kind::Ranks ? access.update(std::move(values), atomic.mask())
                                    : access.updateElements(std::move(values), atomic.mask());
  if (!old) return false;
  replaced_.replace(op, old, atomic.tile()->type().layout());
  return true;
}

bool TileExpansion::store(Op &op) {
  Value *value = op.operand(0), *tile = op.operand(1), *mask = blockMaskOf(op);
  auto found = windows_.find(tile);
  if (found == windows_.end()) return refuse(op, tile);
  WindowAccess access(state_, op, found->second, tile->type());
  replaced_.drop(op);
  return kind_ == Kind::Ranks ? access.store(value, mask) : access.scatter(value, mask);
}

bool TileExpansion::prefetch(Op &op) {
  replaced_.drop(op);
  // A prefetch has no effect on results. It is of no use for single elements, and a part of a tile with a layout has none that a
  // prefetch would be worth.
  bool whole = op.operand(0)->type().rank() < 2;
  if (kind_ == Kind::Elements || (op.operand(0)->type().layout() && !whole)) return true;
  auto found = windows_.find(op.operand(0));
  if (found == windows_.end()) return refuse(op, op.operand(0));
  return WindowAccess(state_, op, found->second, op.operand(0)->type()).prefetch(op.attrs());
}

bool TileExpansion::rewrite(Op &op) {
  state_.builder.setBefore(&op);
  state_.builder.setRange(op.range());
  auto call = state_.written.calls.find(&op);
  state_.expandedCall = call == state_.written.calls.end() ? std::nullopt : std::optional(call->second);
  if (op.regionCount()) return control(op);
  bool makes = op.resultCount() == 1 && isGeneral(op.result());
  if (makes && (op.kind() == OpKind::InitTile || op.kind() == OpKind::UpdateTileOffset)) {
    op.kind() == OpKind::InitTile ? init(op) : move(op);
    replaced_.drop(op);
    return true;
  }
  if (op.kind() == OpKind::LoadTile && isGeneral(op.operand(0))) return load(op);
  if (kind_ == Kind::Elements && op.kind() != OpKind::LoadTile && isMasked(op) && !isGeneral(op.operand(accessedTileIndex(op))))
    return refuseMask(op);
  bool terminates = has(op.info().effects, Effect::Terminates);
  for (size_t i = 0; i < op.operandCount() && !terminates; ++i) {
    if (!isGeneral(op.operand(i))) continue;
    if (op.kind() == OpKind::StoreTile) return store(op);
    if (op.kind() == OpKind::PrefetchTile) return prefetch(op);
    if (AtomicUpdate::is(op)) return update(op);
    return refuse(op, op.operand(i));
  }
  return true;
}

bool TileExpansion::rewrite(Block &block) {
  for (Op *op = block.first(), *next; op; op = next) {
    next = op->next();
    if (!rewrite(*op)) return false;
  }
  return true;
}

// --- removal of what was replaced ----------------------------------------------------------------------------------

void TileExpansion::eraseAll() {
  replaced_.forget([this](const Value *value) { return isGeneral(value); });
  for (auto &[op, tiles] : carriers_) {
    CarriedAt at = carriedAt(*op);
    for (size_t k = tiles.size(); k-- > 0;) {
      for (size_t r = 0; r < op->regionCount(); ++r) op->region(r)->last()->eraseOperand(at.yield + tiles[k]);
      if (at.loops) op->eraseOperand(at.operand + tiles[k]);
    }
  }
  replaced_.erase();
  for (auto &[op, tiles] : carriers_) {
    CarriedAt at = carriedAt(*op);
    for (size_t k = tiles.size(); k-- > 0;) {
      if (at.loops) op->region()->eraseParam(at.param + tiles[k]);
      op->eraseResult(tiles[k]);
    }
  }
}

bool TileExpansion::run() {
  collect();
  bool masked = false;
  walk(body_, [&](Op &op) { masked |= isMasked(op); });
  if (general_.empty() && (!masked || kind_ == Kind::Ranks)) return true;
  bool ok = rewrite(body_);
  state_.expandedCall.reset();
  if (!ok) return false;
  eraseAll();
  return true;
}

} // namespace

bool expandGeneralTiles(KernelState &state) {
  return TileExpansion(state, TileExpansion::Kind::Ranks).run() && TileExpansion(state, TileExpansion::Kind::Elements).run();
}

} // namespace xt
