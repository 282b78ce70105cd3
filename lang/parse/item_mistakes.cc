// Errors in words and characters that shaping detects.
#include "ir/base/text.h"
#include "ir/call_names.h"
#include "lang/parse/item_shaper.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

void ItemShaper::notHere(size_t i, std::string_view why) { report(DiagCode::NotHere, range(i), str(quoted(i), " ", why)); }

// Reports `acc = …` and `int acc = …`, and treats them as `%acc = …`.
bool ItemShaper::takeUntypedName(size_t i) {
  if (!scan_.isWord(i)) return false;
  size_t name = scan_.type(i + 1) == L::EQ ? i : scan_.isWord(i + 1) && scan_.type(i + 2) == L::EQ ? i + 1 : 0;
  if (name == 0) return false;
  head_ = Head::Results;
  onlyResults_ = true;
  if (name != i) {
    SourceRange both = range(i).to(range(name));
    report(DiagCode::MissingSigil, both, str("a value is bound as `%", scan_.text(name), " = …`, without a type before it"))
        .fix(str("replace with `%", scan_.text(name), "`"), both, str("%", scan_.text(name)));
    skip_ = name; // the preceding word is left out
    return true;
  }
  report(DiagCode::MissingSigil, range(i), "the name of a value starts with `%`").fix("insert `%`", range(i).startPoint(), "%");
  emit(scan_.at(i), L::VALUE);
  return true;
}

void ItemShaper::takeWordAs(size_t i, size_t type, std::string_view meant, bool misspelt) {
  if (misspelt)
    report(DiagCode::MisspeltKeyword, range(i), str(quoted(i), " is not a keyword; did you mean `", meant, "`?"))
        .fix(str("replace with `", meant, "`"), range(i), std::string(meant));
  else {
    Diagnostic &expected = report(DiagCode::MisspeltKeyword, range(i), str("expected `", meant, "`, found ", quoted(i)));
    // Other languages bind names with a keyword.
    bool binds = scan_.text(i) == "let" || scan_.text(i) == "var" || scan_.text(i) == "const" || scan_.text(i) == "auto";
    if (binds)
      expected.note("a value is bound as `%x = …`, without a word before it");
    else
      expected.fix(str("replace with `", meant, "`"), range(i), std::string(meant));
  }
  emit(scan_.at(i), type);
}

bool ItemShaper::tryMisspelt(size_t i, std::span<const std::string_view> candidates, std::span<const size_t> types) {
  std::string_view meant = closestName(scan_.text(i), candidates);
  if (meant.empty()) return false;
  for (size_t k = 0; k < candidates.size(); ++k)
    if (candidates[k] == meant) {
      takeWordAs(i, types[k], meant);
      return true;
    }
  return false;
}

// Reports `%c32tile<256x32xf16>`, which lacks the colon before the signature's type and the blank.
void ItemShaper::gluedName(size_t i) {
  std::string_view name = scan_.text(i);
  for (std::string_view word : {"tile", "vector", "memref", "tensor_desc", "locality"}) {
    if (!name.ends_with(word) || name.size() < word.size() + 2) continue;
    SourceRange at = range(i);
    at.begin = at.end = at.end - static_cast<uint32_t>(word.size());
    if (word == "locality")
      report(DiagCode::SyntaxError, at, "missing blank before `locality`").fix("insert a blank", at, " ");
    else
      report(DiagCode::MissingColon, at, str("missing `:` before `", word, "`")).fix("insert `:`", at, " : ");
    return;
  }
}

// Reports the missing `<` of `vector8x16xf32>` and `memref?x8xf32>`.
void ItemShaper::missingAngle(size_t i) {
  std::string_view name = scan_.text(i);
  for (std::string_view word : {"tile", "vector", "memref", "tensor_desc"}) {
    if (!name.starts_with(word)) continue;
    bool extent = name.size() > word.size() && name[word.size()] >= '0' && name[word.size()] <= '9';
    if (!extent && !(name == word && scan_.type(i + 1) == L::QMARK)) continue;
    SourceRange at = range(i);
    at.begin = at.end = at.begin + static_cast<uint32_t>(word.size());
    report(DiagCode::SyntaxError, at, str("missing `<` after `", word, "`")).fix("insert `<`", at, "<");
    return;
  }
}

// Reports `{padding: 1.0}` and treats the `:` as `=`, unless it starts a signature, where the bracket is unclosed.
bool ItemShaper::takeKeyColon(size_t i) {
  if (scan_.type(i) != L::COLON || !inBracket() || i < begin_ + 2 || !scan_.sameLine(i, i + 1)) return false;
  const Open &top = stack_.back();
  if (scan_.text(i - 1) == "offset" && top.kind == Open::Kind::Angle &&
      top.attrContext) { // strided<[4, 1], offset: ?>, as MLIR prints it
    emit(scan_.at(i), L::EQ);
    return true;
  }
  bool entries = top.kind == Open::Kind::Attr || (top.kind == Open::Kind::Angle && top.attrContext);
  bool first = beforeLast_ == L::LBRACE || beforeLast_ == L::LANGLE || beforeLast_ == L::COMMA;
  if (!entries || !first || (!scan_.isWord(i - 1) && last_.type != L::SIZE)) return false;
  switch (scan_.type(i + 1)) {
  case L::INT:
  case L::HEX:
  case L::FLOAT:
  case L::MINUS:
  case L::SIZE:
  case L::LBRACK:
  case L::TEXT: break;
  default: {
    size_t after = scan_.type(i + 2);
    bool closes = after == L::COMMA || after == (top.kind == Open::Kind::Attr ? L::RBRACE : L::GT);
    if (!scan_.isWord(i + 1) || !closes) return false;
  }
  }
  std::string equals = last_.end == scan_.at(i).begin ? " =" : "=";
  report(DiagCode::MissingEquals, range(i), str("expected `=` after ", quoted(i - 1), ", found `:`"))
      .fix(str("replace with `", equals, "`"), range(i), equals);
  emit(scan_.at(i), L::EQ);
  return true;
}

