#include "ir/print_expression.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// How strongly operators bind, as in grammar/XtParser.g4. Binary operators associate to the left.
enum Precedence { kAny, kOr, kAnd, kNot, kCompare, kBitOr, kBitXor, kBitAnd, kShift, kSum, kProduct, kSign };

// The spelling of an op as an operator. Ops that are not listed are calls.
struct Infix {
  OpKind kind;
  std::string_view text;
  Precedence precedence;
};
constexpr Infix kInfixes[] = {
    {OpKind::AddI, "+", kSum},        {OpKind::AddF, "+", kSum},        {OpKind::SubI, "-", kSum},
    {OpKind::SubF, "-", kSum},        {OpKind::MulI, "*", kProduct},    {OpKind::MulF, "*", kProduct},
    {OpKind::DivSI, "/", kProduct},   {OpKind::DivUI, "/", kProduct},   {OpKind::DivF, "/", kProduct},
    {OpKind::RemSI, "mod", kProduct}, {OpKind::RemUI, "mod", kProduct}, {OpKind::RemF, "mod", kProduct},
    {OpKind::ShLI, "<<", kShift},     {OpKind::ShRSI, ">>", kShift},    {OpKind::ShRUI, ">>", kShift},
    {OpKind::AndI, "&", kBitAnd},     {OpKind::XorI, "^", kBitXor},     {OpKind::OrI, "|", kBitOr},
};
// On i1 the language writes `and` and `or`.
constexpr Infix kLogic[] = {{OpKind::AndI, "and", kAnd}, {OpKind::OrI, "or", kOr}};

// The kinds of comparisons that operators stand for: of floats, of signed and of unsigned integers.
struct Comparison {
  std::string_view text, kinds[3];
};
constexpr Comparison kComparisons[] = {{"==", {"oeq", "eq", "eq"}},  {"!=", {"une", "ne", "ne"}},
                                       {"<", {"olt", "slt", "ult"}}, {"<=", {"ole", "sle", "ule"}},
                                       {">", {"ogt", "sgt", "ugt"}}, {">=", {"oge", "sge", "uge"}}};

// The names of calls that stand for several ops.
struct Call {
  OpKind kind;
  std::string_view text;
};
constexpr Call kCalls[] = {{OpKind::CeilDivSI, "ceildiv"}, {OpKind::MinSI, "min"}, {OpKind::MinUI, "min"},
                           {OpKind::MinimumF, "min"},      {OpKind::MaxSI, "max"}, {OpKind::MaxUI, "max"},
                           {OpKind::MaximumF, "max"}};

class ExpressionPrinter {
public:
  ExpressionPrinter(std::string &out, ValueNames &names) : out_(out), names_(names) {}

  // `least` is the precedence that the context wants at least without parentheses.
  void expression(const Value &value, Precedence least, int depth) {
    XT_CHECK(depth < kMaxPrintDepth, "an expression of a header nests too deeply");
    const Op *op = value.definingOp();
    if (!op) {
      out_ += names_.of(value);
      return;
    }
    if (op->info().clause == Clause::Literal) return literal(*op, least);
    if (const Value *inverted = operandOfNot(*op)) return prefix("not ", *inverted, kNot, least, depth);
    if (op->kind() == OpKind::NegF) return prefix("-", *op->operand(0), kSign, least, depth);
    if (std::optional<Infix> infix = infixOf(*op)) return binary(*op, *infix, least, depth);
    if (op->info().typeRule == TypeRule::Cast) return cast(*op, depth);
    call(*op, depth);
  }

private:
  void cast(const Op &op, int depth) {
    bool toIndex = op.kind() == OpKind::IndexCast && op.result()->type().isIndex();
    out_ += toIndex ? "index_cast(" : op.kind() == OpKind::Bitcast ? "bitcast(" : "cast(";
    expression(*op.operand(0), kAny, depth + 1);
    out_ += toIndex ? ")" : str(", ", elemName(op.result()->type().elem()), ")");
  }

  void literal(const Op &op, Precedence least) {
    const AttrValue &value = op.attrs().at(0).value;
    Elem elem = op.result()->type().elem();
    std::string text;
    if (const auto *number = std::get_if<double>(&value))
      text = floatText(*number);
    else
      text = elem == Elem::I1 ? (std::get<int64_t>(value) ? "true" : "false") : integerText(elem, std::get<int64_t>(value));
    out_ += text[0] == '-' && least > kAny ? "(" + text + ")" : text;
  }

  static const Value *operandOfNot(const Op &op) {
    if (op.kind() != OpKind::XorI || !op.result()->type().isScalar(Elem::I1)) return nullptr;
    const Op *mask = op.operand(1)->definingOp();
    bool ones = mask && mask->info().clause == Clause::Literal && std::get_if<int64_t>(&mask->attrs().at(0).value) &&
                std::get<int64_t>(mask->attrs().at(0).value) != 0;
    return ones ? op.operand(0) : nullptr;
  }

  // An operator on the bits of two literals is computed when it is parsed; a call stays the op that it is.
  static bool hasLiteralsOnly(const Op &op) {
    return std::ranges::all_of(op.operands(), [](const Value *operand) {
      return operand->definingOp() && operand->definingOp()->info().clause == Clause::Literal;
    });
  }

  static std::optional<Infix> infixOf(const Op &op) {
    if (op.kind() == OpKind::CmpI || op.kind() == OpKind::CmpF) {
      const ElemInfo &elem = elemInfo(op.operand(0)->type().elem());
      size_t column = elem.isFloat ? 0 : elem.isUnsigned ? 2 : 1;
      const Attr *attr = op.attr("kind");
      const auto *kind = attr ? std::get_if<std::string>(&attr->value) : nullptr;
      for (const Comparison &row : kComparisons)
        if (kind && row.kinds[column] == *kind) return Infix{op.kind(), row.text, kCompare};
      return std::nullopt;
    }
    if (op.resultCount() == 1 && op.result()->type().isScalar(Elem::I1))
      for (const Infix &infix : kLogic)
        if (infix.kind == op.kind()) return infix;
    for (const Infix &infix : kInfixes)
      if (infix.kind == op.kind() && !(infix.precedence < kSum && hasLiteralsOnly(op))) return infix;
    return std::nullopt;
  }

  void prefix(std::string_view sign, const Value &operand, Precedence own, Precedence least, int depth) {
    if (own < least) out_ += "(";
    out_ += sign;
    expression(operand, own, depth + 1);
    if (own < least) out_ += ")";
  }

  void binary(const Op &op, const Infix &infix, Precedence least, int depth) {
    bool parentheses = infix.precedence < least;
    if (parentheses) out_ += "(";
    expression(*op.operand(0), infix.precedence, depth + 1);
    out_ += str(" ", infix.text, " ");
    expression(*op.operand(1), static_cast<Precedence>(infix.precedence + 1), depth + 1);
    if (parentheses) out_ += ")";
  }

  void call(const Op &op, int depth) {
    const Call *named = std::ranges::find(kCalls, op.kind(), &Call::kind);
    out_ += str(named != std::end(kCalls) ? named->text : op.info().name, "(");
    for (size_t i = 0; i < op.operandCount(); ++i) {
      if (i) out_ += ", ";
      expression(*op.operand(i), kAny, depth + 1);
    }
    out_ += ")";
  }

  std::string &out_;
  ValueNames &names_;
};

} // namespace

void printExpression(std::string &out, const Value &value, ValueNames &names) {
  ExpressionPrinter(out, names).expression(value, kAny, 0);
}

} // namespace xt
