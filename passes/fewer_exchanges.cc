#include "passes/fewer_exchanges.h"

#include "ir/base/text.h"
#include "ir/context.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/slm_layout.h"
#include "ir/layout/layout_pieces.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/tile.h"
#include "passes/tile_roots.h"
#include "passes/value_classes.h"

#include <algorithm>
#include <array>
#include <set>

namespace xt {
namespace {

constexpr std::array<int64_t, 2> kSwapped{1, 0};

bool isTile(Type type) { return type.isTile(); }

bool hasLanes(const Layout &layout) { return layout.axisSize(Axis::Lane) > 1; }

bool movesAcross(const Layout *from, const Layout *to) {
  return from != to && !hasLanes(*from) && !hasLanes(*to) && movement(from, to) == Movement::AcrossSubgroups;
}

// Whether the op converts the layout of a vector in the way that the compiler chooses.
bool isConversion(const Op &op) { return op.kind() == OpKind::ConvertLayout && !ConvertLayoutOp(op).sharedMemoryConversion(); }

bool isOnlyMultiplied(const Value *value) {
  return std::ranges::all_of(value->uses(), [](Use use) { return use.user->kind() == OpKind::TileMma; });
}

// Whether a subgroup would load shorter rows of a matrix than it loads now, so that its messages would have fewer bytes of each
// line.
bool hasNarrowRows(const Op &load, const Layout &own, const Layout &wanted) {
  constexpr int64_t kLineBits = 512;
  const size_t along = transposes(load) ? 0 : 1;
  const int64_t bits = elemInfo(load.result()->type().elem()).bits;
  int64_t now = own.subgroupShape()[along] * bits, then = wanted.subgroupShape()[along] * bits;
  return then < std::min(now, kLineBits);
}

class DirectLoads {
public:
  DirectLoads(Kernel &kernel, Context &context)
      : kernel_(kernel), context_(context), roots_(kernel), classes_(kernel, isTile), wanted_(classes_.count(), nullptr),
        kept_(classes_.count(), false) {}

  void run(const TargetInfo &target, Diagnostics &diagnostics) {
    findWritten();
    if (writesUnknown_) return;
    walk(kernel_.body, [&](const Op &op) { consider(op); });
    std::vector<const Op *> loads;
    walk(kernel_.body, [&](const Op &op) {
      if (op.kind() == OpKind::LoadTile && layoutFor(op.operand(0))) loads.push_back(&op);
    });
    if (loads.empty()) return;
    if (!written_.empty()) kernel_.forms.add(Form::Disjoint);
    for (const Value *tile : classes_.values()) // values() is const, but the kernel may be changed
      if (const Layout *layout = layoutFor(tile)) const_cast<Value *>(tile)->setType(context_.withLayout(tile->type(), layout));
    for (const Op *load : loads) {
      retype(*load);
      diagnostics.report(
          DiagCode::MovesAcrossSubgroups, load->range(),
          str("on ", target.name, ", each subgroup loads the elements that it uses, in place of exchanging them"));
    }
  }

private:
  // The argument of the kernel whose elements a tile or a memref accesses; null if it may access others.
  const Value *accessedArgument(const Value *value) const {
    if (value->type().isMemRef()) return argumentOf(value);
    const Op *init = roots_.root(value);
    return init && isOnArgument(*init) ? argumentOf(init->operand(0)) : nullptr;
  }

  void findWritten() {
    walk(kernel_.body, [&](const Op &op) {
      if (!has(op.info().effects, Effect::Writes)) return;
      for (const Value *operand : op.operands()) {
        Type type = operand->type();
        if (!(type.isWindow() || type.isMemRef()) || type.data().space != MemorySpace::Global) continue;
        const Value *argument = accessedArgument(operand);
        writesUnknown_ |= !argument;
        written_.insert(argument);
      }
    });
  }

  // Decides what an op means for the tiles that it uses.
  void consider(const Op &op) {
    if (op.regionCount() || op.kind() == OpKind::Yield || op.kind() == OpKind::UpdateTileOffset ||
        op.kind() == OpKind::PrefetchTile)
      return;
    for (const Value *operand : op.operands()) {
      if (!operand->type().isTile()) continue;
      size_t of = classes_.classOf(operand);
      const Layout *layout = op.kind() == OpKind::LoadTile ? wantedTile(op) : nullptr;
      kept_[of] = kept_[of] || !layout || (wanted_[of] && wanted_[of] != layout);
      wanted_[of] = layout;
    }
  }

  const Layout *layoutFor(const Value *tile) const {
    size_t of = classes_.classOf(tile);
    return kept_[of] ? nullptr : wanted_[of];
  }

