#include "targets/cpu/analysis/needed_rows.h"

#include "targets/cpu/analysis/product_style.h"
#include "targets/cpu/analysis/vector_values.h"

#include <algorithm>

namespace xt {

// Goes backwards from the uses of vectors until nothing changes. A value is needed in no row, in the rows that a tile has, or
// in all.
class NeededRowsFinder {
public:
  explicit NeededRowsFinder(const CpuInfo &cpu) : cpu_(cpu) {}

  NeededRows find(const Kernel &kernel) {
    do {
      changed_ = false;
      visit(kernel.body);
    } while (changed_);
    NeededRows found;
    for (const auto &[value, need] : needs_)
      if (need.some) found.bounds_[value] = need.bound;
    return found;
  }

private:
  struct Need {
    bool some = false; // any row
    const Op *bound = nullptr; // the rows of this tile; null: all
  };
  static constexpr Need kAll{true, nullptr};

  Need needOf(const Value *value) const {
    auto found = needs_.find(value);
    return found == needs_.end() ? Need{} : found->second;
  }
  static Need join(Need a, Need b) {
    if (!a.some || !b.some) return a.some ? a : b;
    return a.bound == b.bound ? a : kAll;
  }
  void add(const Value *value, Need need) {
    if (!value->type().isVector()) return;
    Need &now = needs_[value], next = join(now, need);
    changed_ |= next.some != now.some || next.bound != now.bound;
    now = next;
  }

  void visit(const Block &block) {
    for (const Op *op = block.last(); op; op = op->previous()) {
      for (size_t r = 0; r < op->regionCount(); ++r) visit(*op->region(r));
      visit(*op);
    }
  }

  static bool carriesKnown(const Op &op) { return op.kind() == OpKind::For || op.kind() == OpKind::If; }

  void visit(const Op &op) {
    if (carriesKnown(op)) return visitRegions(op);
    if (op.kind() == OpKind::Yield && carriesKnown(*op.block()->parentOp())) return; // visited with the op around it
    for (size_t i = 0; i < op.operandCount(); ++i) add(op.operand(i), needOfOperand(op, i));
  }
  // What a region yields is needed where the result is, and in a loop also where the next iteration needs it.
  void visitRegions(const Op &op) {
    CarriedAt at = carriedAt(op);
    for (size_t i = 0; i < op.resultCount(); ++i) {
      Need need = needOf(op.result(i));
      if (at.loops) {
        need = join(need, needOf(op.region()->param(at.param + i)));
        add(op.operand(at.operand + i), need);
      }
      for (size_t r = 0; r < op.regionCount(); ++r)
        if (const Op *yield = op.region(r)->last()) add(yield->operand(at.yield + i), need);
    }
  }

  Need needOfOperand(const Op &op, size_t i) const {
    const Type type = op.operand(i)->type();
    if (!type.isVector() || type.rank() != 2) return kAll;
    if (op.kind() == OpKind::StoreTile) return needOfStore(op);
    if (op.resultCount() != 1 || !op.result()->type().isVector()) return kAll;
    const Need result = needOf(op.result());
    switch (op.info().typeRule) {
    case TypeRule::TileMma:
      // Products of pairs depend on the least magnitude of all rows of `a` (MmaEmitter).
      return i == 2 || (i == 0 && !multipliesPairs(cpu_, op)) ? result : kAll;
    case TypeRule::Nest: return i == 2 ? result : kAll;
    default: break;
    }
    const bool each = op.info().elementwise || op.kind() == OpKind::ConvertLayout;
    return each && std::ranges::equal(type.shape(), op.result()->type().shape()) ? result : kAll;
  }

  Need needOfStore(const Op &store) const {
    const Op *init = store.operand(1)->definingOp();
    const bool plain = init && init->kind() == OpKind::InitTile && !transposes(store) && isBlock(init->result()->type());
    if (!plain || !init->operand(0)->type().isMemRef()) return kAll;
    for (const Value *operand : init->operands())
      if (isInLoop(operand->definingOp() ? *operand->definingOp()->block() : *operand->definingBlock())) return kAll;
    return {true, init};
  }
  // Whether the block is, or is in, the body of a loop: what it computes differs from iteration to iteration.
  static bool isInLoop(const Block &block) {
    for (const Op *around = block.parentOp(); around; around = around->block()->parentOp())
      if (around->kind() != OpKind::If) return true;
    return false;
  }
  static bool isBlock(Type tile) {
    return !tile.data().scatter && tile.data().order == Order::RowMajor && tile.packFactor() == 1;
  }

  const CpuInfo &cpu_;
  std::unordered_map<const Value *, Need> needs_;
  bool changed_ = false;
};

const Op *NeededRows::boundOf(const Value *value) const {
  auto found = bounds_.find(value);
  return found == bounds_.end() ? nullptr : found->second;
}

NeededRows findNeededRows(const Kernel &kernel, const CpuInfo &cpu) { return NeededRowsFinder(cpu).find(kernel); }

} // namespace xt
