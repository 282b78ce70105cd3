#include "passes/block_classes.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/module.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

constexpr int kSuggested = 0, kOperandB = 2 /* kOperand */, kOperandA = 3, kAccumulator = 4, kWhole = 5;
constexpr int64_t kPlainRows = 8;

bool isCut(Type type) { return type.isVector() || type.isTile(); }

bool isBlockOp(const Op &op) { return op.info().dialect == Dialect::XeGpu; }

} // namespace

BlockClasses::BlockClasses(Kernel &kernel, const TargetInfo &target, Context &context)
    : context_(context), target_(target), lanes_(subgroupSizeFor(target, kernel)), members_(kernel, isCut) {
  classes_.resize(members_.count());
  for (size_t i = 0; i < members_.count(); ++i) classes_[i].type = members_.values()[members_.classOf(i)]->type();
  // A kernel that contains XeGPU ops has chosen its block sizes: their blocks, and the vectors of its slice ops, are not cut.
  bool chosen = false;
  walk(kernel.body, [&](Op &op) { chosen |= isBlockOp(op); });
  walk(kernel.body, [&](Op &op) {
    bool part = op.kind() == OpKind::ExtractStridedSlice || op.kind() == OpKind::InsertStridedSlice;
    if (isBlockOp(op) || (chosen && part))
      demandWhole(op);
    else if (op.kind() == OpKind::TileMma)
      demandMma(op);
  });
  for (int round = 0; round < 2; ++round) walk(kernel.body, [&](Op &op) { suggest(op); });
  for (size_t i = 0; i < members_.count(); ++i)
    if (members_.classOf(i) == i && classes_[i].strength < 0) classes_[i].grid = plainGrid(classes_[i].type);
  for (const Value *value : members_.values())
    if (value->type().isVector() && value->type().layout()) classOf(value).layout = value->type().layout();
  for (Class &own : classes_)
    if (own.layout) alignToLayout(own);
  choosePacked(kernel.body);
}

const Layout *BlockClasses::layout(const Value *value, std::span<const int64_t> shape) const {
  bool ofOffsets = value->type().isTile() && value->type().data().scatter;
  const Layout *whole = value->type().isVector() || ofOffsets ? classOf(value).layout : nullptr;
  return whole ? sliced(context_, whole, shape) : nullptr;
}

// Joins blocks until each lane has the same part of every block.
void BlockClasses::alignToLayout(Class &own) const {
  for (size_t d = 0; d < own.grid.dims.size(); ++d) {
    std::span<const Factor> digits = own.layout->factors(static_cast<int>(d));
    if (digits.empty()) continue;
    int64_t extent = own.layout->shape()[d], step = digits[0].axis == Axis::Register ? extent / digits[0].extent : extent;
    Lengths joined = {0};
    for (int64_t length : own.grid.dims[d]) {
      if (joined.back() > 0 && joined.back() % step == 0) joined.push_back(0);
      joined.back() += length;
    }
    own.grid.dims[d] = std::move(joined);
  }
}

BlockGrid BlockClasses::plainGrid(Type type) const {
  BlockGrid grid = BlockGrid::whole(type);
  // A small value of three or more dimensions is an operand that is being converted to another form: keep it whole.
  if (type.rank() > 2 && type.elementCount() <= 2 * kPlainRows * kProductDepth * 2) return grid;
  for (int d = 0; d < type.rank(); ++d) {
    Lengths &lengths = grid.dims[static_cast<size_t>(d)];
    if (d + 1 == type.rank())
      lengths = cutEvenly(type.extent(d), lanes_);
    else if (d + 2 == type.rank())
      lengths = cutToPowersOfTwo(type.extent(d), kPlainRows);
    else
      lengths = cutEvenly(type.extent(d), 1);
  }
  return grid;
}

// --- what decides ----------------------------------------------------------------------------------------------------

void BlockClasses::demand(const Value *value, BlockGrid grid, int strength) {
  Class &own = classOf(value);
  if (strength <= own.strength) return;
  own.grid = std::move(grid);
  own.strength = strength;
}

void BlockClasses::demandWhole(Op &op) {
  auto whole = [&](const Value *value) {
    if (isCut(value->type())) demand(value, BlockGrid::whole(value->type()), kWhole);
  };
  for (const Value *operand : op.operands()) whole(operand);
  for (size_t i = 0; i < op.resultCount(); ++i) whole(op.result(i));
}

BlockGrid BlockClasses::productGrid(const Op &mma) const {
  MmaChoice choice = chooseMma(target_, mma);
  int64_t rows = mma.result()->type().extent(0);
  bool pads = choice.shape && !choice.fewerRows;
  return {{pads ? cutEvenly(rows, choice.shape->m) : cutToPowersOfTwo(rows, choice.shape ? choice.shape->m : kPlainRows),
           cutEvenly(mma.result()->type().extent(1), choice.shape ? choice.shape->n : lanes_)}};
}

