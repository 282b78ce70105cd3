#include "lang/parse/item_mistakes.h"

#include "ir/base/text.h"
#include "ir/call_names.h"

#include "XtLexer.h"
#include "lang/parse/foreign_names.h"

namespace xt {

using L = xtg::XtLexer;

namespace {

void misplacedOp(ItemState &state, size_t i, std::string_view where) {
  Diagnostic &mistake =
      state.report(DiagCode::ExpressionOperand, state.range(i), str("the op ", state.quoted(i), " is not allowed in ", where));
  if (isFunctionName(state.scan.text(i)))
    mistake.note(str("the function ", state.quoted(i), " is allowed: write its operands in parentheses"));
  else
    mistake.note(str("bind the result of ", state.quoted(i), " to a name first"));
}

// Whether tokens i and i + 1 are a function and its first operand without the `(` between them, as in `erf%x)`; reports the
// missing `(` and opens it.
bool callWithoutParenthesis(ItemState &state, size_t i) {
  const SyntaxToken &word = state.scan.at(i);
  if (state.scan.type(i + 1) != L::VALUE || state.scan.at(i + 1).begin != word.end || !isFunctionName(state.scan.text(i)))
    return false;
  SourceRange where = state.range(i).endPoint();
  state.report(DiagCode::SyntaxError, where, str("missing `(` after ", state.quoted(i))).fix("insert `(`", where, "(");
  state.emit(word, word.type);
  OpenBracket entry{.kind = OpenBracket::Kind::Paren, .token = word, .opener = word.type};
  entry.token.type = L::LPAREN;
  state.stack.push_back(entry);
  state.emit(L::LPAREN, word.end, word.end, word);
  return true;
}

// Whether a bracket is open on this line, other than that of `for (…)`.
bool inList(const ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  int closed = 0;
  for (size_t k = i; k-- > state.begin && !scan.at(k + 1).firstOnLine;) {
    if (scan.type(k) == L::RPAREN || scan.type(k) == L::RBRACK) ++closed;
    if (scan.type(k) != L::LPAREN && scan.type(k) != L::LBRACK) continue;
    if (closed-- == 0) return k == state.begin || scan.type(k - 1) != L::KW_FOR;
  }
  return false;
}

} // namespace

void notHere(ItemState &state, size_t i, std::string_view why) {
  state.report(DiagCode::NotHere, state.range(i), str(state.quoted(i), " ", why));
}

void takeWordAs(ItemState &state, size_t i, size_t type, std::string_view meant, bool misspelt) {
  const TokenScan &scan = state.scan;
  if (misspelt)
    state
        .report(DiagCode::MisspeltKeyword, state.range(i),
                str(state.quoted(i), " is not a keyword; did you mean `", meant, "`?"))
        .fix(str("replace with `", meant, "`"), state.range(i), std::string(meant));
  else {
    Diagnostic &expected =
        state.report(DiagCode::MisspeltKeyword, state.range(i), str("expected `", meant, "`, found ", state.quoted(i)));
    // Other languages bind names with a keyword.
    bool binds = scan.text(i) == "let" || scan.text(i) == "var" || scan.text(i) == "const" || scan.text(i) == "auto";
    std::string_view note = binds                    ? "a value is bound as `%x = …`, without a word before it"
                            : scan.text(i) == "elif" ? noteOnForeignName("elif")
                                                     : "";
    if (!note.empty())
      expected.note(std::string(note));
    else
      expected.fix(str("replace with `", meant, "`"), state.range(i), std::string(meant));
  }
  state.emit(scan.at(i), type);
}

bool tryMisspelt(ItemState &state, size_t i, std::span<const std::string_view> candidates, std::span<const size_t> types) {
  std::string_view meant = closestName(state.scan.text(i), candidates);
  if (meant.empty()) return false;
  for (size_t k = 0; k < candidates.size(); ++k)
    if (candidates[k] == meant) {
      takeWordAs(state, i, types[k], meant);
      return true;
    }
  return false;
}

bool takeUntypedName(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  if (!scan.isWord(i)) return false;
  size_t name = scan.type(i + 1) == L::EQ ? i : scan.isWord(i + 1) && scan.type(i + 2) == L::EQ ? i + 1 : 0;
  if (name == 0) return false;
  stmt.head = StatementHead::Results;
  stmt.onlyResults = true;
  if (name != i) {
    SourceRange both = state.range(i).to(state.range(name));
    state
        .report(DiagCode::MissingSigil, both, str("a value is bound as `%", scan.text(name), " = …`, without a type before it"))
        .fix(str("replace with `%", scan.text(name), "`"), both, str("%", scan.text(name)));
    state.skip = name; // the preceding word is left out
    return true;
  }
  state.report(DiagCode::MissingSigil, state.range(i), "the name of a value starts with `%`")
      .fix("insert `%`", state.range(i).startPoint(), "%");
  state.emit(scan.at(i), L::VALUE);
  return true;
}

void gluedName(ItemState &state, size_t i) {
  std::string_view name = state.scan.text(i);
  for (std::string_view word : {"tile", "vector", "memref", "joint_matrix", "tensor_desc", "locality"}) {
    if (!name.ends_with(word) || name.size() < word.size() + 2) continue;
    SourceRange at = state.range(i);
    at.begin = at.end = at.end - static_cast<uint32_t>(word.size());
    if (word == "locality")
      state.report(DiagCode::SyntaxError, at, "missing blank before `locality`").fix("insert a blank", at, " ");
    else
      state.report(DiagCode::MissingColon, at, str("missing `:` before `", word, "`")).fix("insert `:`", at, " : ");
    return;
  }
}

void missingAngle(ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  std::string_view name = scan.text(i);
  for (std::string_view word : {"tile", "vector", "memref", "joint_matrix", "tensor_desc"}) {
    if (!name.starts_with(word)) continue;
    bool extent = name.size() > word.size() && name[word.size()] >= '0' && name[word.size()] <= '9';
    if (!extent && !(name == word && scan.type(i + 1) == L::QMARK)) continue;
    SourceRange at = state.range(i);
    at.begin = at.end = at.begin + static_cast<uint32_t>(word.size());
    state.report(DiagCode::SyntaxError, at, str("missing `<` after `", word, "`")).fix("insert `<`", at, "<");
    return;
  }
}

bool takeKeyColon(ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  if (scan.type(i) != L::COLON || !state.inBracket() || i < state.begin + 2 || !scan.sameLine(i, i + 1)) return false;
  const OpenBracket &top = state.stack.back();
  if (scan.text(i - 1) == "offset" && top.kind == OpenBracket::Kind::Angle &&
      top.attrContext) { // strided<[4, 1], offset: ?>, as MLIR prints it
    state.emit(scan.at(i), L::EQ);
    return true;
  }
  if (top.opener == L::SYMBOL) return false; // the constraint of a generic name
  bool entries = top.kind == OpenBracket::Kind::Attr || (top.kind == OpenBracket::Kind::Angle && top.attrContext);
  bool first = state.beforeLast == L::LBRACE || state.beforeLast == L::LANGLE || state.beforeLast == L::COMMA;
  if (!entries || !first || (!scan.isWord(i - 1) && state.last.type != L::SIZE)) return false;
  switch (scan.type(i + 1)) {
  case L::INT:
  case L::HEX:
  case L::FLOAT:
  case L::MINUS:
  case L::SIZE:
  case L::LBRACK:
  case L::TEXT: break;
  default: {
    size_t after = scan.type(i + 2);
    bool closes = after == L::COMMA || after == (top.kind == OpenBracket::Kind::Attr ? L::RBRACE : L::GT);
    if (!scan.isWord(i + 1) || !closes) return false;
  }
  }
  std::string equals = state.last.end == scan.at(i).begin ? " =" : "=";
  state.report(DiagCode::MissingEquals, state.range(i), str("expected `=` after ", state.quoted(i - 1), ", found `:`"))
      .fix(str("replace with `", equals, "`"), state.range(i), equals);
  state.emit(scan.at(i), L::EQ);
  return true;
}

bool opInParens(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  if (stmt.head == StatementHead::Kernel || state.inHostBlock() || state.attrContext() || state.stack.empty()) return false;
  bool op = scan.isOpName(i + 1) && scan.type(i + 2) == L::VALUE && scan.sameLine(i, i + 2);
  if (op && !stmt.reported) misplacedOp(state, i + 1, "parentheses");
  return op;
}

bool opInExpression(ItemState &state, size_t i) {
  ShapedStatement &stmt = state.stmt;
  const TokenScan &scan = state.scan;
  bool expects = isBinaryOperator(state.last.type) || (state.last.type == L::COMMA && state.inBracket());
  if (stmt.head != StatementHead::Expression || !expects || state.inHostBlock() || state.attrContext() || stmt.reported)
    return false;
  const OpInfo *op = scan.isOpName(i) ? findOpLoosely(scan.text(i)) : nullptr;
  if (!op || op->clause == Clause::Bare || !scan.sameLine(i, i + 1)) return false;
  bool kind = scan.type(i + 1) == L::LT && scan.isWord(i + 2) && scan.type(i + 3) == L::GT; // as in `reduction <add>`
  if (!kind && scan.type(i + 1) != L::VALUE) return false;
  if (!kind && callWithoutParenthesis(state, i)) return true;
  misplacedOp(state, i, "an expression");
  state.emit(scan.at(i), opToken(scan.clauseOf(i)));
  for (size_t k = state.bracketsBase(); k < state.stack.size(); ++k) state.stack[k].holdsOp = true;
  return true;
}

void takeStray(ItemState &state, size_t i) {
  const TokenScan &scan = state.scan;
  // Report a run of stray characters as one error.
  if (i > state.begin && scan.type(i - 1) == L::STRAY && scan.at(i - 1).end == scan.at(i).begin) return;
  SourceRange where = state.range(i);
  for (size_t k = i + 1; scan.type(k) == L::STRAY && scan.at(k).begin == where.end; ++k) where.end = scan.at(k).end;
  if (scan.text(i) == ";") {
    Diagnostic &semicolon = state.report(DiagCode::Semicolon, where, "unexpected `;`: a statement ends where its line does");
    // Offer to remove it at the end of a line and to replace it by a comma in a list; elsewhere its intent is unclear.
    bool last = i + 1 >= state.end || scan.at(i + 1).firstOnLine;
    if (last)
      semicolon.fix("remove `;`", where, "");
    else if (inList(state, i))
      semicolon.fix("replace with `,`", where, ",");
    return;
  }
  // Characters of word processors and other notations, and the spelling in this language.
  struct Row {
    std::string_view found, name, meant;
  };
  static constexpr Row kRows[] = {{"\xE2\x88\x92", "a minus sign (U+2212)", "-"},
                                  {"\xE2\x80\x93", "a dash (U+2013)", "-"},
                                  {"\xE2\x80\x94", "a dash (U+2014)", "-"},
                                  {"\xC3\x97", "a multiplication sign (U+00D7)", "x"},
                                  {"\xE2\x80\x9C", "a typographic quote", "\""},
                                  {"\xE2\x80\x9D", "a typographic quote", "\""},
                                  {"\xE2\x86\x92", "an arrow (U+2192)", "->"},
                                  {"\xE2\x89\xA4", "a comparison sign (U+2264)", "<="},
                                  {"\xE2\x89\xA5", "a comparison sign (U+2265)", ">="},
                                  {"&&", "`&&`", "and"},
                                  {"||", "`||`", "or"},
                                  {"!", "`!`", "not "}};
  std::string_view text = scan.text(i, where.end);
  for (const Row &row : kRows)
    if (text == row.found) {
      state.report(DiagCode::StrayCharacter, where, str("unexpected ", row.name, "; did you mean `", row.meant, "`?"))
          .fix(str("replace with `", row.meant, "`"), where, std::string(row.meant));
      return;
    }
  if (text == "%" || text == "@" || text == "#" || text == "$") {
    Diagnostic &stray = state.report(DiagCode::StrayCharacter, where, str("`", text, "` without a name"));
    bool infix = !scan.at(i).firstOnLine && (state.last.type == L::VALUE || state.last.type == L::RPAREN);
    if (infix && text == "%") stray.note("the remainder of a division is `%a mod %b`");
    if (infix && text == "@") stray.note("an op multiplies matrices: `tile_mma %a, %b, %acc`; in a test, `matmul(%A, %B)`");
    return;
  }
  // This is an operator of another language; its intent is unclear.
  if (text.find_first_of("&|.?!\\") != std::string_view::npos) {
    state.report(DiagCode::StrayCharacter, where, str("unexpected character `", text, "`"));
    return;
  }
  bool printable = where.end - where.begin <= 4 && static_cast<unsigned char>(text[0]) > 0x20 && text[0] != 0x7F;
  if (printable && where.end == scan.at(i).end)
    state.report(DiagCode::StrayCharacter, where, str("unexpected character `", text, "`")).fix("remove it", where, "");
  else
    state.report(DiagCode::StrayCharacter, where, "unexpected characters").fix("remove them", where, "");
}

} // namespace xt
