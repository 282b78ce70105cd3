#include "passes/form_nests.h"

#include "ir/base/text.h"
#include "ir/builder.h"
#include "ir/constants.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "ir/views/nest.h"
#include "ir/views/tile.h"
#include "passes/facts.h"
#include "passes/nest_rows.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace xt {
namespace {

// Operand `a` or `b` of the product. It is loaded from a tile that advances by `step` in each iteration.
struct Side {
  const Op *load = nullptr;
  bool transposed = false;
  Value *tile = nullptr;        // the tile before the loop; null: a copy of `init` is created there
  const Op *init = nullptr;     // an init_tile in the loop, some of whose offsets are the induction variable
  std::vector<int64_t> step{0, 0};
  NestRows rows; // of `a`
  Value *gathered = nullptr; // the matrix of which `load` gathers rows; its tile is created before the loop
};

class NestMatch {
public:
  NestMatch(Op &loop, Diagnostics &diagnostics) : loop_(loop), body_(*loop.region()), diagnostics_(diagnostics) {}

  // Whether the loop can become a nest. If not, and the loop has a product, a remark gives the reason.
  bool match() {
    for (Op &op : body_) {
      if (op.kind() != OpKind::TileMma) continue;
      if (mma_) return stays(op, "the loop has a second product");
      mma_ = &op;
    }
    return mma_ && matchLoop() && matchSum() && matchSide(0, sides_[0]) && matchSide(1, sides_[1]) && nothingElse();
  }

  void replace(Context &context) {
    Builder build(context, *loop_.block());
    build.setBefore(&loop_);
    build.setRange(mma_->range());
    std::vector<Value *> operands;
    for (Side &side : sides_)
      operands.push_back(side.tile ? side.tile : side.gathered ? tileOfGathered(build, side) : initBefore(build, *side.init));
    operands.insert(operands.end(), {loop_.operand(3 + sum_), loop_.operand(0), loop_.operand(1), loop_.operand(2)});
    if (sides_[0].rows.any()) operands.push_back(rowNumbers(build, sides_[0].rows, loop_.result(sum_)->type()));
    Op *nest = build.create(OpKind::Nest, std::move(operands), {loop_.result(sum_)->type()});
    if (sides_[0].transposed) NestOp(*nest).setTransposeA();
    if (sides_[1].transposed) NestOp(*nest).setTransposeB();
    nest->result()->setName(loop_.result(sum_)->name());
    nest->result()->setRange(loop_.result(sum_)->range());
    loop_.result(sum_)->replaceAllUsesWith(nest->result());
    diagnostics_
        .report(DiagCode::PassRemark, mma_->range(),
                "this product and the loop around it are fused into one nest, which is packed and blocked for the processor")
        .at(loop_.range(), "the loop");
    loop_.block()->erase(&loop_);
  }

private:
  bool stays(const Op &op, std::string why) {
    Diagnostic &remark = diagnostics_.report(DiagCode::PassRemark, op.range(), str("K loop not fused: ", why));
    if (&op != &loop_) remark.at(loop_.range(), "the loop");
    return false;
  }

  // The value that the loop carries into parameter `param` after an iteration, and its initial value.
  Value *next(const Value *param) const { return body_.last()->operand(param->index() - 1); }
  Value *first(const Value *param) const { return loop_.operand(param->index() + 2); }
  bool isCarried(const Value *value) const { return value->definingBlock() == &body_ && value->index() > 0; }

  bool matchLoop() {
    std::optional<int64_t> step = constantInt(*loop_.operand(2));
    if (!step || *step <= 0) return stays(*mma_, "its step is not a positive constant");
    loopStep_ = *step;
    return true;
  }

  bool matchSum() {
    if (mma_->operandCount() < 3 || !isCarried(mma_->operand(2)) || next(mma_->operand(2)) != mma_->result())
      return stays(*mma_, "the accumulator is not a value that the loop carries");
    if (!mma_->operand(2)->hasOneUse() || !mma_->result()->hasOneUse())
      return stays(*mma_, "the accumulator is also used inside the loop");
    sum_ = mma_->operand(2)->index() - 1;
    Elem elem = mma_->result()->type().elem();
    if (elem == Elem::F16 || elem == Elem::BF16) // rounded after each iteration
      return stays(*mma_, str("the accumulator is ", elemName(elem), ", which rounds in each iteration"));
    for (size_t i = 0; i < loop_.resultCount(); ++i)
      if (i != sum_ && !loop_.result(i)->uses().empty())
        return stays(loop_, "another value that the loop carries is used after the loop");
    return true;
  }

  // Whether the op is a cast that leaves each product unchanged, because products are computed in f32 at least.
  static bool isExact(const Op &op) {
    Elem from = op.operand(0)->type().elem(), to = op.result()->type().elem();
    return op.kind() == OpKind::ExtF && to == Elem::F32 && (from == Elem::F16 || from == Elem::BF16);
  }

