#include "lang/lower/checked_types.h"

#include "ir/base/text.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/infer/type_rules.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "lang/lower/op_lowering.h"

#include <algorithm>

namespace xt {
namespace {

bool worksPerElement(const OpInfo &info) {
  switch (info.typeRule) {
#define XT_TYPE_RULE(rule, function)                                                                                           \
  case TypeRule::rule: return false;
#define XT_ELEMENT_RULE(rule, function)                                                                                        \
  case TypeRule::rule: return true;
#include "ir/ops/type_rules.def"
  }
  return false;
}

bool isFragment(Type type) { return type.isVector() && !type.data().fragment.empty(); }
bool isMatrix(Type type) { return type.isVector() && type.data().matrix; }

// Whether an op at lane scope may have a joint matrix as its result; otherwise reports an error. An op that moves elements works on
// what the lane holds, and its result is no part of a matrix.
bool makesMatrix(KernelState &state, const OpDraft &draft, Type matrix) {
  OpKind kind = draft.info->kind;
  if (worksPerElement(*draft.info) || kind == OpKind::Constant || kind == OpKind::Splat) return true;
  state.diagnostics()
      .report(DiagCode::JointMatrixUse, draft.range,
              str("`", draft.info->name, "` cannot return ", shapedText(matrix), " at lane scope"))
      .note("it works on the part of a matrix that each lane holds; `set_wi_data` makes a matrix of such parts");
  return false;
}

// The type that the IR has for it.
Type plainType(Context &context, Type type, int64_t lanes) {
  if (lanes > 0 && isMatrix(type)) return matrixFragment(context, type, lanes);
  return context.plain(type);
}

const Value *findOperand(const OpDraft &draft, bool (*is)(Type)) {
  for (const Value *operand : draft.operands)
    if (is(operand->type())) return operand;
  return nullptr;
}

// The vector whose fragment in each lane is `value`, if it has the same element everywhere and the fragment's shape; else the
// value itself.
Value *wholeOf(KernelState &state, Value *value, Type fragment) {
  Op *op = value->definingOp();
  Type type = value->type();
  if (!op || isFragment(type) || !type.isVector() || !std::ranges::equal(type.shape(), fragment.data().fragment)) return value;
  Type whole = state.context.withLayout(state.context.withElem(fragment, type.elem()), nullptr);
  state.builder.setRange(value->range());
  if (op->kind() == OpKind::Splat) return state.builder.value(OpKind::Splat, {op->operand(0)}, whole);
  if (op->kind() != OpKind::Constant) return value;
  Op *copy = state.builder.create(OpKind::Constant, {}, {whole});
  ConstantOp(*copy).setValue(ConstantOp(*op).value(), op->range());
  return copy->result();
}

} // namespace

bool fragmentsAllowed(KernelState &state, OpDraft &draft) {
  const Value *fragment = findOperand(draft, isFragment);
  if (!fragment) return true;
  if (!worksPerElement(*draft.info)) {
    state.diagnostics()
        .report(DiagCode::OperandType, draft.range,
                str("`", draft.info->name, "` does not work per element, so it cannot take the fragment of each lane, ",
                    shapedText(fragment->type())))
        .note("between `to_simt` and `to_simd` each lane computes element by element; turn the fragment into a vector first");
    return false;
  }
  for (Value *&operand : draft.operands) operand = wholeOf(state, operand, fragment->type());
  const std::vector<int64_t> &shape = fragment->type().data().fragment;
  if (draft.written && draft.written.isVector() && draft.written.isPlain() && std::ranges::equal(draft.written.shape(), shape))
    draft.written = state.context.withLayout(state.context.withElem(fragment->type(), draft.written.elem()), nullptr);
  return true;
}

Type checkedType(KernelState &state, const OpDraft &draft, size_t i) {
  Type type = draft.operands[i]->type();
  if (!type.isVector() || isFragment(type)) return type;
  if (!worksPerElement(*draft.info)) return plainType(state.context, type, state.lanes);
  const Value *matrix = findOperand(draft, isMatrix);
  if (!matrix || isMatrix(type)) return type;
  if (state.lanes == kAnyLanes) state.anyExtents = true; // the shape of a lane's part is not known
  Type wanted = plainType(state.context, matrix->type(), state.lanes);
  if (!wanted || !std::ranges::equal(type.shape(), wanted.shape())) return type;
  return state.context.withLayout(state.context.withElem(matrix->type(), type.elem()), type.layout());
}

bool lanesHoldMatrices(KernelState &state, const OpDraft &draft, const std::vector<Type> &results) {
  const Value *matrix = findOperand(draft, isMatrix);
  for (Type type : results) {
    if (state.lanes <= 0 || !isMatrix(type)) continue;
    if (!makesMatrix(state, draft, type) || !lanesHold(state, type, draft.range)) return false;
    if (matrix && worksPerElement(*draft.info) && !lanesHoldAlike(state, matrix->type(), type, draft.range)) return false;
  }
  return true;
}

bool lanesHoldAlike(KernelState &state, Type from, Type to, SourceRange range) {
  if (matrixSgMap(state.context, from, state.lanes) == matrixSgMap(state.context, to, state.lanes)) return true;
  state.diagnostics()
      .report(DiagCode::JointMatrixUse, range,
              str("each lane holds other elements of ", shapedText(to), " than of ", shapedText(from)))
      .note("the lanes hold a matrix as the product takes it; write it to memory, and load it with the other type");
  return false;
}

bool lanesHold(KernelState &state, Type matrix, SourceRange range) {
  if (state.lanes <= 0 || matrixSgMap(state.context, matrix, state.lanes)) return true;
  bool a = matrix.data().matrix.use == MatrixUse::A;
  state.diagnostics()
      .report(DiagCode::JointMatrixUse, range,
              str("the ", state.lanes, " lanes of a subgroup cannot share ", shapedText(matrix), " evenly"))
      .note(a ? str("K must be a multiple of ", state.lanes, ", or divide the rows of a among the lanes in groups of 32 bits")
              : str("the number of columns must be a multiple of ", state.lanes));
  return false;
}

bool ranksAllowed(KernelState &state, const OpDraft &draft, const std::vector<Type> &results) {
  for (Type type : results)
    if (type.isVector() && type.rank() > kMaxRank) {
      state.diagnostics()
          .report(DiagCode::BadExtent, draft.range, str("vectors have at most ", kMaxRank, " dimensions, not ", type.rank()))
          .note("only the types of fragments, in `to_simt` and `to_simd`, may have more");
      return false;
    }
  return true;
}

void makeTypesPlain(Context &context, Kernel &kernel) {
  auto plain = [&](Value *value) { value->setType(plainType(context, value->type(), kernel.lanes)); };
  walk(kernel.body, [&](Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i) plain(op.result(i));
    for (size_t r = 0; r < op.regionCount(); ++r)
      for (const std::unique_ptr<Value> &param : op.region(r)->params()) plain(param.get());
  });
}

} // namespace xt
