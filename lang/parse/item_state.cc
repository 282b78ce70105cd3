#include "lang/parse/item_state.h"

#include "ir/base/text.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

size_t ItemState::bracketsBase() const {
  size_t n = stack.size();
  while (n && stack[n - 1].kind != OpenBracket::Kind::Block) --n;
  return n;
}

bool ItemState::inHostBlock() const {
  size_t base = bracketsBase();
  return base ? stack[base - 1].host : stmt.head == StatementHead::HostFunction;
}

bool ItemState::attrContext() const { return inBracket() ? stack.back().attrContext : stmt.head == StatementHead::Alias; }

bool ItemState::checkDepth(size_t i) {
  if (stack.size() <= kMaxNesting && stmt.prefixes <= kMaxNesting && stmt.elseIfs <= kMaxNesting &&
      stmt.operators <= kMaxOperators)
    return true;
  result.diagnostics.clear();
  if (stmt.operators > kMaxOperators)
    report(DiagCode::NestingTooDeep, range(i), str("more than ", kMaxOperators, " operators in one statement"));
  else
    report(DiagCode::NestingTooDeep, range(i),
           str("more than ", kMaxNesting, " levels of brackets, blocks or operators inside one another"));
  result.missingBraces = result.superfluousBraces = false;
  abandoned = true;
  return false;
}

void ItemState::emit(size_t type, uint32_t from, uint32_t to, const SyntaxToken &at) {
  SyntaxToken out = at;
  out.type = type;
  out.begin = from;
  out.end = to;
  result.tokens.push_back(out);
  if (type == L::NL) return;
  beforeLast = last.type;
  last = out;
  ++stmt.length;
}

std::string ItemState::quoted(size_t i) const {
  if (i >= end) return scan.type(i) == antlr4::Token::EOF ? "the end of the file" : str("`", scan.text(i), "`");
  return str("`", scan.text(i), "`");
}

Diagnostic &ItemState::report(DiagCode code, SourceRange where, std::string message) {
  Diagnostic d;
  d.code = code;
  d.severity = Severity::Error;
  d.range = where;
  d.message = std::move(message);
  result.diagnostics.push_back(std::move(d));
  stmt.reported = true;
  return result.diagnostics.back();
}

} // namespace xt
