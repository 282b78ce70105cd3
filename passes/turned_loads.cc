#include "passes/turned_loads.h"

#include "ir/builder.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/tile.h"
#include "passes/facts.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace xt {
namespace {

constexpr int kMaxChain = 64; // maximum number of ops between a load and a transpose

bool canTurn(const Value *value, int depth) {
  if (!value->type().isVector()) return true;
  const Op *op = value->definingOp();
  if (!op || depth > kMaxChain || value->type().rank() != 2) return false;
  if (op->kind() == OpKind::Constant || op->kind() == OpKind::Splat) return true;
  for (Use use : value->uses())
    if (use.user != value->uses().front().user) return false;
  if (op->kind() == OpKind::LoadTile) return true;
  if (!isElementwise(*op)) return false;
  for (const Value *operand : op->operands())
    if (!canTurn(operand, depth + 1)) return false;
  return true;
}

Type turnedType(Context &context, Type type) {
  const Layout *layout = type.layout();
  if (layout) layout = transposed(context, layout, std::array<int64_t, 2>{1, 0});
  return context.vector({type.extent(1), type.extent(0)}, type.elem(), layout);
}

// Builds the transpose of a value before the op that defines it. `turned` holds the transposes that were built earlier.
Value *turn(Context &context, Value *value, std::unordered_map<const Value *, Value *> &turned) {
  if (!value->type().isVector()) return value;
  if (auto found = turned.find(value); found != turned.end()) return found->second;
  Op *op = value->definingOp();
  std::vector<Value *> operands;
  for (Value *operand : op->operands()) operands.push_back(turn(context, operand, turned));
  Builder build(context, *op->block());
  build.setBefore(op);
  build.setRange(op->range());
  Op *made = build.create(op->kind(), std::move(operands), {turnedType(context, value->type())});
  copyAttrs(*op, *made, attr_names::kTranspose);
  if (op->kind() == OpKind::LoadTile && !transposes(*op)) LoadTileOp(*made).setTranspose({1, 0});
  made->result()->setName(value->name());
  made->result()->setRange(value->range());
  return turned[value] = made->result();
}

} // namespace

void foldTransposesIntoLoads(Kernel &kernel, Context &context) {
  std::vector<Op *> transposes;
  walk(kernel.body, [&](Op &op) {
    if (op.kind() == OpKind::Transpose && op.operand(0)->type().rank() == 2 && permutationOf(op)[0] == 1)
      transposes.push_back(&op);
  });
  for (Op *op : transposes) {
    Value *source = op->operand(0);
    if (!canTurn(source, 0)) continue;
    std::unordered_map<const Value *, Value *> turned;
    op->result()->replaceAllUsesWith(turn(context, source, turned));
    op->block()->erase(op);
    std::vector<Op *> dead = {source->definingOp()};
    while (!dead.empty()) {
      Op *gone = dead.back();
      dead.pop_back();
      if (!gone || !gone->result()->uses().empty()) continue;
      std::vector<Value *> operands = gone->operands();
      gone->block()->erase(gone);
      // Values with other uses are left to dead-code. An operand that occurs twice is added once.
      for (Value *operand : operands)
        if (operand->type().isVector() && operand->uses().empty() &&
            std::find(dead.begin(), dead.end(), operand->definingOp()) == dead.end())
          dead.push_back(operand->definingOp());
    }
  }
}

} // namespace xt
