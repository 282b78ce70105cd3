#include "passes/carried_offsets.h"

#include "ir/base/text.h"
#include "ir/builder.h"
#include "ir/op_kinds.h"
#include "passes/sweep_accesses.h"
#include "passes/tile_roots.h"

#include <array>
#include <set>
#include <unordered_map>

namespace xt {
namespace {

class OffsetCarrier {
public:
  OffsetCarrier(Kernel &kernel, int64_t fewestElements, Context &context)
      : kernel_(kernel), fewestElements_(fewestElements), context_(context), roots_(kernel), b(context, kernel.body) {}

  void run() {
    findCarried();
    if (!carried_.empty()) rewrite(kernel_.body);
  }

private:
  using Offsets = std::array<Value *, 2>; // row and column

  bool isLarge(const Value *tile) const {
    Type type = tile->type();
    return type.isTile() && !type.data().scatter && type.elementCount() >= fewestElements_;
  }

  // --- which tiles

  // Starts with all large tiles of known matrices that loops carry. Excludes those whose initial or yielded tile has unknown
  // offsets, until no more are found.
  void findCarried() {
    walk(kernel_.body, [&](Op &op) {
      if (op.kind() != OpKind::For) return;
      for (size_t i = 0; i < op.resultCount(); ++i)
        if (isLarge(op.result(i)) && roots_.root(op.result(i))) carried_.insert(op.result(i));
    });
    for (bool changed = true; changed;) {
      changed = false;
      walk(kernel_.body, [&](Op &op) {
        if (op.kind() != OpKind::For) return;
        CarriedAt at = carriedAt(op);
        for (size_t i = 0; i < op.resultCount(); ++i) {
          if (!carried_.contains(op.result(i))) continue;
          if (hasOffsets(op.operand(at.operand + i)) && hasOffsets(op.region()->last()->operand(at.yield + i))) continue;
          carried_.erase(op.result(i));
          changed = true;
        }
      });
    }
  }

  // Whether the offsets of the tile are known: it is an init_tile or a tile of `carried_`, possibly moved by
  // update_tile_offset.
  bool hasOffsets(const Value *tile) const {
    while (tile->definingOp() && tile->definingOp()->kind() == OpKind::UpdateTileOffset) tile = tile->definingOp()->operand(0);
    if (const Op *op = tile->definingOp()) return op->kind() == OpKind::InitTile || carried_.contains(tile);
    const Op *loop = tile->definingBlock()->parentOp();
    if (!loop || loop->kind() != OpKind::For) return false;
    return carried_.contains(loop->result(tile->index() - carriedAt(*loop).param));
  }

  // --- rewriting

  void rewrite(Block &block) {
    for (Op *op = block.first(), *next; op; op = next) {
      next = op->next();
      if (op->kind() == OpKind::InitTile && !op->result()->type().data().scatter) {
        size_t row = rowOffsetAt(*op);
        offsets_[op->result()] = {op->operand(row), op->operand(row + 1)};
      } else if (op->kind() == OpKind::UpdateTileOffset && isLarge(op->result()) && offsets_.contains(op->operand(0))) {
        move(*op);
      } else if (op->kind() == OpKind::For) {
        loop(*op);
      } else {
        for (size_t r = 0; r < op->regionCount(); ++r) rewrite(*op->region(r));
      }
    }
  }

  // Replaces the tile `like` by an init_tile on the matrix of `root`, at the offsets `at`.
  void replace(Value *like, const Op &root, Offsets at) {
    std::vector<Value *> operands = root.operands();
    size_t row = rowOffsetAt(root);
    operands[row] = at[0], operands[row + 1] = at[1];
    Value *tile = b.value(OpKind::InitTile, std::move(operands), like->type());
    tile->setName(like->name());
    tile->setRange(like->range());
    offsets_[tile] = at;
    like->replaceAllUsesWith(tile);
  }

