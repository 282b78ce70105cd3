// Reports syntax of other languages: `x += 1`, `for k in range(4)`, expressions as operands.
#include "lang/parse/error_strategy.h"

#include "ir/base/text.h"
#include "ir/call_names.h"
#include "ir/op_info.h"
#include "lang/parse/foreign_names.h"

#include <optional>

namespace xt {

using antlr4::Parser;
using antlr4::Token;
using P = xtg::XtParser;

namespace {

antlr4::CommonTokenStream *streamOf(Parser *parser) {
  return static_cast<antlr4::CommonTokenStream *>(parser->getTokenStream());
}

bool isOpToken(size_t type) { return type >= P::OP_OPERANDS && type <= P::OP_DIMENSION; }
bool isArithmetic(size_t type) { return type == P::PLUS || type == P::MINUS || type == P::STAR || type == P::SLASH; }

bool endsLine(size_t type) { return type == P::NL || type == P::LBLOCK || type == P::RBLOCK || type == Token::EOF; }
bool opens(size_t type) { return type == P::LPAREN || type == P::LBRACK; }
bool closes(size_t type) { return type == P::RPAREN || type == P::RBRACK; }

// Whether a token outside of brackets ends an operand.
bool endsOperand(size_t type) {
  return endsLine(type) || type == P::COMMA || type == P::COLON || type == P::ARROW || type == P::FAT_ARROW ||
         type == P::KW_INTO || type == P::KW_TO || type == P::LBRACE;
}

// Returns the index of the last token of the operand that contains token `i`, or `i` if no operand contains it.
size_t lastOfOperand(antlr4::CommonTokenStream *stream, size_t i) {
  size_t depth = 0, last = i;
  for (; !endsLine(stream->get(i)->getType()); ++i) {
    size_t type = stream->get(i)->getType();
    if (depth == 0 && (endsOperand(type) || closes(type))) break;
    if (opens(type)) ++depth;
    if (closes(type)) --depth;
    last = i;
  }
  return last;
}

size_t firstOfOperand(antlr4::CommonTokenStream *stream, size_t i) {
  size_t depth = 0, first = i;
  for (; i > 0 && !endsLine(stream->get(i)->getType()); --i) {
    size_t type = stream->get(i)->getType();
    if (depth == 0 && (type == P::COMMA || type == P::RBRACE || isOpToken(type) || opens(type))) break;
    if (closes(type)) ++depth;
    if (opens(type)) --depth;
    first = i;
  }
  return first;
}

// Whether tokens [first, last] are one name, literal, call or parenthesised expression.
bool isOneTerm(antlr4::CommonTokenStream *stream, size_t first, size_t last) {
  size_t depth = 0;
  for (size_t i = first; i <= last; ++i) {
    size_t type = stream->get(i)->getType();
    if (closes(type)) --depth;
    bool joins = type == P::WORD || type == P::SYMBOL || opens(type) || closes(type) || first == last;
    if (depth == 0 && !joins && !(i == first && last == first)) return false;
    if (depth == 0 && i != first && opens(type) && closes(stream->get(i - 1)->getType())) return false;
    if (opens(type)) ++depth;
  }
  return true;
}

} // namespace

Token *ErrorStrategy::opOf(Parser *parser, Token *at) {
  antlr4::CommonTokenStream *stream = streamOf(parser);
  for (size_t i = at->getTokenIndex(); i-- > 0;) {
    size_t type = stream->get(i)->getType();
    if (isOpToken(type)) return stream->get(i);
    if (type == P::NL || type == P::COLON || type == P::LBLOCK || type == P::RBLOCK) break;
  }
  return nullptr;
}

namespace {

// The operator for the sign before the `=` of a compound assignment; "" if there is none.
std::string_view operatorOf(std::string_view sign) {
  if (sign == "%") return "mod";
  for (std::string_view same : {"+", "-", "*", "/", "&", "|", "^", "<<"})
    if (same == sign) return same;
  return "";
}

} // namespace

// Reports compound assignments: `%a += 2.0`, `%a &= 3`.
bool ErrorStrategy::reportCompound(Parser *parser, Token *at) {
  antlr4::CommonTokenStream *stream = streamOf(parser);
  size_t i = at->getTokenIndex();
  bool one = at->getType() == P::COMPOUND;
  if (i == 0 || (!one && !isArithmetic(at->getType())) || stream->get(i - 1)->getType() != P::VALUE) return false;
  if (!one && stream->get(i + 1)->getType() != P::EQ) return false;
  Token *name = stream->get(i - 1), *equals = stream->get(one ? i : i + 1);
  std::string_view sign = text(at), value = text(name);
  if (one) sign.remove_suffix(1);
  std::string_view infix = operatorOf(sign);
  if (infix.empty()) return false;
  SourceRange both = range(at).to(range(equals));
  std::string none = str("the language has no `", sign, "=`: ");
  if (parser->getContext()->getRuleIndex() == P::RuleHostStmt) {
    report(DiagCode::SyntaxError, both, none + "a name in a test is bound once");
    return true;
  }
  auto bound = [&](std::string_view right) { return str(value, " = ", value, " ", infix, " ", right); };
  Diagnostic &message = report(DiagCode::SyntaxError, both, str(none, "rebind the name with `", bound("…"), "`"));
  size_t first = equals->getTokenIndex() + 1, type = stream->get(first)->getType();
  // Offer no fix if an op follows, since an op is not an expression.
  bool call = type == P::WORD && stream->get(first + 1)->getType() == P::LPAREN && isFunctionName(text(stream->get(first)));
  bool several = i >= 2 && !endsLine(stream->get(i - 2)->getType());
  if (several || endsLine(type) || (type == P::WORD && !call)) return true;
  size_t last = lastOfOperand(stream, first);
  if (!endsLine(stream->get(last + 1)->getType())) return true;
  SourceRange right = range(stream->get(first)).to(range(stream->get(last)));
  std::string spelled(text_.substr(right.begin, right.end - right.begin));
  if (!isOneTerm(stream, first, last)) spelled = "(" + spelled + ")";
  std::string mended = bound(spelled);
  message.fix(str("write `", mended, "`"), both.to(right), mended.substr(value.size() + 1));
  return true;
}

// Reports `scan @f %x [1]`: the ops that combine by a function have other names.
bool ErrorStrategy::reportFunctionForKind(Parser *parser, Token *function) {
  if (function->getType() != P::SYMBOL || function->getTokenIndex() == 0) return false;
  Token *op = streamOf(parser)->get(function->getTokenIndex() - 1);
  std::string_view name = text(op);
  const OpInfo *info = op->getType() == P::OP_KIND ? findOp(name) : nullptr;
  std::string_view meant = !info                       ? ""
                           : info->name == "scan"      ? "associative_scan"
                           : info->name == "reduction" ? "associative_reduce"
                                                       : "";
  if (meant.empty()) return false;
  Diagnostic &kind = report(DiagCode::SyntaxError, range(op).to(range(function)),
                            str("`", name, "` takes a kind, such as `<add>`; the op that takes a function is `", meant, "`"));
  FixIt fix;
  fix.title = str("write `", meant, " ", text(function), ", …`");
  fix.edits = {{range(op), std::string(meant)}, {after(function), ","}};
  kind.fixits.push_back(std::move(fix));
  return true;
}

// Reports `%z = cast %x, f16`: an element type is an operand only of functions.
void ErrorStrategy::reportTypeOperand(Parser *parser, Token *at) {
  Token *op = opOf(parser, at);
  bool casts = op && isFunctionName(text(op)) && text(op).ends_with("cast");
  if (!casts) {
    report(DiagCode::MissingSigil, range(at), str(found(at), " is an element type, and not a value"));
    return;
  }
  SourceRange whole = range(op).to(range(at));
  SourceRange operands{whole.file, range(streamOf(parser)->get(op->getTokenIndex() + 1)).begin, whole.end};
  std::string mended = str(text(op), "(", text_.substr(operands.begin, operands.end - operands.begin), ")");
  report(DiagCode::SyntaxError, whole, str("`", text(op), "` to an element type is a function, with parentheses"))
      .fix(str("write `", mended, "`"), whole, mended);
}

// Reports `%x ** 2`.
bool ErrorStrategy::reportPower(Token *at, Token *last) {
  if (!last || at->getType() != P::STAR || last->getType() != P::STAR) return false;
  SourceRange both = range(last).to(range(at));
  if (both.end - both.begin != 2) return false;
  report(DiagCode::SyntaxError, both, "the language has no `**`: a power is written `pow(%x, 2.0)`, a square `%x * %x`");
  return true;
}

void ErrorStrategy::noteForeignSyntax(Diagnostic &unexpected, Token *last, Token *at) const {
  std::string_view word = text(at);
  bool member = last && last->getType() == P::VALUE && at->getType() == P::LPAREN;
  if (word == "?")
    unexpected.note("`select(%condition, %a, %b)` chooses between two values");
  else if (word == "elif")
    unexpected.fix("replace with `else if`", range(at), "else if");
  else if (word == "axis" || word == "dim")
    unexpected.note(
        "ops take a dimension in brackets, such as `[1]`, and functions of tests as an argument: `sum(%x, dim = 1)`");
  else if (member && (text(last).ends_with(".to") || text(last).ends_with(".astype")))
    unexpected.note("the function `cast(%x, f16)` converts values");
}

// Converts `range(4)`, `range(0, 8)` or `range(0, 8, 2)` at token `i` to the header of a loop, such as `0 to 8 step 2`.
// Returns "" for anything else, and for a range that counts down.
std::string ErrorStrategy::countedRange(antlr4::CommonTokenStream *stream, size_t i, Token *&last) const {
  if (text(stream->get(i)) != "range" || stream->get(i + 1)->getType() != P::LPAREN) return "";
  std::vector<std::string> bounds;
  size_t depth = 0, begin = i + 2;
  for (i = begin; !endsLine(stream->get(i)->getType()); ++i) {
    size_t type = stream->get(i)->getType();
    bool ends = depth == 0 && type == P::RPAREN;
    if (ends || (depth == 0 && type == P::COMMA)) {
      if (i == begin) return "";
      SourceRange bound = range(stream->get(begin)).to(range(stream->get(i - 1)));
      bounds.emplace_back(text_.substr(bound.begin, bound.end - bound.begin));
      if (bounds.size() == 3 && stream->get(begin)->getType() == P::MINUS) return "";
      begin = i + 1;
    }
    if (ends) break;
    if (opens(type)) ++depth;
    if (closes(type)) --depth;
  }
  last = stream->get(i);
  if (bounds.empty() || bounds.size() > 3 || last->getType() != P::RPAREN || stream->get(i + 1)->getType() != P::LBLOCK)
    return "";
  if (bounds.size() == 1) bounds.insert(bounds.begin(), "0");
  return str(bounds[0], " to ", bounds[1], bounds.size() == 3 ? " step " + bounds[2] : "");
}

// Reports loops with `in`: `for k in 0 to 4`, `for %k in range(4)`.
bool ErrorStrategy::reportForIn(Parser *parser) {
  antlr4::CommonTokenStream *stream = streamOf(parser);
  size_t in = parser->getTokenStream()->LT(1)->getTokenIndex();
  if (stream->get(in)->getType() != P::KW_IN) ++in;
  if (in < 2 || in >= stream->size() || stream->get(in)->getType() != P::KW_IN) return false;
  if (stream->get(in - 2)->getType() != P::KW_FOR) return false;
  Token *name = stream->get(in - 1), *last = nullptr;
  std::string spelled(text(name));
  if (!spelled.starts_with("%")) spelled.insert(0, "%");
  SourceRange both = range(name).to(range(stream->get(in)));
  Diagnostic &loop = report(DiagCode::SyntaxError, both, str("a loop is written `for ", spelled, " = … to …`, with no `in`"));
  if (std::string counted = countedRange(stream, in + 1, last); !counted.empty()) {
    std::string mended = str(spelled, " = ", counted);
    loop.fix(str("write `", mended, "`"), both.to(range(last)), mended);
    return true;
  }
  bool hasBounds = false;
  for (size_t i = in + 1; !endsLine(stream->get(i)->getType()); ++i) hasBounds |= stream->get(i)->getType() == P::KW_TO;
  if (hasBounds) loop.fix(str("replace with `", spelled, " =`"), both, str(spelled, " ="));
  return true;
}

bool ErrorStrategy::isForeign(Parser *parser, Token *at) {
  antlr4::TokenStream *stream = parser->getTokenStream();
  if (stream->LA(2) == P::KW_IN) return stream->LA(-1) == P::KW_FOR;
  return stream->LA(2) == P::LPAREN && opOf(parser, at);
}

// Reports a call as an operand, as in `store_tile max(%v, 1.0), %t`.
void ErrorStrategy::reportCallOperand(Parser *parser, Token *at) {
  antlr4::CommonTokenStream *stream = streamOf(parser);
  size_t i = at->getTokenIndex();
  Token *op = opOf(parser, at);
  if (isFunctionName(text(at))) {
    reportLargeOperand(parser, op, at, range(at).to(range(stream->get(lastOfOperand(stream, i)))));
    return;
  }
  Diagnostic &operand =
      report(DiagCode::ExpressionOperand, range(at), str("an operand of `", text(op), "` must be a name or a literal"));
  if (findOp(text(at))) operand.note(str("bind the result of `", text(at), "` to a name first"));
}

void ErrorStrategy::reportLargeOperand(Parser *parser, Token *op, Token *at, SourceRange where) {
  if (std::string_view note = findOp(text(op)) ? "" : noteOnForeignName(text(op)); !note.empty()) {
    report(DiagCode::UnknownOp, range(op), str("unknown op `", text(op), "`")).note(std::string(note));
    return;
  }
  Diagnostic &operand =
      report(DiagCode::ExpressionOperand, where,
             str("an operand of `", text(op), "` must be a name or a literal; put a larger expression in parentheses"));
  if (op->getType() != P::OP_OPERANDS) return; // a kind or list of dimensions may be among the tokens
  antlr4::CommonTokenStream *stream = streamOf(parser);
  size_t first = firstOfOperand(stream, at->getTokenIndex()), last = lastOfOperand(stream, at->getTokenIndex());
  if (first <= op->getTokenIndex() || last < first || endsLine(stream->get(first)->getType())) return;
  SourceRange whole = range(stream->get(first)).to(range(stream->get(last)));
  std::string mended = str("(", text_.substr(whole.begin, whole.end - whole.begin), ")");
  operand.fix(str("write `", mended, "`"), whole, mended);
}

} // namespace xt
