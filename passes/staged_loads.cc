#include "passes/staged_loads.h"

#include "ir/base/text.h"
#include "ir/block_mask.h"
#include "ir/constants.h"
#include "ir/context.h"
#include "ir/effects.h"
#include "ir/layout/layout_pieces.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/async_copy_width.h"
#include "passes/facts.h"
#include "passes/fewer_exchanges.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace xt {
namespace {

constexpr int kBankLineLog = 7, kRowPortionLog = 4; // all banks together have 128 bytes, and instructions read rows of 16

// The op that moves a tile which a loop carries, if the loop does nothing else with it but load it; null otherwise.
Op *onlyUpdate(const Op &loop, size_t carried, const Op &load) {
  CarriedAt at = carriedAt(loop);
  const Value *tile = loop.region()->param(at.param + carried);
  Op *made = loop.region()->last()->operand(at.yield + carried)->definingOp();
  if (!made || made->kind() != OpKind::UpdateTileOffset || made->operand(0) != tile || !made->result()->hasOneUse())
    return nullptr;
  for (Use use : tile->uses())
    if (use.user != made && use.user != &load) return nullptr;
  for (size_t i = 1; i < made->operandCount(); ++i)
    if (definedInside(*made->operand(i), *loop.region()) && !constantValue(*made->operand(i))) return nullptr;
  return made;
}

bool beginsAtInit(const Value *tile) { return tile->definingOp() && tile->definingOp()->kind() == OpKind::InitTile; }

// Why no load can take place before its iteration; "" if some can.
std::string whyNoneAhead(const Op &loop, bool beforeWrites) {
  std::string reason;
  walk(*loop.region(), [&](const Op &inner) {
    if (!reason.empty()) return;
    if (writesGlobalMemory(inner)) reason = str("`", inner.info().name, "` writes global memory in the loop");
    if (has(inner.info().effects, Effect::Synchronises) && !(beforeWrites && inner.kind() == OpKind::Barrier))
      reason = str("`", inner.info().name, "` in the loop may order accesses");
  });
  return reason;
}

// Why a load cannot take place before its iteration where others can; "" if it can.
std::string whyNotAhead(const Op &op) {
  const AttrValue *padding = LoadTileOp(op).padding();
  if (padding && !isPositiveZero(*padding)) return "asynchronous copies pad only with zeros";
  return blockMaskOf(op) ? "it has a mask" : "";
}

// Which of the workgroup's subgroups copies what of a tile, so that all lanes copy as many portions. The largest portions are best,
// and then whole rows.
const Layout *copyLayout(Context &context, Type tile, int64_t subgroups, const TargetInfo &target, int64_t lanes) {
  for (int64_t portion : target.asyncCopyBytes)
    for (int64_t down = subgroups; down >= 1; --down) {
      if (subgroups % down != 0 || tile.extent(0) % down != 0 || tile.extent(1) % (subgroups / down) != 0) continue;
      std::vector<int64_t> own = {tile.extent(0) / down, tile.extent(1) / (subgroups / down)};
      if (own[1] * elemInfo(tile.elem()).storageBytes % portion != 0) continue;
      TypeData piece = tile.data();
      piece.shape = own;
      piece.layout = nullptr;
      if (!asyncCopyLayout(context, context.intern(piece), portion, lanes)) continue;
      LayoutOrError made = makeLayout(context, LayoutSpec::of({{down, subgroups / down}, own}), tile.shape());
      if (const Layout *const *layout = std::get_if<const Layout *>(&made)) return *layout;
    }
  return nullptr;
}

// Rows of 16 bytes at the same place of neighbouring rows of the buffer are then in different banks.
Swizzle bankSwizzle(int64_t rows, int64_t rowBytes) {
  if (!std::has_single_bit(static_cast<uint64_t>(rowBytes)) || rowBytes <= 1 << kRowPortionLog) return {};
  int log = std::countr_zero(static_cast<uint64_t>(rowBytes)), bits = std::min(log, kBankLineLog) - kRowPortionLog;
  int shift = std::max(log, kBankLineLog) - kRowPortionLog;
  if (rows * rowBytes % (int64_t{1} << (kRowPortionLog + shift + bits)) != 0) return {};
  return {static_cast<uint8_t>(bits), static_cast<uint8_t>(kRowPortionLog), static_cast<uint8_t>(shift)};
}

Type bufferFor(Context &context, Type tile) {
  TypeData data;
  data.kind = TypeKind::MemRef;
  data.elem = tile.elem();
  data.shape = shapeOf(tile);
  data.space = MemorySpace::Slm;
  data.memory.swizzle = bankSwizzle(tile.extent(0), tile.extent(1) * elemInfo(tile.elem()).storageBytes);
  return context.intern(std::move(data));
}

bool isFactor(Use use) { return use.user->kind() == OpKind::TileMma && use.operand < 2; }

bool turns(const Op &op) {
  return op.kind() == OpKind::Transpose && op.operand(0)->type().rank() == 2 && permutationOf(op)[0] == 1;
}

// The ops between a load and the products that take what it loads: none if a product takes the loaded vector itself, which other
// ops may use too; otherwise each is the only use of the one before. nullopt if no product takes it, or if other ops stand between.
std::optional<std::vector<Op *>> foldableOps(const Op &load) {
  std::vector<Op *> found;
  if (std::ranges::any_of(load.result()->uses(), isFactor)) return found;
  for (const Value *value = load.result(); value->hasOneUse();) {
    Op *user = value->uses().front().user;
    if (!turns(*user) && user->kind() != OpKind::ConvertLayout) return std::nullopt;
    found.push_back(user);
    value = user->result();
    if (!value->uses().empty() && std::ranges::all_of(value->uses(), isFactor)) return found;
  }
  return std::nullopt;
}

// Whether the other operand of each product that takes the load has all of K in each subgroup, as it is or as it will be loaded.
bool othersAreWhole(const StagedLoad &load, const std::vector<StagedLoad> &loads) {
  for (Use use : load.operand()->uses()) {
    size_t other = 1 - use.operand;
    if (!isWholeAlongK(*use.user->operand(other), other, loads)) return false;
  }
  return true;
}

// Lets a load give the operand of the product in this layout, or in the operand's own if it is null.
void giveLayout(StagedLoad &load, const Layout *given, Context &context) {
  load.given = given;
  load.loaded = load.load->operand(0)->type();
  if (!given && load.folded.empty()) return;
  const Layout *layout = given ? given : load.operand()->type().layout();
  load.loaded =
      context.withLayout(load.loaded, load.turned() ? transposed(context, layout, std::vector<int64_t>{1, 0}) : layout);
}

// Leaves an operand its own layout where the other operand of a product keeps a layout that divides K among subgroups.
void keepMatchingLayouts(std::vector<StagedLoad> &loads, Context &context) {
  for (bool changed = true; changed;) {
    changed = false;
    for (StagedLoad &load : loads) {
      if (!load.given || othersAreWhole(load, loads)) continue;
      giveLayout(load, nullptr, context);
      changed = true;
    }
  }
}

// Whether a product that takes the load has K divided among subgroups, which exchange for it.
bool dividesK(const StagedLoad &load) {
  auto divides = [&](Use use) { return !isWholeAlongK(*load.operand(), use.operand, {&load, 1}); };
  return std::ranges::any_of(load.operand()->uses(), divides);
}

} // namespace