  void move(Op &op) {
    b.setBefore(&op);
    b.setRange(op.range());
    Offsets from = offsets_.at(op.operand(0)), to;
    for (size_t d = 0; d < 2; ++d) to[d] = b.value(OpKind::AddI, {from[d], op.operand(1 + d)}, context_.index());
    replace(op.result(), *chainOf(op.operand(0)).init, to);
    op.block()->erase(&op);
  }

  void loop(Op &old) {
    CarriedAt at = carriedAt(old);
    std::vector<Value *> operands(old.operands().begin(), old.operands().begin() + static_cast<std::ptrdiff_t>(at.operand));
    std::vector<Type> types;
    for (size_t i = 0; i < old.resultCount(); ++i) {
      Value *initial = old.operand(at.operand + i);
      if (!carried_.contains(old.result(i))) {
        operands.push_back(initial), types.push_back(initial->type());
        continue;
      }
      Offsets start = offsets_.at(initial);
      operands.insert(operands.end(), start.begin(), start.end());
      types.insert(types.end(), 2, context_.index());
    }
    b.setBefore(&old);
    b.setRange(old.range());
    Op *made = b.create(OpKind::For, std::move(operands), types, 1);
    body(old, *made);
    b.setBefore(&old);
    takeOver(old, [&](size_t i) { return old.result(i); }, [&](size_t k) { return made->result(k); });
    old.block()->erase(&old);
  }

  void body(Op &old, Op &made) {
    CarriedAt at = carriedAt(old);
    Block &from = *old.region(), &to = *made.region();
    for (const auto &param : from.params()) {
      bool tile = param->index() >= at.param && carried_.contains(old.result(param->index() - at.param));
      for (size_t d = 0; d < (tile ? 2 : 1); ++d)
        to.addParam(tile ? context_.index() : param->type(), tile ? str(param->name(), "_", d) : param->name(), param->range());
    }
    for (size_t i = 0; i < at.param; ++i) from.param(i)->replaceAllUsesWith(to.param(i));
    b.setEnd(to);
    takeOver(old, [&](size_t i) { return from.param(at.param + i); }, [&](size_t k) { return to.param(at.param + k); });
    while (Op *op = from.first()) to.moveBefore(nullptr, op);
    rewrite(to);
    Op *end = made.region()->last();
    if (!end || end->kind() != OpKind::Yield) return;
    std::vector<Value *> yielded;
    for (size_t i = 0; i < old.resultCount(); ++i) {
      Value *value = end->operand(at.yield + i);
      if (!carried_.contains(old.result(i))) {
        yielded.push_back(value);
        continue;
      }
      Offsets next = offsets_.at(value);
      yielded.insert(yielded.end(), next.begin(), next.end());
    }
    b.setEnd(to);
    b.setRange(end->range());
    b.create(OpKind::Yield, std::move(yielded), {});
    to.erase(end);
  }

  // Replaces the carried parameters or the results of `old`, which `from` returns, by those of the new loop, which `to`
  // returns. A tile is replaced by an init_tile at two carried offsets.
  template <class From, class To> void takeOver(const Op &old, From from, To to) {
    for (size_t i = 0, k = 0; i < old.resultCount(); ++i) {
      Value *value = from(i);
      if (!carried_.contains(old.result(i))) {
        to(k)->setName(value->name());
        value->replaceAllUsesWith(to(k++));
        continue;
      }
      replace(value, *roots_.root(old.result(i)), {to(k), to(k + 1)});
      k += 2;
    }
  }

  Kernel &kernel_;
  int64_t fewestElements_;
  Context &context_;
  TileRoots roots_;
  Builder b;
  std::set<const Value *> carried_;                         // loop results that are replaced by offsets; for lookup only
  std::unordered_map<const Value *, Offsets> offsets_;      // row and column of each init_tile; for lookup only
};

} // namespace

void carryOffsets(Kernel &kernel, int64_t fewestElements, Context &context) {
  OffsetCarrier(kernel, fewestElements, context).run();
}

} // namespace xt