void BlockClasses::demandMma(Op &op) {
  MmaChoice choice = chooseMma(target_, op);
  BlockGrid result = productGrid(op);
  Lengths k = cutEvenly(op.operand(0)->type().extent(1), choice.shape ? choice.shape->k : kProductDepth);
  demand(op.operand(0), {{result.dims[0], k}}, kOperandA);
  demand(op.operand(1), {{k, result.dims[1]}}, kOperandB);
  demand(op.result(), std::move(result), kAccumulator);
}

void BlockClasses::suggestTransposed(const Value *from, const Value *to, const std::vector<int64_t> &permutation) {
  Class &source = classOf(from), &target = classOf(to);
  if ((source.strength < 0) == (target.strength < 0)) return;
  BlockGrid grid = BlockGrid::whole(source.strength < 0 ? from->type() : to->type());
  for (size_t d = 0; d < permutation.size(); ++d) {
    auto p = static_cast<size_t>(permutation[d]);
    if (source.strength < 0)
      grid.dims[p] = target.grid.dims[d];
    else
      grid.dims[d] = source.grid.dims[p];
  }
  demand(source.strength < 0 ? from : to, std::move(grid), kSuggested);
}

// Cuts the dimension other than `dim`, which both vectors have, in the same way in both, if only one of them has its blocks
// yet.
void BlockClasses::suggestKept(const Value *many, const Value *few, size_t dim) {
  Class &large = classOf(many), &small = classOf(few);
  if ((large.strength < 0) == (small.strength < 0)) return;
  const Value *open = large.strength < 0 ? many : few;
  BlockGrid grid = plainGrid(open->type());
  grid.dims[1 - dim] = (large.strength < 0 ? small : large).grid.dims[1 - dim];
  demand(open, std::move(grid), kSuggested);
}

void BlockClasses::suggest(Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::Transpose: return suggestTransposed(op.operand(0), op.result(), permutationOf(op));
  case TypeRule::Reduction: return suggestKept(op.operand(0), op.result(), dimensionOf(op));
  case TypeRule::Broadcast: return suggestKept(op.result(), op.operand(0), dimensionOf(op));
  case TypeRule::Reshape: { // if the result is one block, so is the operand
    const Class &result = classOf(op.result());
    if (result.strength >= 0 && result.grid.count() == 1)
      demand(op.operand(0), BlockGrid::whole(op.operand(0)->type()), kSuggested);
    return;
  }
  default: return;
  }
}

// --- packed operands -------------------------------------------------------------------------------------------------

// Whether the blocks of a class can be packed: either the kernel states no layout for the class, or packed blocks can have the
// stated layout.
bool BlockClasses::packsBlocks(const Class &own) const {
  if (!own.layout) return true;
  const Layout *block = sliced(context_, own.layout, own.grid.shape(0));
  return block && packedLayout(context_, block, 32 / elemInfo(own.type.elem()).bits);
}

// Packs the values of a class where they are defined, if they are used only as operand b of products and come only from loads
// and constants, possibly through elementwise ops, loops and branches. Then the load message packs them, or packing costs
// nothing.
void BlockClasses::choosePacked(Block &body) {
  const std::vector<const Value *> &values = members_.values();
  std::vector<char> possible(values.size(), 1);
  auto rule = [&](const Value *value) { possible[members_.classOf(value)] = 0; };
  auto packs = [](Type type) {
    return type.isVector() && type.rank() == 2 && (elemInfo(type.elem()).bits == 8 || elemInfo(type.elem()).bits == 16);
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const Class &own = classes_[members_.classOf(i)];
    bool even = own.strength == kOperandB && packs(values[i]->type()) &&
                elemInfo(values[i]->type().elem()).bits == elemInfo(own.type.elem()).bits;
    for (size_t d = 0; even && d < 2; ++d)
      for (int64_t length : own.grid.dims[d]) even &= length == own.grid.dims[d][0];
    if (!even || !packsBlocks(own)) possible[members_.classOf(i)] = 0;
  }
  walk(body, [&](Op &op) {
    bool carries = op.regionCount() || op.kind() == OpKind::Yield;
    bool keeps = carries || op.info().elementwise || op.kind() == OpKind::Select || op.info().typeRule == TypeRule::Cast;
    bool gives = keeps || op.kind() == OpKind::LoadTile || op.kind() == OpKind::Constant || op.kind() == OpKind::Splat;
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (op.result(i)->type().isVector() && !gives) rule(op.result(i));
    for (size_t i = 0; i < op.operandCount(); ++i) {
      if (!op.operand(i)->type().isVector() || keeps) continue;
      const MmaShape *shape = op.kind() == OpKind::TileMma && i == 1 ? chooseMma(target_, op).shape : nullptr;
      const BlockGrid &grid = classOf(op.operand(i)).grid;
      if (!shape || shape->b != op.operand(i)->type().elem() || grid.dims[0][0] != shape->k || grid.dims[1][0] != shape->n)
        rule(op.operand(i));
    }
  });
  for (size_t i = 0; i < values.size(); ++i) classes_[i].packed = possible[members_.classOf(i)];
}

} // namespace xt