  bool matchSide(size_t operand, Side &side) {
    const Value *value = mma_->operand(operand);
    const Op *op = value->definingOp();
    while (op && op->block() == &body_ && value->hasOneUse()) {
      seen_.insert(op);
      if (isLoad(*op)) break;
      if (operand == 0 && !side.transposed && selectsRows(*op, side.rows)) {
        value = op->operand(1);
        op = value->definingOp();
        continue;
      }
      bool turns = op->kind() == OpKind::Transpose && op->operand(0)->type().rank() == 2 && permutationOf(*op)[0] == 1;
      bool casts = isExact(*op);
      if (!turns && !casts && op->kind() != OpKind::ConvertLayout) break;
      side.transposed ^= turns;
      casts_ |= casts;
      value = op->operand(0);
      op = value->definingOp();
    }
    std::string_view name = operand == 0 ? "a" : "b";
    if (op && operand == 0 && op->kind() == OpKind::LoadGather && op->block() == &body_ && value->hasOneUse())
      return matchGather(*op, side);
    if (!op || op->kind() != OpKind::LoadTile || op->block() != &body_ || !value->hasOneUse())
      return stays(op && op->block() == &body_ ? *op : *mma_, str(name, " is not loaded in the loop, or has other uses"));
    const AttrValue *padding = LoadTileOp(*op).padding();
    if (padding && *padding != AttrValue(int64_t{0}) && *padding != AttrValue(0.0))
      return stays(*op, str(name, " has a padding other than 0"));
    if (op->operand(0)->type().packFactor() > 1) return stays(*op, str("the tile of ", name, " is packed"));
    side.load = op;
    side.transposed ^= transposes(*op);
    if (!matchTile(op->operand(0), side, name)) return false;
    size_t along = (operand == 1) != side.transposed ? 0 : 1; // the dimension of the tile in memory along which K runs
    int64_t depth = op->operand(0)->type().extent(static_cast<int>(along));
    if (side.step[along] == depth && side.step[1 - along] == 0) return !side.rows.any() || matchRows(side);
    return stays(*op, str("the tile of ", name, " moves by [", join(side.step, ", "),
                          "] in each iteration; it must move by its extent along K, which is ", depth));
  }

  // Whether the op is a select that makes some rows 0.
  static bool selectsRows(const Op &op, NestRows &rows) {
    if (op.kind() != OpKind::Select || !op.operand(0)->type().isVector()) return false;
    const AttrValue *zero = constantValue(*op.operand(2));
    return zero && isPositiveZero(*zero) && addRowMask(op.operand(0), nullptr, nullptr, rows);
  }

  // Matches a load that gathers whole rows of a matrix, of which each iteration reads the columns that follow.
  bool matchGather(const Op &load, Side &side) {
    const AttrValue *padding = LoadGatherOp(load).padding();
    if (padding && !isPositiveZero(*padding)) return stays(load, "a has a padding other than 0");
    GatheredRows found = gatheredRows(load);
    if (!found.matrix || definedInside(*found.matrix, body_))
      return stays(load, "the offsets of a are not those of whole rows of a matrix");
    if (found.column != body_.param(0) || loopStep_ != load.result()->type().extent(1))
      return stays(load, "the columns of a do not advance by its extent along K");
    const AttrValue *all = constantValue(*load.operand(1));
    if (!(all && *all == AttrValue(int64_t{1})) && !addRowMask(load.operand(1), found.matrix, found.column, side.rows))
      return stays(load, "the mask of a selects parts of rows");
    side.load = &load;
    side.gathered = found.matrix;
    side.rows.numbers = found.numbers;
    return matchRows(side);
  }

  bool matchRows(const Side &side) {
    if (side.transposed || side.load->operand(0)->type().data().order == Order::ColumnMajor)
      return stays(*side.load, "rows of a transposed a are chosen");
    bool inside = (side.rows.numbers && definedInside(*side.rows.numbers, body_)) ||
                  (side.rows.first && definedInside(*side.rows.first, body_));
    for (const Value *mask : side.rows.masks) inside |= definedInside(*mask, body_);
    return !inside || stays(*side.load, "the rows of a that are read are computed in the loop");
  }

  // Matches the tile of a load: it is carried and advances by constants, depends on the induction variable, or is
  // loop-invariant.
  bool matchTile(Value *tile, Side &side, std::string_view name) {
    std::vector<int64_t> ahead{0, 0}; // by how much the tile moves between the start of the iteration and the load
    Op *op = tile->definingOp();
    while (op && op->block() == &body_ && op->kind() == OpKind::UpdateTileOffset && addMove(*op, ahead)) {
      tile = op->operand(0);
      op = tile->definingOp();
    }
    if (op && op->block() == &body_ && op->kind() == OpKind::InitTile && ahead == std::vector<int64_t>{0, 0})
      return matchInit(*op, side, name);
    bool moved = ahead != std::vector<int64_t>{0, 0};
    if (!moved && !definedInside(*tile, body_)) return side.tile = tile, true;
    if (moved || !isCarried(tile)) return stays(*side.load, str("the tile of ", name, " does not advance by a constant"));
    const Value *param = tile;
    Value *yielded = next(param);
    for (Op *move = yielded->definingOp(); yielded != param; yielded = move->operand(0), move = yielded->definingOp())
      if (!move || move->kind() != OpKind::UpdateTileOffset || move->block() != &body_ || !addMove(*move, side.step))
        return stays(*side.load, str("the tile of ", name, " does not advance by a constant from iteration to iteration"));
    side.tile = first(param);
    return true;
  }