bool StagedLoad::turned() const {
  auto times = std::ranges::count_if(folded, [](const Op *op) { return turns(*op); });
  return (times % 2 != 0) != transposes(*load);
}

int64_t StagedLoads::bytes() const {
  int64_t all = 0;
  for (const StagedLoad &load : loads) all += load.buffer.byteCount();
  return all;
}

bool isWholeAlongK(const Value &operand, size_t place, std::span<const StagedLoad> loads) {
  auto given = [&](const StagedLoad &load) { return load.operand() == &operand && load.given != nullptr; };
  return std::ranges::any_of(loads, given) || dimPieces(*operand.type().layout(), place == 0 ? 1 : 0).whole();
}

bool writesGlobalMemory(const Op &op) {
  for (size_t i = 0; i < op.operandCount(); ++i) {
    Type type = op.operand(i)->type();
    bool global = (type.isWindow() || type.isMemRef()) && type.data().space == MemorySpace::Global;
    if (global && has(effectsOn(op, i), Effect::Writes)) return true;
  }
  return false;
}

StagedLoads stagedLoads(Op &loop, const Kernel &kernel, Context &context, const TargetInfo &target, bool beforeWrites) {
  StagedLoads found;
  std::optional<std::string> none; // why no load is staged
  CarriedAt at = carriedAt(loop);
  for (Op &op : *loop.region()) {
    if (op.kind() != OpKind::LoadTile) continue;
    std::optional<std::vector<Op *>> folded = foldableOps(op);
    if (!folded) continue;
    Type tile = op.operand(0)->type();
    if (tile.data().space != MemorySpace::Global) continue;
    const Value *param = op.operand(0);
    if (!none) none = whyNoneAhead(loop, beforeWrites);
    std::string reason = none->empty() ? whyNotAhead(op) : *none;
    bool carried = param->definingBlock() == loop.region() && param->index() >= at.param;
    size_t number = carried ? param->index() - at.param : 0;
    Op *update = carried && loop.result(number)->uses().size() == 0 ? onlyUpdate(loop, number, op) : nullptr;
    const Layout *layout = copyLayout(context, tile, kernel.subgroups, target, target.subgroupSizes[0]);
    if (reason.empty() && !update) reason = "its tile is not one that the loop carries and only moves on";
    if (reason.empty() && !beginsAtInit(loop.operand(at.operand + number)))
      reason = "its tile does not come from an `init_tile`";
    if (reason.empty() &&
        (tile.data().scatter || tile.data().packed || tile.rank() != 2 || tile.data().order != Order::RowMajor))
      reason = "its elements do not lie in rows";
    if (reason.empty() && !layout)
      reason = str("a tile of ", shapedText(tile), " is too small for ", kernel.subgroups, " subgroups to copy");
    if (!reason.empty()) {
      if (found.reason.empty()) found.reason = reason;
      continue;
    }
    TypeData copied = tile.data();
    copied.layout = layout;
    StagedLoad load{
        &op, update, std::move(*folded), number, tile, nullptr, context.intern(std::move(copied)), bufferFor(context, tile)};
    giveLayout(load, multipliedLayout(context, load.operand()), context);
    found.loads.push_back(load);
  }
  keepMatchingLayouts(found.loads, context);
  // Folding saves little beside the exchanges of such a product, and these need the memory that staging would take.
  auto unfit = [](const StagedLoad &load) { return !load.folded.empty() && dividesK(load); };
  if (std::erase_if(found.loads, unfit) && found.reason.empty()) found.reason = "subgroups exchange it to divide K";
  return found;
}

} // namespace xt