  // The layout of the tile with which a load gives what is used; null if it is the present one.
  const Layout *wantedTile(const Op &load) {
    const TypeData &tile = load.operand(0)->type().data();
    if (tile.space != MemorySpace::Global || tile.scatter || tile.packed || tile.shape.size() != 2) return nullptr;
    const Value *argument = accessedArgument(load.operand(0));
    if (!argument || written_.contains(argument)) return nullptr;
    const Layout *layout = wantedResult(load);
    return layout && transposes(load) ? transposed(context_, layout, kSwapped) : layout;
  }

  const Layout *wantedResult(const Op &load) {
    const Layout *own = load.result()->type().layout();
    if (!own || hasLanes(*own)) return nullptr;
    if (const Layout *layout = multipliedLayout(context_, load.result())) return layout;
    const Layout *wanted = nullptr;
    for (Use use : load.result()->uses()) {
      const Layout *layout = nullptr;
      if (isConversion(*use.user)) layout = use.user->result()->type().layout();
      if (layout && hasNarrowRows(load, *own, *layout)) return nullptr;
      if (use.user->kind() == OpKind::Transpose && permutationOf(*use.user)[0] == 1 && isOnlyMultiplied(use.user->result()))
        layout = transposed(context_, use.user->result()->type().layout(), kSwapped);
      if (!layout || !movesAcross(own, layout) || (wanted && wanted != layout)) return nullptr;
      wanted = layout;
    }
    return wanted;
  }

  void retype(const Op &load) {
    const Layout *layout = load.operand(0)->type().layout();
    Value *result = const_cast<Op &>(load).result();
    result->setType(context_.withLayout(result->type(), transposes(load) ? transposed(context_, layout, kSwapped) : layout));
  }

  Kernel &kernel_;
  Context &context_;
  TileRoots roots_;
  ValueClasses classes_;
  std::vector<const Layout *> wanted_; // by class of tiles: the layout that all loads so far want
  std::vector<bool> kept_; // by class of tiles: whether it keeps its layout
  std::set<const Value *> written_; // arguments; for lookup only
  bool writesUnknown_ = false; // whether the kernel writes memory that is not known to be in an argument
};

} // namespace

const Layout *multipliedLayout(Context &context, const Value *vector) {
  size_t operand = vector->uses().empty() ? 0 : vector->uses().front().operand;
  for (Use use : vector->uses())
    if (use.user->kind() != OpKind::TileMma || use.operand != operand || operand > 1) return nullptr;
  const Layout *layout = vector->type().layout();
  const int alongK = operand == 0 ? 1 : 0;
  if (dimPieces(*layout, alongK).whole()) return nullptr;
  DimOf kept{layout, 1 - alongK}, all{nullptr, 0};
  return combined(context, operand == 0 ? std::array{kept, all} : std::array{all, kept}, vector->type().shape());
}

void loadWhatIsUsed(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics) {
  if (target.checksOverlaps) DirectLoads(kernel, context).run(target, diagnostics);
}

namespace {

// Whether a conversion, whose result one reduction uses, can come behind it: then each subgroup reduces its own elements, and
// the partial results of several are exchanged, in shared local memory of at most `limit` bytes.
bool canFollow(const Op &conversion, const Op &reduction, int64_t limit) {
  Type type = conversion.operand(0)->type();
  if (reduction.kind() != OpKind::Reduction || type.rank() != 2 || reduction.block() != conversion.block()) return false;
  const Layout *from = type.layout();
  auto dim = static_cast<int>(dimensionOf(reduction));
  DimPieces pieces = dimPieces(*from, dim);
  int64_t owners = 1;
  for (const SubgroupDigit &digit : pieces.digits) owners *= digit.extent;
  int64_t bytes = owners * type.extent(1 - dim) * ((elemInfo(type.elem()).bits + 7) / 8);
  return reduction.result()->type().extent(dim) == 1 && movesAcross(from, conversion.result()->type().layout()) &&
         !pieces.digits.empty() && from->subgroupShape()[static_cast<size_t>(dim)] > 1 && bytes <= limit;
}

} // namespace

void reduceBeforeConversions(Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics) {
  const int64_t limit = (target.slmBytes - slmLayout(kernel).bytes) / 2; // as for exchanges
  std::vector<Op *> conversions;
  walk(kernel.body, [&](Op &op) {
    if (isConversion(op) && op.result()->hasOneUse() && canFollow(op, *op.result()->uses().front().user, limit))
      conversions.push_back(&op);
  });
  for (Op *conversion : conversions) {
    diagnostics.report(
        DiagCode::MovesAcrossSubgroups, conversion->range(),
        str("on ", target.name, ", each subgroup reduces its elements first, so that only partial results move"));
    conversion->result()->replaceAllUsesWith(conversion->operand(0));
    conversion->block()->erase(conversion);
  }
}

} // namespace xt