  bool addMove(const Op &move, std::vector<int64_t> &step) {
    std::optional<int64_t> down = constantInt(*move.operand(1)), right = constantInt(*move.operand(2));
    if (!down || !right || __builtin_add_overflow(step[0], *down, &step[0]) ||
        __builtin_add_overflow(step[1], *right, &step[1]))
      return false;
    seen_.insert(&move);
    return true;
  }

  static bool isConstant(const Value &value) { return value.type().isIndex() && constantInt(value); }

  bool matchInit(const Op &init, Side &side, std::string_view name) {
    size_t rank = init.operand(0)->type().isMemRef() ? static_cast<size_t>(init.operand(0)->type().rank()) : 2;
    const Value *index = body_.param(0);
    for (size_t i = 0; i < init.operandCount(); ++i) {
      const Value *operand = init.operand(i);
      bool offset = i == rank - 1 || i == rank; // the offset of the rows or of the columns
      if (operand == index && offset)
        side.step[i - (rank - 1)] = loopStep_;
      else if (definedInside(*operand, body_) && !isConstant(*operand))
        return stays(init, str("the base or offset of the tile of ", name, " is computed in the loop"));
    }
    side.init = &init;
    seen_.insert(&init);
    return true;
  }

  Value *tileOfGathered(Builder &build, const Side &side) {
    TypeData data = side.load->operand(0)->type().data();
    data.scatter = false;
    std::vector<Value *> operands{side.gathered, build.index(0), loop_.operand(0)};
    return build.value(OpKind::InitTile, std::move(operands), build.context().intern(std::move(data)));
  }

  Value *initBefore(Builder &build, const Op &init) {
    std::vector<Value *> operands = init.operands();
    for (Value *&operand : operands)
      if (operand == body_.param(0))
        operand = loop_.operand(0);
      else if (definedInside(*operand, body_))
        operand = build.index(*constantInt(*operand));
    Op *made = build.create(OpKind::InitTile, std::move(operands), {init.result()->type()});
    made->setRange(init.range());
    copyAttrs(init, *made);
    made->result()->setName(init.result()->name());
    return made->result();
  }

  // Whether the rest of the body may be dropped: it writes and prints nothing, and no result is used after the loop.
  bool nothingElse() {
    // A nest has no casts, so `a` and `b` must be loaded with the same type. If a cast from f16 or bf16 to f32 is dropped, the
    // other operand may be loaded as f32 or as the other 16-bit type.
    Elem a = sides_[0].load->result()->type().elem(), b = sides_[1].load->result()->type().elem();
    if (casts_ && a != b) return stays(*mma_, "a and b are loaded with different types");
    for (Op &op : body_) {
      if (op.kind() == OpKind::Yield || op.kind() == OpKind::PrefetchTile || &op == mma_ || seen_.contains(&op)) continue;
      if (op.regionCount() == 0 && (isPure(op) || isRemovable(op)) && !has(op.info().effects, Effect::Reads)) continue;
      std::string_view why = op.regionCount()                               ? "it contains another loop or branch"
                             : has(op.info().effects, Effect::Synchronises) ? "it synchronises subgroups"
                             : has(op.info().effects, Effect::Writes) ? "it writes memory that may overlap a or b"
                                                                      : "it contains an op other than loads and the product";
      return stays(op, std::string(why));
    }
    return true;
  }

  Op &loop_;
  Block &body_;
  Diagnostics &diagnostics_;
  Op *mma_ = nullptr;
  size_t sum_ = 0; // position of the accumulator among the carried values
  int64_t loopStep_ = 0;
  bool casts_ = false;
  std::array<Side, 2> sides_;
  std::unordered_set<const Op *> seen_; // for lookup only
};

void formIn(Block &block, Context &context, Diagnostics &diagnostics) {
  for (Op *op = block.first(); op;) {
    Op *next = op->next();
    for (size_t r = 0; r < op->regionCount(); ++r) formIn(*op->region(r), context, diagnostics);
    if (op->kind() == OpKind::For)
      if (NestMatch match(*op, diagnostics); match.match()) match.replace(context);
    op = next;
  }
}

} // namespace

Result<void> formNests(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels)
    if (kernel->scope != Scope::Lane) formIn(kernel->body, module.context(), diagnostics);
  return {};
}

} // namespace xt
