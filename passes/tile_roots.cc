#include "passes/tile_roots.h"

#include "ir/op_kinds.h"
#include "passes/facts.h"

#include <cstdint>
#include <cstdlib>
#include <numeric>

namespace xt {

const Value *withoutCasts(const Value *base) {
  while (base->definingOp() && base->definingOp()->kind() == OpKind::Cast) base = base->definingOp()->operand(0);
  return base;
}

bool isSlmBuffer(const Value *base) { return base->definingOp() && base->definingOp()->kind() == OpKind::AllocSlm; }

const Value *slmBufferOf(const Value *window) {
  while (const Op *op = window->definingOp()) {
    if (op->kind() == OpKind::AllocSlm) return window;
    if (!op->operandCount() || !op->operand(0) || op->regionCount()) return nullptr;
    Type from = op->operand(0)->type();
    if (!from.isWindow() && !from.isMemRef()) return nullptr;
    window = op->operand(0);
  }
  return nullptr;
}

size_t rowOffsetAt(const Op &initTile) {
  Type base = initTile.operand(0)->type();
  return base.isMemRef() ? static_cast<size_t>(base.rank()) - 1 : 1;
}

bool hasOwnShape(const Op &initTile) { return initTile.operandCount() > rowOffsetAt(initTile) + 2; }

const Value *argumentOf(const Value *memref) {
  const Value *base = withoutCasts(memref);
  return base->type().isMemRef() && !base->definingOp() && !base->definingBlock()->parentOp() ? base : nullptr;
}

bool isOnArgument(const Op &initTile) {
  if (!argumentOf(initTile.operand(0))) return false;
  return initTile.result()->type().data().scatter || !hasOwnShape(initTile);
}

namespace {

bool sameBase(const Op *a, const Op *b) {
  if (a == b) return true;
  if (a->operandCount() != b->operandCount()) return false;
  bool scatter = a->result()->type().data().scatter;
  size_t row = scatter ? 1 : rowOffsetAt(*a), own = scatter ? 1 : 2;
  for (size_t i = 0; i < a->operandCount(); ++i)
    if ((i < row || i >= row + own) && a->operand(i) != b->operand(i)) return false;
  return true;
}

// The values that can become result `result` of a loop or branch: one from each region, and for a loop the initial value.
std::vector<const Value *> sourcesOf(const Op &op, size_t result) {
  CarriedAt at = carriedAt(op);
  std::vector<const Value *> sources;
  if (at.loops) sources.push_back(op.operand(at.operand + result));
  for (size_t r = 0; r < op.regionCount(); ++r)
    if (const Op *yield = op.region(r)->last(); yield && yield->kind() == OpKind::Yield)
      sources.push_back(yield->operand(at.yield + result));
  return sources;
}

} // namespace

// Gives each tile the root of its first path, then propagates contradictions along the other paths until nothing changes. They
// go backwards too: a tile of several matrices is held as windows, and so is each tile that it may be.
TileRoots::TileRoots(const Kernel &kernel) : kernel_(kernel) {
  findDivisors();
  bool changed = true;
  auto set = [&](const Value *value, const Op *root) {
    auto [entry, isNew] = roots_.try_emplace(value, root);
    if (!isNew && entry->second == root) return;
    if (!isNew && (!entry->second || (root && sameBase(entry->second, root)))) return;
    if (!isNew) entry->second = nullptr;
    changed = true;
  };
  auto has = [&](const Value *value) { return roots_.contains(value); };
  while (changed) {
    changed = false;
    walk(kernel.body, [&](const Op &op) {
      if (op.kind() == OpKind::InitTile) set(op.result(), &op);
      if (op.kind() == OpKind::UpdateTileOffset && has(op.operand(0))) set(op.result(), roots_.at(op.operand(0)));
      if (op.kind() == OpKind::UpdateTileOffset && has(op.result()) && !roots_.at(op.result())) set(op.operand(0), nullptr);
      if (!op.regionCount()) return;
      CarriedAt at = carriedAt(op);
      for (size_t i = 0; i < op.resultCount(); ++i) {
        if (!op.result(i)->type().isTile()) continue;
        for (const Value *source : sourcesOf(op, i)) {
          if (!has(source)) continue;
          set(op.result(i), roots_.at(source));
          if (at.loops) set(op.region()->param(at.param + i), roots_.at(source));
        }
        if (!has(op.result(i)) || roots_.at(op.result(i))) continue;
        for (const Value *source : sourcesOf(op, i)) set(source, nullptr);
        if (at.loops) set(op.region()->param(at.param + i), nullptr);
      }
    });
  }
}

const Op *TileRoots::root(const Value *tile) const {
  auto found = roots_.find(tile);
  return found == roots_.end() ? nullptr : found->second;
}

// --- divisors --------------------------------------------------------------------------------------------------------

int64_t TileRoots::known(const Value *value) const {
  auto found = divisors_.find(value);
  return found == divisors_.end() ? 0 : found->second;
}

int64_t TileRoots::columnDivisor(const Value *tile) const { return known(tile); }

int64_t TileRoots::carriedDivisor(const Op &op, size_t result) const {
  int64_t all = 0;
  for (const Value *source : sourcesOf(op, result)) all = std::gcd(all, known(source));
  return all;
}

int64_t TileRoots::divisorOf(const Op &op) const {
  auto of = [&](size_t i) { return known(op.operand(i)); };
  bool byColumns = op.resultCount() && op.result()->type().isTile() && op.result()->type().data().order == Order::ColumnMajor;
  size_t sideBySide = byColumns ? 0 : 1; // the dimension whose elements are adjacent in memory
  switch (op.kind()) {
  case OpKind::Constant: {
    const AttrValue *constant = constantValue(*op.result());
    const int64_t *number = constant ? std::get_if<int64_t>(constant) : nullptr;
    return number && *number != INT64_MIN ? std::abs(*number) : 1;
  }
  case OpKind::InitTile: return op.result()->type().data().scatter ? 1 : of(rowOffsetAt(op) + sideBySide);
  case OpKind::UpdateTileOffset: return op.operandCount() == 3 ? std::gcd(of(0), of(1 + sideBySide)) : 1;
  case OpKind::AddI:
  case OpKind::SubI:
  case OpKind::RemSI:
  case OpKind::MinSI:
  case OpKind::MaxSI: return std::gcd(of(0), of(1));
  case OpKind::Select: return std::gcd(of(1), of(2));
  case OpKind::MulI: {
    int64_t product;
    return __builtin_mul_overflow(of(0), of(1), &product) ? 1 : product;
  }
  default: return 1;
  }
}

void TileRoots::findDivisors() {
  bool changed = true;
  auto set = [&](const Value *value, int64_t divisor) {
    auto [entry, isNew] = divisors_.try_emplace(value, divisor);
    changed |= isNew || entry->second != divisor;
    entry->second = divisor;
  };
  for (size_t i = 0; i < kernel_.paramCount; ++i) set(kernel_.param(i), 1);
  walk(kernel_.gridBlock, [&](const Op &op) {
    if (op.resultCount()) set(op.result(), divisorOf(op));
  });
  for (const auto &param : kernel_.gridBlock.params()) set(param.get(), 1);
  for (const GridDim &dim : kernel_.grid) set(dim.variable, std::gcd(known(dim.lower), known(dim.step)));
  // Starts from "divisible by everything" and reduces each divisor to one that every path allows.
  while (changed) {
    changed = false;
    walk(kernel_.body, [&](const Op &op) {
      CarriedAt at = carriedAt(op);
      if (op.kind() == OpKind::For) set(op.region()->param(0), std::gcd(known(op.operand(0)), known(op.operand(2))));
      for (size_t i = 0; i < op.resultCount(); ++i) {
        int64_t divisor = op.regionCount() ? carriedDivisor(op, i) : divisorOf(op);
        set(op.result(i), divisor);
        if (at.loops) set(op.region()->param(at.param + i), divisor);
      }
    });
  }
}

} // namespace xt
