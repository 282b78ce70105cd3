#include "lang/lower/cast_calls.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"
#include "lang/lower/op_lowering.h"

#include <cctype>

namespace xt {
namespace {

OpKind betweenInts(Elem from, Elem to) {
  const ElemInfo &source = elemInfo(from), &target = elemInfo(to);
  if (from == Elem::Index || to == Elem::Index) return OpKind::IndexCast;
  if (target.bits < source.bits) return OpKind::TruncI;
  if (target.bits == source.bits) return OpKind::Bitcast;
  return source.isUnsigned || from == Elem::I1 ? OpKind::ExtUI : OpKind::ExtSI;
}

// The op that converts between two different types. f16 and bf16, and two floats of 8 bits, have none.
std::optional<OpKind> castOp(Elem from, Elem to) {
  const ElemInfo &source = elemInfo(from), &target = elemInfo(to);
  if (!source.isFloat && !target.isFloat) return betweenInts(from, to);
  if (!source.isFloat) return source.isUnsigned || from == Elem::I1 ? OpKind::UIToFP : OpKind::SIToFP;
  if (!target.isFloat) return target.isUnsigned ? OpKind::FPToUI : OpKind::FPToSI;
  if (source.bits == target.bits) return std::nullopt;
  if (target.bits < source.bits) return OpKind::TruncF;
  return target.maxExponent < source.maxExponent ? std::nullopt : std::optional(OpKind::ExtF);
}

Value *emitCast(KernelState &state, OpKind kind, Value *value, Elem to, SourceRange range) {
  Type type = state.context.withElem(value->type(), to);
  if (type.isVector()) type = state.context.withLayout(type, nullptr);
  return emitOp(state, kind, {value}, {range}, range, {}, type);
}

// The type of a literal whose bits are cast: an integer or a float as wide as the target. Null if it cannot be told.
Type literalOfBits(KernelState &state, const ast::Expr &call) {
  const ast::Expr &target = call.children[1];
  bool known = (target.is(ast::Expr::Kind::Ident) && elemFromName(target.text)) || target.is(ast::Expr::Kind::Param);
  std::optional<ConstValue> to = known ? state.params.eval(target) : std::nullopt;
  if (!to || to->kind != ConstValue::Kind::Type) return {};
  for (Elem elem : {Elem::I8, Elem::I16, Elem::I32, Elem::I64})
    if (elemInfo(elem).bits == elemInfo(to->elem).bits && isFloat(to->elem)) return state.context.scalar(elem);
  for (Elem elem : {Elem::F16, Elem::F32, Elem::F64})
    if (elemInfo(elem).bits == elemInfo(to->elem).bits) return state.context.scalar(elem);
  return {};
}

std::string lowerCase(std::string_view text) {
  std::string out(text);
  for (char &c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The element type whose name is the word but for case and its first letters, such as f8E8M0 for `e8m0`; "" if none is.
std::string_view meantType(std::string_view word) {
  constexpr size_t kShortest = 3;
  std::string lower = lowerCase(word);
  for (int i = 0; i < kElemCount; ++i)
    if (std::string_view name = elemName(static_cast<Elem>(i)); lowerCase(name) == lower) return name;
  std::string_view found;
  for (int i = 0; i < kElemCount && lower.size() >= kShortest; ++i)
    if (std::string_view name = elemName(static_cast<Elem>(i)); lowerCase(name).find(lower) != std::string::npos)
      found = found.empty() ? name : found;
  return found;
}

// Reports a word that is no element type.
bool isUnknownType(KernelState &state, const ast::Expr &word) {
  if (!word.is(ast::Expr::Kind::Ident) || elemFromName(word.text) || state.params.generic(word.text)) return false;
  auto &diagnostic =
      state.diagnostics().report(DiagCode::UnknownType, word.range, str("unknown element type `", word.text, "`"));
  if (std::string_view meant = meantType(word.text); !meant.empty()) {
    diagnostic.note(str("did you mean `", meant, "`?")).fix(str("replace by `", meant, "`"), word.range, std::string(meant));
    return true;
  }
  std::vector<std::string_view> names;
  for (int i = 0; i < kElemCount; ++i) names.push_back(elemName(static_cast<Elem>(i)));
  diagnostic.note("the element types are " + join(names, " "));
  return true;
}

} // namespace

Value *castTo(KernelState &state, Value *value, Elem to, SourceRange range) {
  Elem from = value->type().elem();
  if (from == to) return value;
  if (to == Elem::I1) {
    state.diagnostics()
        .report(DiagCode::CastInvalid, range, str("`cast` cannot turn ", elemName(from), " into i1"))
        .note(isStorageFloat(from)
                  ? "compare the bits with 0: `bitcast(%x, " + std::string(elemInfo(from).bits == 4 ? "u4" : "u8") + ") != 0`"
                  : std::string("compare with 0: `%x != 0`"));
    return nullptr;
  }
  auto emit = [&](OpKind kind, Value *operand, Elem elem) { return emitCast(state, kind, operand, elem, range); };
  if (std::optional<OpKind> kind = castOp(from, to)) return emit(*kind, value, to);
  Value *wide = emit(OpKind::ExtF, value, Elem::F32); // exact, so that the value is rounded once
  return wide ? emit(OpKind::TruncF, wide, to) : nullptr;
}

Value *lowerCastCall(KernelState &state, const ast::Expr &call) {
  bool toIndex = call.text == "index_cast";
  size_t count = toIndex ? 1 : 2;
  if (call.children.size() != count) {
    state.diagnostics()
        .report(DiagCode::OperandCount, call.range,
                str("`", call.text, "` takes ", count, " argument", count == 1 ? "" : "s", ", not ", call.children.size()))
        .note(toIndex ? "`index_cast(%n)` converts an integer to an index; `cast(%i, i32)` converts an index"
                      : str("for example `", call.text, "(%x, ", call.text == "cast" ? "f16" : "i32", ")`"));
    return nullptr;
  }
  Value *value = lowerExpr(state, call.children[0], call.text == "bitcast" ? literalOfBits(state, call) : Type());
  if (!value) return nullptr;
  if (!value->type().isScalar() && !value->type().isVector()) {
    state.diagnostics().report(DiagCode::OperandType, call.children[0].range,
                               str("`", call.text, "` takes a number or a vector of numbers, not ", shapedText(value->type())));
    return nullptr;
  }
  if (toIndex) {
    if (!isFloat(value->type().elem())) return castTo(state, value, Elem::Index, call.range);
    state.diagnostics()
        .report(DiagCode::CastInvalid, call.range, "`index_cast` converts integers, not floats")
        .note("`cast(%x, index)` rounds a float towards zero");
    return nullptr;
  }
  if (const ast::Expr &type = call.children[1]; type.is(ast::Expr::Kind::Text) && elemFromName(type.text)) {
    state.diagnostics()
        .report(DiagCode::ExpressionType, type.range, "an element type is written without quotation marks")
        .fix(str("replace with `", type.text, "`"), type.range, type.text);
    return nullptr;
  }
  if (isUnknownType(state, call.children[1])) return nullptr;
  std::optional<ConstValue> to = state.params.eval(call.children[1]);
  if (!to) return nullptr;
  if (to->kind != ConstValue::Kind::Type) {
    state.diagnostics().report(DiagCode::ExpressionType, call.children[1].range, "this is no element type, such as `f16`");
    return nullptr;
  }
  if (call.text == "bitcast") return emitCast(state, OpKind::Bitcast, value, to->elem, call.range);
  return castTo(state, value, to->elem, call.range);
}

} // namespace xt