void ItemShaper::misplacedOp(size_t i, std::string_view where) {
  Diagnostic &mistake = report(DiagCode::ExpressionOperand, range(i), str("the op ", quoted(i), " is not allowed in ", where));
  if (isFunctionName(scan_.text(i)))
    mistake.note(str("the function ", quoted(i), " is allowed: write its operands in parentheses"));
  else
    mistake.note(str("bind the result of ", quoted(i), " to a name first"));
}

// Whether the `(` at i contains an op with a signature, as in `sitofp (index_cast %i : index -> i32) : …`; reports it.
bool ItemShaper::opInParens(size_t i) {
  if (head_ == Head::Kernel || inHostBlock() || attrContext() || stack_.empty()) return false;
  bool op = scan_.isOpName(i + 1) && scan_.type(i + 2) == L::VALUE && scan_.sameLine(i, i + 2);
  if (op && !statementReported_) misplacedOp(i + 1, "parentheses");
  return op;
}

// Reports an op in place of a value, as in `%x + broadcast %y [0] -> …` or `max(%x, load_tile %t)`. Emits it as the token of
// an op, so that the parser rejects the statement; it reports nothing, as shaping has reported the error.
bool ItemShaper::opInExpression(size_t i) {
  bool expects = isBinaryOperator(last_.type) || (last_.type == L::COMMA && inBracket());
  if (head_ != Head::Expression || !expects || inHostBlock() || attrContext() || statementReported_) return false;
  const OpInfo *op = scan_.isOpName(i) ? findOpLoosely(scan_.text(i)) : nullptr;
  if (!op || op->clause == Clause::Bare || !scan_.sameLine(i, i + 1)) return false;
  bool kind = scan_.type(i + 1) == L::LT && scan_.isWord(i + 2) && scan_.type(i + 3) == L::GT; // as in `reduction <add>`
  if (!kind && scan_.type(i + 1) != L::VALUE) return false;
  misplacedOp(i, "an expression");
  emit(scan_.at(i), opToken(scan_.clauseOf(i)));
  for (size_t k = bracketsBase(); k < stack_.size(); ++k) stack_[k].holdsOp = true;
  return true;
}

// Whether a bracket is open on this line, other than that of `for (…)`.
bool ItemShaper::inList(size_t i) const {
  int closed = 0;
  for (size_t k = i; k-- > begin_ && !scan_.at(k + 1).firstOnLine;) {
    if (scan_.type(k) == L::RPAREN || scan_.type(k) == L::RBRACK) ++closed;
    if (scan_.type(k) != L::LPAREN && scan_.type(k) != L::LBRACK) continue;
    if (closed-- == 0) return k == begin_ || scan_.type(k - 1) != L::KW_FOR;
  }
  return false;
}

void ItemShaper::stray(size_t i) {
  // Report a run of stray characters as one error.
  if (i > begin_ && scan_.type(i - 1) == L::STRAY && scan_.at(i - 1).end == scan_.at(i).begin) return;
  SourceRange where = range(i);
  for (size_t k = i + 1; scan_.type(k) == L::STRAY && scan_.at(k).begin == where.end; ++k) where.end = scan_.at(k).end;
  if (scan_.text(i) == ";") {
    Diagnostic &semicolon = report(DiagCode::Semicolon, where, "unexpected `;`: a statement ends where its line does");
    // Offer to remove it at the end of a line and to replace it by a comma in a list; elsewhere its intent is unclear.
    bool last = i + 1 >= end_ || scan_.at(i + 1).firstOnLine;
    if (last)
      semicolon.fix("remove `;`", where, "");
    else if (inList(i))
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
  std::string_view text = scan_.text(i, where.end);
  for (const Row &row : kRows)
    if (text == row.found) {
      report(DiagCode::StrayCharacter, where, str("unexpected ", row.name, "; did you mean `", row.meant, "`?"))
          .fix(str("replace with `", row.meant, "`"), where, std::string(row.meant));
      return;
    }
  if (text == "%" || text == "@" || text == "#" || text == "$") {
    report(DiagCode::StrayCharacter, where, str("`", text, "` without a name"));
    return;
  }
  // An operator of another language, whose intent is unclear.
  if (text.find_first_of("&|^~.?!\\") != std::string_view::npos) {
    Diagnostic &unknown = report(DiagCode::StrayCharacter, where, str("unexpected character `", text, "`"));
    if (text == "&" || text == "|" || text == "^" || text == "~")
      unknown.note("conditions are joined by `and`, `or`, `not`; bits of integers by the ops `andi`, `ori`, `xori`");
    return;
  }
  bool printable = where.end - where.begin <= 4 && static_cast<unsigned char>(text[0]) > 0x20 && text[0] != 0x7F;
  if (printable && where.end == scan_.at(i).end)
    report(DiagCode::StrayCharacter, where, str("unexpected character `", text, "`")).fix("remove it", where, "");
  else
    report(DiagCode::StrayCharacter, where, "unexpected characters").fix("remove them", where, "");
}

} // namespace xt
