#include "ir/effects.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

namespace {
// Whether a value may refer to memory. An i64 may be an address, with which a kernel may compute as with any other 64-bit
// integer, also as an index.
bool refersToMemory(const Value *value) {
  Type type = value->type();
  return type.isMemRef() || type.isWindow() || type.isScalar(Elem::I64) || type.isScalar(Elem::U64) || type.isIndex();
}

} // namespace

MemoryOrigins::MemoryOrigins(const Kernel &kernel) : kernel_(kernel) {
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    if (!refersToMemory(kernel.param(i)) || kernel.param(i)->type().isIndex()) continue;
    std::vector<bool> own(kernel.paramCount, false);
    own[i] = true;
    sets_[kernel.param(i)] = std::move(own);
  }
  // Loops carry tiles from one iteration to the next: repeat until nothing changes.
  do {
    changed_ = false;
    walk(kernel.body, [&](const Op &op) { visit(op); });
  } while (changed_);
}

std::vector<bool> MemoryOrigins::of(const Value *value) const {
  auto found = sets_.find(value);
  return found == sets_.end() ? std::vector<bool>(kernel_.paramCount, false) : found->second;
}

void MemoryOrigins::flow(const Value *from, const Value *to) {
  if (!refersToMemory(from) || !refersToMemory(to)) return;
  std::vector<bool> source = of(from);
  std::vector<bool> &target = sets_.try_emplace(to, std::vector<bool>(kernel_.paramCount, false)).first->second;
  for (size_t i = 0; i < source.size(); ++i)
    if (source[i] && !target[i]) target[i] = changed_ = true;
}

void MemoryOrigins::visit(const Op &op) {
  if (op.regionCount() == 0) {
    if (op.resultCount() == 0 || op.kind() == OpKind::Dim || op.kind() == OpKind::Stride) return;
    // A tile or memref refers to the same memory as its base, whatever its offsets are.
    bool memory = op.result()->type().isWindow() || op.result()->type().isMemRef();
    for (size_t i = 0; i < (memory ? std::min<size_t>(op.operandCount(), 1) : op.operandCount()); ++i)
      flow(op.operand(i), op.result());
    return;
  }
  size_t carried = op.resultCount();
  CarriedAt at = carriedAt(op);
  for (size_t r = 0; r < op.regionCount(); ++r) {
    Block *region = op.region(r);
    const Op *end = region->last(); // the yield; a region without results may not have one
    for (size_t i = 0; i < carried; ++i) {
      const Value *yielded = end->operand(i + at.yield);
      flow(yielded, op.result(i));
      if (!at.loops) continue;
      const Value *init = op.operand(i + at.operand), *param = region->param(i + at.param);
      flow(init, op.result(i));
      flow(init, param);
      flow(yielded, param);
    }
  }
}

Effect effectsOn(const Op &op, size_t operand) {
  Type type = op.operand(operand)->type();
  if (op.regionCount() || !(type.isMemRef() || type.isWindow())) return Effect::None;
  const auto &specs = op.info().operands;
  const std::optional<Effect> &own = specs[std::min(operand, specs.size() - 1)].effects;
  if (own) return *own;
  return static_cast<Effect>(static_cast<uint8_t>(op.info().effects) & static_cast<uint8_t>(Effect::Reads | Effect::Writes));
}

bool updatesMemory(const Op &op) {
  for (size_t k = 0; k < op.operandCount(); ++k)
    if (Effect on = effectsOn(op, k); has(on, Effect::Reads) && has(on, Effect::Writes)) return true;
  return false;
}

KernelEffects kernelEffects(const Kernel &kernel) {
  MemoryOrigins origins(kernel);
  KernelEffects effects{std::vector<bool>(kernel.paramCount, false), std::vector<bool>(kernel.paramCount, false)};
  walk(kernel.body, [&](const Op &op) {
    for (size_t k = 0; k < op.operandCount(); ++k) {
      Effect on = effectsOn(op, k);
      if (on == Effect::None) continue;
      std::vector<bool> from = origins.of(op.operand(k));
      for (size_t i = 0; i < from.size(); ++i) {
        if (!from[i]) continue;
        if (has(on, Effect::Reads)) effects.reads[i] = true;
        if (has(on, Effect::Writes)) effects.writes[i] = true;
      }
    }
  });
  return effects;
}

} // namespace xt
