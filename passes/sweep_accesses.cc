#include "passes/sweep_accesses.h"

#include "ir/base/extents.h"
#include "ir/constants.h"
#include "ir/elem.h"
#include "ir/op_kinds.h"
#include "passes/tile_roots.h"

#include <algorithm>

namespace xt {
namespace {

// Whether the type alone shows that different indices refer to different elements.
bool hasDistinctElements(Type memref) {
  std::vector<int64_t> strides = memrefStrides(memref);
  std::span<const int64_t> sizes = memref.shape();
  return std::ranges::count(sizes, kDynamic) == 0 && std::ranges::count(strides, kDynamic) == 0 &&
         haveDistinctPlaces(sizes, strides);
}

bool isSameNumber(const Value *x, const Value *y) {
  if (x == y) return true;
  std::optional<int64_t> a = constantInt(*x), b = constantInt(*y);
  return a && a == b;
}

// Whether both tiles contain the same elements at the same positions, provided that their bases are the same.
bool isSameWindow(const SweepAccess &a, const SweepAccess &b) {
  TileChain x = chainOf(a.tile), y = chainOf(b.tile);
  const TypeData &one = x.init->result()->type().data(), &other = y.init->result()->type().data();
  bool alike = a.follows == b.follows && one.order == other.order && one.packed == other.packed && !one.scatter &&
               !other.scatter && one.shape == other.shape &&
               elemInfo(one.elem).storageBytes == elemInfo(other.elem).storageBytes && x.moves == y.moves &&
               x.init->operandCount() == y.init->operandCount();
  for (size_t i = 1; alike && i < x.init->operandCount(); ++i) alike = isSameNumber(x.init->operand(i), y.init->operand(i));
  return alike;
}

std::optional<ArgumentPromise> neededBetween(const SweepAccess &a, const SweepAccess &b) {
  if (a.tile->type().data().space != b.tile->type().data().space) return ArgumentPromise::Nothing;
  const Op *first = chainOf(a.tile).init, *second = chainOf(b.tile).init;
  if (!first || !second) return std::nullopt;
  const Op &x = *first, &y = *second;
  const Value *one = withoutCasts(x.operand(0)), *other = withoutCasts(y.operand(0));
  bool sameBase = x.operand(0) == y.operand(0);
  if (isSlmBuffer(one) && isSlmBuffer(other)) {
    if (one != other) return ArgumentPromise::Nothing; // plan-slm puts a barrier between buffers that share memory
    bool same = sameBase && isSameWindow(a, b) && hasDistinctElements(x.operand(0)->type());
    return same ? std::optional(ArgumentPromise::Nothing) : std::nullopt;
  }
  if (!isOnArgument(x) || !isOnArgument(y)) return std::nullopt;
  // If one argument is cast to different types, the same indices may have other strides.
  bool sameWindow = isSameWindow(a, b) && (sameBase || (x.operand(0) == one && y.operand(0) == other));
  if (one == other && sameWindow && hasDistinctElements(x.operand(0)->type())) return ArgumentPromise::Nothing;
  if (one == other) return sameWindow ? std::optional(ArgumentPromise::DisjointOrSame) : std::nullopt;
  return sameWindow ? ArgumentPromise::DisjointOrSame : ArgumentPromise::Disjoint;
}

} // namespace

TileChain chainOf(const Value *tile) {
  TileChain chain;
  const Op *op = tile->definingOp();
  for (; op && op->kind() == OpKind::UpdateTileOffset; op = op->operand(0)->definingOp()) chain.moves.push_back(op);
  if (op && op->kind() == OpKind::InitTile) chain.init = op;
  return chain;
}

std::optional<ArgumentPromise> neededPromise(std::span<const SweepAccess> accesses) {
  ArgumentPromise needs = ArgumentPromise::Nothing;
  for (size_t i = 0; i < accesses.size(); ++i)
    for (size_t k = i + 1; k < accesses.size(); ++k) {
      if (!accesses[i].writes && !accesses[k].writes) continue;
      std::optional<ArgumentPromise> here = neededBetween(accesses[i], accesses[k]);
      if (!here) return std::nullopt;
      needs = std::max(needs, *here);
    }
  return needs;
}

} // namespace xt
