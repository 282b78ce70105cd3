#include "ir/infer/layout_rules.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/block_mask.h"
#include "ir/infer/layout_fixes.h"
#include "ir/layout/layout_pieces.h"
#include "ir/nest_rows.h"
#include "ir/op_kinds.h"
#include "ir/views/shared.h"
#include "ir/views/tile.h"
#include "ir/written_name.h"

#include <array>

namespace xt {
namespace {

// A known layout among the op's other values that must have the same distribution: a result's first, then a tile's, then a
// vector's.
const Layout *anyAlike(const Op &op, const Value *except) {
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (op.result(i) != except && layoutOf(op.result(i))) return layoutOf(op.result(i));
  // A tile's layout is more reliable than that of a vector, which may be derived. The tile is the last operand of a store.
  for (size_t i = op.operandCount(); i-- > 0;)
    if (op.operand(i) != except && op.operand(i)->type().isTile() && layoutOf(op.operand(i))) return layoutOf(op.operand(i));
  for (Value *operand : op.operands())
    if (operand != except && layoutOf(operand)) return layoutOf(operand);
  return nullptr;
}

const Layout *mmaResult(Context &context, const Op &op) {
  if (op.operandCount() > 2 && layoutOf(op.operand(2))) return layoutOf(op.operand(2));
  const Layout *a = layoutOf(op.operand(0)), *b = layoutOf(op.operand(1));
  if (!a || !b) return nullptr;
  return combined(context, std::array{DimOf{a, 0}, DimOf{b, 1}}, op.result()->type().shape());
}

// Rows or columns as the result's; K as the other operand's, or whole while that is unknown.
const Layout *mmaOperand(Context &context, const Op &op, size_t index) {
  const Layout *result = layoutOf(op.result());
  if (!result) result = mmaResult(context, op);
  if (index == 2 || !result) return result;
  // Which lane holds what of an operand follows from the target's instructions, not from the lanes of the result.
  result = onSubgroups(context, result);
  const Layout *other = layoutOf(op.operand(1 - index));
  if (other) other = onSubgroups(context, other);
  std::array dims = index == 0 ? std::array{DimOf{result, 0}, DimOf{other, 0}} : std::array{DimOf{other, 1}, DimOf{result, 1}};
  return combined(context, dims, op.operand(index)->type().shape());
}

// The layout of the enclosing or nested op's value that must equal a region op's operand.
const Layout *regionOperand(const Op &op, size_t index) {
  if (op.kind() == OpKind::Yield) {
    const Op *parent = op.block()->parentOp();
    if (!parent) return nullptr;
    CarriedAt at = carriedAt(*parent);
    if (index < at.yield) return nullptr;
    size_t carried = index - at.yield;
    if (at.loops)
      if (const Layout *param = layoutOf(parent->region()->param(carried + at.param))) return param;
    return carried < parent->resultCount() ? layoutOf(parent->result(carried)) : nullptr;
  }
  CarriedAt at = carriedAt(op);
  if (index < at.operand) return nullptr;
  size_t carried = index - at.operand;
  const Layout *param = layoutOf(op.region()->param(carried + at.param));
  return param ? param : layoutOf(op.result(carried));
}

const Layout *regionResult(const Op &op, size_t index) {
  CarriedAt at = carriedAt(op);
  for (size_t r = 0; r < op.regionCount(); ++r) {
    if (at.loops)
      if (const Layout *param = layoutOf(op.region(r)->param(index + at.param))) return param;
    const Op *yield = op.region(r)->last();
    if (yield && index + at.yield < yield->operandCount())
      if (const Layout *layout = layoutOf(yield->operand(index + at.yield))) return layout;
  }
  return nullptr;
}

// --- vector ops ------------------------------------------------------------------------------------------------------

// The dimension order of a transpose, or of a load that transposes; empty if the order is kept.
std::vector<int64_t> dimensionOrder(const Op &op) {
  if (op.kind() == OpKind::Transpose) return permutationOf(op);
  const std::vector<int64_t> *order = SharedAttrs(op).transpose();
  return order ? *order : std::vector<int64_t>{};
}

const Layout *turned(Context &context, const Op &op, const Layout *layout) {
  std::vector<int64_t> order = dimensionOrder(op);
  return layout && !order.empty() ? transposed(context, layout, order) : layout;
}

// Maps the result's layout to the operand's.
const Layout *turnedBack(Context &context, const Op &op, const Layout *layout) {
  std::vector<int64_t> order = dimensionOrder(op), inverse(order.size());
  for (size_t d = 0; d < order.size(); ++d) inverse[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  return layout && !order.empty() ? transposed(context, layout, inverse) : layout;
}

// The number of consecutive elements that a reduction joins, or that a broadcast repeats.
int64_t blockSize(const Op &op) {
  bool reduces = op.kind() == OpKind::Reduction;
  Type wide = reduces ? op.operand(0)->type() : op.result()->type();
  return (reduces ? ReductionOp(op).reductionSize() : BroadcastOp(op).broadcastSize()).value_or(wide.extent(dimensionOf(op)));
}

// The layout of the narrow side (a reduction's result, a broadcast's operand), derived from the wide one.
const Layout *narrowed(Context &context, const Op &op, const Layout *wide) {
  return wide ? grouped(context, wide, dimensionOf(op), blockSize(op)) : nullptr;
}
// A layout for the wide side: the holder of a narrow element holds its whole block.
const Layout *widened(Context &context, const Op &op, const Layout *narrow) {
  return narrow ? repeated(context, narrow, dimensionOf(op), blockSize(op)) : nullptr;
}
// The layout of one element for each row: the holder of any element of a row holds it.
const Layout *ofRows(Context &context, const Layout *wide) {
  return wide ? grouped(context, wide, 1, wide->shape()[1]) : nullptr;
}
const Layout *resized(Context &context, const Layout *layout, Type to) {
  return layout ? reshaped(context, layout, to.shape()) : nullptr;
}

// --- messages --------------------------------------------------------------------------------------------------------

std::string describe(const Value *value, const LayoutOrigins &origins) {
  std::string text = shapedText(value->type()) + ", " + value->type().layout()->text();
  if (const LayoutOrigin *origin = origins.find(value)) text += ", " + origin->how;
  return text;
}

std::string nameOf(const Value *value, std::string_view otherwise) {
  return value->name().empty() ? std::string(otherwise) : "%" + value->name();
}

std::string pictures(const Value *a, std::string_view nameA, const Value *b, std::string_view nameB) {
  return str(nameOf(a, nameA), ": ", a->type().layout()->picture(8), nameOf(b, nameB), ": ", b->type().layout()->picture(8));
}

void originLabel(Diagnostic &diagnostic, const Value *value, SourceRange used, const LayoutOrigins &origins) {
  const LayoutOrigin *origin = origins.find(value);
  if (!origin || origin->range == used || origin->range.file == 0) return;
  diagnostic.at(origin->range,
                str("the distribution of ", nameOf(value, "this value"), " comes from here (", origin->how, ")"));
}

Diagnostic &reportDiffer(const Value *a, SourceRange rangeA, const Value *b, SourceRange rangeB, std::string message,
                         DiagCode code, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  Diagnostic &diagnostic = diagnostics.report(code, rangeB, std::move(message));
  diagnostic.withLabel(describe(b, origins));
  if (rangeA != rangeB) diagnostic.at(rangeA, describe(a, origins));
  originLabel(diagnostic, a, rangeA, origins);
  if (b != a) originLabel(diagnostic, b, rangeB, origins);
  diagnostic.withPicture(a == b ? a->type().layout()->picture(8) : pictures(a, "the first", b, "the second"));
  return diagnostic;
}

void atCall(Diagnostic &diagnostic, const Op &op, const LayoutOrigins &origins) {
  if (const SourceRange *call = origins.callOf(op)) diagnostic.at(*call, "called here");
}

bool oneWriter(const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics);

bool checkSame(const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  // Checked first, because its fix makes the operands agree as well.
  if (has(op.info().effects, Effect::Writes) && !oneWriter(op, origins, diagnostics)) return false;
  const Value *first = nullptr;
  SourceRange firstRange;
  auto same = [&](const Value *value, SourceRange range) {
    if (!holdsLayout(value->type())) return true;
    if (!first) return first = value, firstRange = range, true;
    if (first->type().layout() == value->type().layout()) return true;
    bool operands = value->definingOp() != &op;
    Diagnostic &diagnostic = reportDiffer(
        first, firstRange, value, range,
        str(operands ? "operands of `" : "operand and result of `", origins.nameOf(op), "` have different distributions"),
        DiagCode::LayoutsDiffer, origins, diagnostics);
    atCall(diagnostic, op, origins);
    fixSameLayouts(diagnostic, op, origins);
    return false;
  };
  for (size_t i = 0; i < op.operandCount(); ++i)
    if (!same(op.operand(i), op.operandRange(i))) return false;
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (!same(op.result(i), op.range())) return false;
  return true;
}

// The tile that an op writes to.
size_t tileOperand(const Op &op) {
  size_t tile = op.operandCount() - 1;
  while (!op.operand(tile)->type().isTile()) --tile;
  return tile;
}

bool oneWriter(const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  size_t last = tileOperand(op);
  const Value *tile = op.operand(last);
  if (!tile->type().layout()->isReplicated(Axis::Subgroup) || op.kind() != OpKind::AsyncCopy) return true;
  Diagnostic &diagnostic =
      diagnostics.report(DiagCode::TwoWriters, op.operandRange(last),
                         "the data wraps around in this layout, so several subgroups would copy the same element");
  diagnostic.withLabel(describe(tile, origins));
  originLabel(diagnostic, tile, op.operandRange(last), origins);
  diagnostic.withPicture(tile->type().layout()->picture(8));
  diagnostic.note("each element of a copy is waited for by the subgroup that begins it: use a layout whose sg_layout * sg_data "
                  "does not exceed the extents");
  atCall(diagnostic, op, origins);
  fixTwoWriters(diagnostic, op, last, origins);
  return false;
}

bool checkMma(const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  const Value *a = op.operand(0), *b = op.operand(1), *result = op.result();
  const Layout *la = a->type().layout(), *lb = b->type().layout(), *lr = result->type().layout();
  auto fail = [&](const Value *x, SourceRange rx, size_t operand, std::string_view what) {
    Diagnostic &diagnostic = reportDiffer(x, rx, op.operand(operand), op.operandRange(operand), std::string(what),
                                          DiagCode::MmaLayouts, origins, diagnostics);
    atCall(diagnostic, op, origins);
    fixMmaLayouts(diagnostic, op, origins);
    return false;
  };
  if (op.operandCount() > 2 && op.operand(2)->type().layout() != lr)
    return fail(result, op.range(), 2, "the accumulator of `tile_mma` is distributed differently from its result");
  if (!sameDistribution(la, 0, lr, 0))
    return fail(result, op.range(), 0, "the rows of a are distributed differently from the rows of the result of `tile_mma`");
  if (!sameDistribution(lb, 1, lr, 1))
    return fail(result, op.range(), 1,
                "the columns of b are distributed differently from the columns of the result of `tile_mma`");
  // The parts of K must have the same size in a and b, whoever holds them: a subgroup gets missing parts from the others.
  if (dimPieces(*la, 1).length != dimPieces(*lb, 0).length)
    return fail(a, op.operandRange(0), 1, "K is split differently in a and b of `tile_mma`");
  return true;
}

// Reports and returns the diagnostic if the layouts of two values differ; null if they agree.
Diagnostic *untied(const Op &op, const Value *a, SourceRange ra, const Value *b, SourceRange rb, const LayoutOrigins &origins,
                   Diagnostics &diagnostics) {
  if (!holdsLayout(a->type()) || a->type().layout() == b->type().layout()) return nullptr;
  return &reportDiffer(a, ra, b, rb,
                       str("a value carried by `", origins.nameOf(op), "` changes its distribution; it must keep the same one"),
                       DiagCode::LayoutsDiffer, origins, diagnostics);
}

bool isInside(const Value *value, const Block *region) {
  const Block *block = value->definingOp() ? value->definingOp()->block() : value->definingBlock();
  while (block && block != region) block = block->parentOp() ? block->parentOp()->block() : nullptr;
  return block == region;
}

bool checkCarried(const Op &op, size_t index, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  CarriedAt at = carriedAt(op);
  if (at.loops) {
    const Value *init = op.operand(index + at.operand), *param = op.region()->param(index + at.param);
    Diagnostic *diagnostic = untied(op, init, op.operandRange(index + at.operand), param, param->range(), origins, diagnostics);
    if (diagnostic) {
      atCall(*diagnostic, op, origins);
      LayoutFix(origins).convertBefore(op, index, param->type().layout()).offer(*diagnostic);
      return false;
    }
  }
  auto yieldOf = [&](size_t region) { return op.region(region)->last(); };
  for (size_t r = 0; r < op.regionCount(); ++r) {
    size_t changing = r;
    const Value *kept = op.result(index), *yielded = yieldOf(r)->operand(index + at.yield);
    if (!holdsLayout(kept->type()) || kept->type().layout() == yielded->type().layout()) continue;
    // If one branch yields the value unchanged, the other branch is the one that changes it.
    if (!at.loops && !isInside(yielded, op.region(r))) kept = yielded, changing = 1 - r;
    const Op *yield = yieldOf(changing);
    Diagnostic *diagnostic = untied(op, kept, op.range(), yield->operand(index + at.yield),
                                    yield->operandRange(index + at.yield), origins, diagnostics);
    if (diagnostic) {
      atCall(*diagnostic, op, origins);
      fixCarriedLayout(*diagnostic, op, changing, index, kept->type().layout(), origins);
    }
    return false;
  }
  return true;
}

bool checkRegion(const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  if (op.kind() == OpKind::Yield) return true; // checked with its parent
  bool ok = true;
  for (size_t i = 0; i < op.resultCount(); ++i) ok &= checkCarried(op, i, origins, diagnostics);
  return ok;
}

// Checks an op with one operand and one result: the layout derived for one of them must be its layout. `expected` is null if no
// layout describes it.
bool checkDerived(const Op &op, const Layout *expected, const Value *derived, std::string_view rule,
                  const LayoutOrigins &origins, Diagnostics &diagnostics) {
  if (expected == derived->type().layout()) return true;
  const Value *operand = op.operand(0), *result = op.result();
  Diagnostic &diagnostic =
      reportDiffer(operand, op.operandRange(0), result, op.range(),
                   str("operand and result of `", origins.nameOf(op), "` have distributions that do not match"),
                   DiagCode::LayoutRule, origins, diagnostics);
  std::string divided = expected ? std::string() : dividedBlocks(op, origins);
  diagnostic.note(divided.empty() ? std::string(rule) : divided);
  if (expected)
    diagnostic.note(str(derived == result ? "the result" : "the operand", " needs ", origins.spell(derived->type(), expected)));
  // A broadcast's operand does not determine the split of the stretched dimension: whole is one possibility.
  const Layout *made = derived == result ? expected : assumedForResult(origins.context(), op);
  atCall(diagnostic, op, origins);
  fixDerivedLayout(diagnostic, op, made, origins);
  return false;
}

// A dimension's digits as pieces and their owners, ignoring who these are: adjacent digits of one kind are merged.
std::vector<std::pair<bool, int64_t>> splitOf(const Layout *layout, int dim) {
  std::vector<std::pair<bool, int64_t>> digits;
  for (const Factor &factor : layout->factors(dim)) {
    bool split = factor.axis == Axis::Subgroup;
    if (!digits.empty() && digits.back().first == split)
      digits.back().second *= factor.extent;
    else
      digits.emplace_back(split, factor.extent);
  }
  return digits;
}

// Checks that each dimension is split into the same pieces, whoever holds them.
bool checkTranspose(Context &context, const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  const Layout *expected = turned(context, op, op.operand(0)->type().layout());
  const Layout *result = op.result()->type().layout();
  bool alike = op.kind() == OpKind::Transpose;
  for (int d = 0; alike && d < result->rank(); ++d) alike = splitOf(expected, d) == splitOf(result, d);
  if (alike) return true;
  if (op.kind() == OpKind::LoadTile && dimensionOrder(op).empty())
    return checkDerived(op, expected, op.result(),
                        "a vector is loaded in the layout of its tile; use `convert_layout` for another one", origins,
                        diagnostics);
  return checkDerived(op, expected, op.result(), "a transpose swaps the two dimensions of sg_layout and of sg_data", origins,
                      diagnostics);
}

// Checks that the mask of a load, if it has one, has the layout of what is loaded.
bool checkMask(const Op &load, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  const Value *mask = blockMaskOf(load);
  if (!mask || mask->type().layout() == load.result()->type().layout()) return true;
  Diagnostic &diagnostic =
      reportDiffer(load.result(), load.range(), mask, load.operandRange(accessedTileIndex(load) + 1),
                   str("the mask and the result of `", origins.nameOf(load), "` have different distributions"),
                   DiagCode::LayoutsDiffer, origins, diagnostics);
  diagnostic.note("use `convert_layout` for another one");
  atCall(diagnostic, load, origins);
  return false;
}

} // namespace

bool isFree(const Value *value) { return value->definingOp() && value->definingOp()->info().layoutRule == LayoutRule::Free; }

const LayoutOrigin *LayoutOrigins::find(const Value *value) const {
  auto found = origins_.find(value);
  return found == origins_.end() ? nullptr : &found->second;
}

std::string_view LayoutOrigins::nameOf(const Op &op) const { return sources_ ? writtenName(op, *sources_) : op.info().name; }

const SourceRange *LayoutOrigins::callOf(const Op &op) const {
  if (!calls_) return nullptr;
  auto found = calls_->find(&op);
  return found == calls_->end() ? nullptr : &found->second;
}

const LayoutAlias *LayoutOrigins::aliasOf(Type type, const Layout *layout) const {
  return xt::aliasOf(context_, aliases_, type, layout);
}

std::string LayoutOrigins::spell(Type type, const Layout *layout) const {
  const LayoutAlias *alias = aliasOf(type, layout);
  return alias ? "#" + alias->name : layout->text();
}

std::string LayoutOrigins::spellType(Type type, const Layout *layout) const {
  const LayoutAlias *alias = aliasOf(type, layout);
  return alias ? typeText(type, "#" + alias->name, alias->order.has_value()) : typeText(type, layout->text());
}

const Layout *wantedForOperand(Context &context, const Op &op, size_t index) {
  const Layout *result = op.resultCount() == 1 ? layoutOf(op.result()) : nullptr;
  switch (op.info().layoutRule) {
  case LayoutRule::None:
  case LayoutRule::Convert:
  case LayoutRule::Free: return nullptr;
  case LayoutRule::Load:
    if (index > accessedTileIndex(op)) return result; // the mask
    [[fallthrough]];
  case LayoutRule::Transpose: return turnedBack(context, op, result);
  case LayoutRule::Reduction: return widened(context, op, result);
  case LayoutRule::Broadcast: return narrowed(context, op, result);
  case LayoutRule::Reshape: return resized(context, result, op.operand(0)->type());
  case LayoutRule::Slice:
    if (op.operandCount() == 1 || !result) return nullptr;
    return index == 1 ? result : sliced(context, result, op.operand(0)->type().shape());
  case LayoutRule::Same: return holdsLayout(op.operand(index)->type()) ? anyAlike(op, op.operand(index)) : nullptr;
  case LayoutRule::Mma: return mmaOperand(context, op, index);
  case LayoutRule::Accumulator: return index == 2 ? result : index == kNestRowsOperand ? ofRows(context, result) : nullptr;
  case LayoutRule::Region: return regionOperand(op, index);
  }
  XT_UNREACHABLE("layout rule");
}

const Layout *givenToResult(Context &context, const Op &op, size_t index) {
  const Layout *first = op.operandCount() ? layoutOf(op.operand(0)) : nullptr;
  switch (op.info().layoutRule) {
  case LayoutRule::None:
  case LayoutRule::Convert:
  case LayoutRule::Broadcast: // users determine how the stretched dimension is split
  case LayoutRule::Free: return nullptr;
  case LayoutRule::Load:
    if (const Value *mask = blockMaskOf(op); mask && !first) return layoutOf(mask);
    [[fallthrough]];
  case LayoutRule::Transpose: return turned(context, op, first);
  case LayoutRule::Reduction: return narrowed(context, op, first);
  case LayoutRule::Reshape: return resized(context, first, op.result()->type());
  case LayoutRule::Slice: return op.operandCount() == 2 && !isFree(op.operand(1)) ? layoutOf(op.operand(1)) : nullptr;
  case LayoutRule::Same:
    for (Value *operand : op.operands())
      if (layoutOf(operand) && !isFree(operand)) return layoutOf(operand);
    return anyAlike(op, op.result(index));
  case LayoutRule::Mma: return mmaResult(context, op);
  case LayoutRule::Accumulator: return layoutOf(op.operand(2));
  case LayoutRule::Region: return regionResult(op, index);
  }
  XT_UNREACHABLE("layout rule");
}

const Layout *assumedForResult(Context &context, const Op &op) {
  if (op.kind() == OpKind::ExtractStridedSlice && layoutOf(op.operand(0)))
    return sliced(context, layoutOf(op.operand(0)), op.result()->type().shape());
  if (op.info().layoutRule != LayoutRule::Broadcast) return nullptr;
  return widened(context, op, layoutOf(op.operand(0)));
}

std::string dividedBlocks(const Op &op, const LayoutOrigins &origins) {
  bool reduces = op.info().layoutRule == LayoutRule::Reduction;
  if (!reduces && op.info().layoutRule != LayoutRule::Broadcast) return "";
  const Value *wide = reduces ? op.operand(0) : op.result();
  const Layout *layout = layoutOf(wide);
  if (!layout || narrowed(origins.context(), op, layout)) return "";
  return str("each ", blockSize(op), " neighbouring ", dimensionOf(op) == 0 ? "rows" : "columns", " of ",
             shapeText(wide->type().shape()), " elements must be in one subgroup, but in ", origins.spell(wide->type(), layout),
             " several subgroups hold them; use `convert_layout` ", reduces ? "before" : "after");
}

bool checkLayoutRule(Context &context, const Op &op, const LayoutOrigins &origins, Diagnostics &diagnostics) {
  switch (op.info().layoutRule) {
  case LayoutRule::None:
  case LayoutRule::Convert:
  case LayoutRule::Free: return true;
  case LayoutRule::Same: return checkSame(op, origins, diagnostics);
  case LayoutRule::Slice: {
    const Layout *whole = op.operandCount() == 2 ? op.operand(1)->type().layout() : nullptr;
    if (!whole || whole == op.result()->type().layout()) return true;
    Diagnostic &diagnostic = reportDiffer(op.operand(1), op.operandRange(1), op.result(), op.range(),
                                          "the vector and the result of an insertion have different distributions",
                                          DiagCode::LayoutsDiffer, origins, diagnostics);
    atCall(diagnostic, op, origins);
    return false;
  }
  case LayoutRule::Mma: return checkMma(op, origins, diagnostics);
  case LayoutRule::Accumulator:
    return checkDerived(op, op.operand(2)->type().layout(), op.result(), "the result has the layout of the accumulator",
                        origins, diagnostics) &&
           (!nestRows(op) ||
            checkDerived(op, ofRows(context, op.result()->type().layout()), nestRows(op),
                         "each subgroup that holds an element of a row of the result holds the number of that row of a",
                         origins, diagnostics));
  case LayoutRule::Region: return checkRegion(op, origins, diagnostics);
  case LayoutRule::Load: return checkTranspose(context, op, origins, diagnostics) && checkMask(op, origins, diagnostics);
  case LayoutRule::Transpose: return checkTranspose(context, op, origins, diagnostics);
  case LayoutRule::Reduction:
    return checkDerived(op, narrowed(context, op, op.operand(0)->type().layout()), op.result(),
                        "a reduction keeps the distribution of the remaining dimension; each subgroup that holds a term of a "
                        "result holds that result",
                        origins, diagnostics);
  case LayoutRule::Broadcast:
    return checkDerived(op, narrowed(context, op, op.result()->type().layout()), op.operand(0),
                        "a broadcast keeps the distribution of the dimension that it does not repeat; each subgroup that holds "
                        "a copy of an element holds that element",
                        origins, diagnostics);
  case LayoutRule::Reshape:
    return checkDerived(op, resized(context, op.operand(0)->type().layout(), op.result()->type()), op.result(),
                        "a reshape moves no element to another subgroup", origins, diagnostics);
  }
  XT_UNREACHABLE("layout rule");
}

} // namespace xt
