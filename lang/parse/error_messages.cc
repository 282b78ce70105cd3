// The messages of syntax errors.
#include "lang/parse/error_strategy.h"

#include "ir/base/text.h"
#include "ir/call_names.h"
#include "ir/host.h"
#include "ir/op_info.h"
#include "lang/parse/rank_words.h"
#include "lang/parse/token_scan.h"

#include <set>

namespace xt {

using antlr4::Parser;
using antlr4::Token;
using P = xtg::XtParser;

namespace {

using Types = std::set<size_t>;

Types typesOf(const antlr4::misc::IntervalSet &set) {
  Types types;
  for (ssize_t t : set.toList())
    if (t >= 0 || t == static_cast<ssize_t>(Token::EOF)) types.insert(static_cast<size_t>(t));
  return types;
}

bool hasAll(const Types &set, std::initializer_list<size_t> types) {
  for (size_t t : types)
    if (!set.count(t)) return false;
  return true;
}
void drop(Types &set, size_t first, size_t last) {
  for (size_t t = first; t <= last; ++t) set.erase(t);
}
void drop(Types &set, std::initializer_list<size_t> types) {
  for (size_t t : types) set.erase(t);
}

bool expectsOperand(const Types &set) { return hasAll(set, {P::VALUE, P::INT, P::LPAREN}); }
bool expectsType(const Types &set) { return hasAll(set, {P::KW_MEMREF, P::KW_VECTOR, P::TYPE}) && !set.count(P::INT); }
bool expectsOperator(const Types &set) { return hasAll(set, {P::PLUS, P::STAR, P::EQEQ}); }

// Names a single token in messages; takeGroups() names groups of tokens.
std::string tokenName(size_t type) {
  switch (type) {
  case Token::EOF: return "the end of the file";
  case P::NL: return "the end of the line";
  case P::VALUE: return "a %value";
  case P::ATTR: return "an #attribute";
  case P::TYPE: return "a !type";
  case P::SIZE: return "a $parameter";
  case P::SYMBOL: return "a @symbol";
  case P::INT: return "an integer";
  case P::FLOAT:
  case P::HEX: return "a number";
  case P::TEXT: return "a text in quotes";
  case P::QUOTED_KIND: return "a kind";
  case P::WORD: return "a word";
  case P::DIM: return "an extent";
  case P::ELEM: return "an element type";
  case P::X: return "`x`";
  case P::LBLOCK:
  case P::LBRACE: return "`{`";
  case P::RBLOCK:
  case P::RBRACE: return "`}`";
  case P::LANGLE: return "`<`";
  case P::RANGLE: return "`>`";
  case P::SPLICE: return "`:`";
  default: break;
  }
  if (type >= P::OP_OPERANDS && type <= P::OP_DIMENSION) return "an op";
  if (type == P::HOST_COMMUNICATION) return "a communication";
  return {};
}

// Names what the grammar expects where an operand, an expression or an attribute value may be.
std::string operandName(const Types &set) {
  if (set.count(P::ATTR)) return "an attribute value";
  if (set.count(P::OP_OPERANDS)) return "an op or an expression";
  return set.count(P::WORD) ? "an expression" : "an operand";
}

// Removes groups of tokens with a common name from the set and returns the names.
std::vector<std::string> takeGroups(Types &set) {
  std::vector<std::string> names;
  if (hasAll(set, {P::OP_OPERANDS, P::KW_FOR, P::KW_RETURN})) {
    names.push_back("a statement");
    drop(set, P::OP_OPERANDS, P::KW_AFFINE_MAP);
    drop(set, {P::VALUE, P::SYMBOL, P::WORD});
  }
  if (hasAll(set, {P::KW_LAUNCH, P::KW_CHECK, P::KW_SAVE, P::VALUE}) && !set.count(P::INT)) {
    names.push_back("a host statement");
    drop(set, {P::KW_LAUNCH, P::KW_CHECK, P::KW_SAVE, P::VALUE});
    drop(set, P::HOST_MESH, P::HOST_WAIT);
  }
  if (hasAll(set, {P::KW_KERNEL, P::KW_TEST, P::KW_IMPORT, P::KW_PARAM}) && !set.count(P::KW_FOR)) {
    names.push_back("`kernel`, `func`, `test`, `param`, `import` or an alias");
    drop(set, {P::KW_KERNEL, P::KW_FUNC, P::HOST_FUNC, P::KW_TEST, P::KW_IMPORT, P::KW_PARAM, P::ATTR, P::TYPE});
  }
  if (expectsType(set)) {
    names.push_back("a type");
    drop(set, {P::TYPE, P::SIZE, P::WORD, P::LPAREN});
    drop(set, P::KW_GRID, P::KW_TENSOR_DESC);
  }
  if (hasAll(set, {P::DIM, P::ELEM})) {
    names.push_back("an extent or an element type");
    drop(set, {P::DIM, P::ELEM, P::QMARK, P::SIZE, P::LBRACK});
  }
  if (expectsOperator(set)) {
    std::erase_if(set, isBinaryOperator);
    set.erase(P::LBRACK);
    if (set.empty() && names.empty()) names.push_back("an operator");
  }
  if (hasAll(set, {P::WORD, P::KW_KERNEL, P::KW_GRID})) {
    names.push_back("a word");
    drop(set, P::KW_KERNEL, P::KW_TENSOR_DESC);
    drop(set, {P::WORD});
  }
  return names;
}

// Describes a set of tokens, for example as "`,`, `}` or a type". Operands and expressions have separate messages.
std::string describe(Parser *parser, Types set) {
  std::vector<std::string> names = takeGroups(set);
  for (size_t type : set) {
    std::string name = tokenName(type);
    if (name.empty()) {
      name = parser->getVocabulary().getLiteralName(type); // for example '->'
      if (name.size() > 2) name = "`" + name.substr(1, name.size() - 2) + "`";
      if (name.empty()) continue;
    }
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  constexpr size_t kMost = 5;
  if (names.size() > kMost) names.resize(kMost);
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return out;
}

} // namespace

std::string ErrorStrategy::found(Token *token) const {
  if (token->getType() == Token::EOF || token->getType() == P::NL) return tokenName(token->getType());
  std::string_view spelled = text(token);
  return spelled.empty() ? tokenName(token->getType()) : str("`", spelled, "`");
}

void ErrorStrategy::reportError(Parser *parser, const antlr4::RecognitionException &e) {
  if (inErrorRecoveryMode(parser)) return;
  beginErrorCondition(parser);
  Expected expected;
  if (auto *viable = dynamic_cast<const antlr4::NoViableAltException *>(&e)) {
    if (auto *configs = viable->getDeadEndConfigs())
      for (auto &config : configs->configs) expected.addAll(parser->getATN().nextTokens(config->state));
    if (expected.isEmpty() || viable->getOffendingToken() == viable->getStartToken()) expected = parser->getExpectedTokens();
  } else {
    expected = e.getExpectedTokens();
  }
  emit(parser, e.getOffendingToken(), expected);
}

// Reports a missing token between `last` and `at`, if exactly one is possible.
bool ErrorStrategy::reportMissing(antlr4::CommonTokenStream *stream, Token *last, Token *at, const Expected &expected) {
  if (!last || expected.size() != 1) return false;
  SourceRange where = after(last);
  if (expected.contains(static_cast<size_t>(P::EQ)) && last->getType() == P::KW_EXACTLY) {
    report(DiagCode::SyntaxError, range(last), "`exactly` has no value: write `check … == … exactly`");
  } else if (expected.contains(static_cast<size_t>(P::EQ))) {
    Diagnostic &missing = report(DiagCode::MissingEquals, where, str("missing `=` between ", found(last), " and ", found(at)));
    // `==` or `:` may have been written instead of `=`.
    if (at->getType() == P::EQEQ)
      missing.fix("replace with `=`", range(at), "=");
    else if (at->getType() != P::COLON)
      missing.fix("insert `=`", where, " =");
  } else if (expected.contains(static_cast<size_t>(P::COLON)) && last->getType() == P::SIZE && at->getType() == P::EQ)
    report(DiagCode::MissingColon, where, str("missing `:` and a type before ", found(at)))
        .note("for example `param $N : index = 4`");
  else if (expected.contains(static_cast<size_t>(P::COLON)))
    report(DiagCode::MissingColon, where, str("missing `:` before ", found(at))).fix("insert `:`", where, ":");
  else if (expected.contains(static_cast<size_t>(P::KW_TO)))
    reportMissingTo(stream, last, at);
  else
    return false;
  return true;
}

// Reports the header of a loop or of a grid whose first bound is not followed by `to`.
void ErrorStrategy::reportMissingTo(antlr4::CommonTokenStream *stream, Token *last, Token *at) {
  bool follows = false; // `to`
  for (size_t i = at->getTokenIndex(); i < stream->size(); ++i) {
    size_t type = stream->get(i)->getType();
    if (type == P::NL || type == P::LBLOCK || type == Token::EOF || (type == P::COMMA && i > at->getTokenIndex())) break;
    follows |= type == P::KW_TO;
  }
  bool name =
      (last->getType() == P::WORD || last->getType() == P::KW_LOAD) && (findOp(text(last)) || isFunctionName(text(last)));
  if (name && isFunctionName(text(last))) {
    Diagnostic &call = report(DiagCode::ExpressionOperand, range(last),
                              str("the function ", found(last), " takes its operands in parentheses"));
    if (at->getType() == P::VALUE && stream->get(at->getTokenIndex() + 1)->getType() == P::KW_TO) {
      std::string mended = str(text(last), "(", text(at), ")");
      call.fix(str("write `", mended, "`"), range(last).to(range(at)), mended);
    }
  } else if (name) {
    report(DiagCode::ExpressionOperand, range(last), str("the op ", found(last), " is not allowed in a bound"))
        .note(str("bind the result of ", found(last), " to a name first"));
  } else if (follows) {
    report(DiagCode::SyntaxError, range(at), str("expected `to`, found ", found(at)));
  } else if (at->getType() == P::WORD || at->getType() == P::COMMA) {
    std::string to = at->getType() == P::COMMA ? " to" : "to";
    report(DiagCode::SyntaxError, range(at), str("expected `to`, found ", found(at))).fix("replace with `to`", range(at), to);
  } else {
    SourceRange where = after(last);
    report(DiagCode::SyntaxError, where, str("missing `to` before ", found(at))).fix("insert `to`", where, " to");
  }
}

void ErrorStrategy::reportAfterStatement(Token *last, Token *at, SourceRange where) {
  size_t type = at->getType();
  bool starts = type == P::VALUE || (type >= P::OP_OPERANDS && type <= P::OP_DIMENSION) || type == P::KW_FOR ||
                type == P::KW_IF || type == P::KW_RETURN || type == P::KW_YIELD || type == P::KW_WHILE;
  if (starts)
    report(DiagCode::TwoStatements, where, str("a second statement starts on this line at ", found(at)))
        .note("a statement ends where its line does");
  else
    noteForeignSyntax(
        report(DiagCode::SyntaxError, where, str("unexpected ", found(at), last ? str(" after ", found(last)) : "")), last, at);
}

// Reports a misspelt arrow, `- >` or `>>`, before a type.
bool ErrorStrategy::reportBrokenArrow(antlr4::CommonTokenStream *stream, Token *at) {
  size_t i = at->getTokenIndex();
  if (at->getType() == P::GT && i > 0 && isBinaryOperator(stream->get(i - 1)->getType())) at = stream->get(--i);
  auto typeAt = [&](size_t k) { return k < stream->size() ? stream->get(k)->getType() : Token::EOF; };
  size_t last = at->getType() == P::SHR ? i : i + 1; // of the arrow
  bool adjacent = typeAt(last) == P::GT && range(stream->get(last)).begin <= range(at).end + 1;
  bool arrow = at->getType() == P::SHR || (adjacent && (at->getType() == P::MINUS || at->getType() == P::GT));
  if (!arrow || typeAt(last + 1) < P::KW_TILE || typeAt(last + 1) > P::KW_TENSOR_DESC) return false;
  SourceRange both = range(at).to(range(stream->get(last)));
  report(DiagCode::SyntaxError, both, "an arrow is written `->`").fix("replace with `->`", both, "->");
  return true;
}

// Reports an unknown type such as `-> tille<8x16xf32>`, whose `<` the parser takes for a comparison.
bool ErrorStrategy::reportUnknownType(antlr4::CommonTokenStream *stream, Token *at) {
  size_t i = at->getTokenIndex();
  if ((at->getType() != P::LT && at->getType() != P::LANGLE) || i < 2 || stream->get(i - 1)->getType() != P::WORD) return false;
  size_t before = stream->get(i - 2)->getType();
  if (before != P::ARROW && before != P::FAT_ARROW && before != P::KW_INTO && before != P::KW_TO && before != P::COLON)
    return false;
  Token *word = stream->get(i - 1);
  static constexpr std::string_view kTypes[] = {"tile", "vector", "memref", "joint_matrix", "tensor_desc"};
  Diagnostic &unknown = report(DiagCode::UnknownType, range(word), str("unknown type ", found(word)));
  if (std::string_view best = closestName(text(word), kTypes); !best.empty())
    unknown.note(str("did you mean `", best, "`?")).fix(str("replace by `", best, "`"), range(word), std::string(best));
  return true;
}

// Shows how a statement about ranks is written, if the error is in one.
void ErrorStrategy::noteExample(antlr4::CommonTokenStream *stream, Token *at, size_t errors) {
  size_t first = at->getTokenIndex();
  auto type = [&](size_t i) { return stream->get(i)->getType(); };
  while (first > 0 && type(first - 1) != P::NL && type(first - 1) != P::LBLOCK && type(first - 1) != P::RBLOCK) --first;
  if (type(first) < P::HOST_MESH || type(first) > P::HOST_WAIT) return;
  bool started = type(first) == P::HOST_START && type(first + 1) == P::HOST_COMMUNICATION;
  std::string_view word = text(stream->get(started ? first + 1 : first)), before = started ? "start " : "";
  const CommunicationInfo *info = findCommunication(word);
  std::string note = str("for example `", before, findRankWord(word)->example, "`");
  if (info && text(at) == "start")
    note = str("`start` comes first: `start ", info->example, "`");
  else if (info)
    note = str("written as `", before, word, " %X", info->into == CommunicationInfo::Into::Never ? "" : " -> %Y",
               info->named.empty() ? "" : str(" (", info->named, ")"), "`, ", note);
  diagnostics_.noteErrorAfter(errors, std::move(note));
}

void ErrorStrategy::emit(Parser *parser, Token *at, const Expected &expected) {
  if (alreadyReported(parser, at)) return;
  size_t errors = diagnostics_.errorCount();
  reportUnexpected(parser, at, expected);
  if (diagnostics_.errorCount() > errors)
    noteExample(static_cast<antlr4::CommonTokenStream *>(parser->getTokenStream()), at, errors);
}

void ErrorStrategy::reportUnexpected(Parser *parser, Token *at, const Expected &expectedSet) {
  auto *stream = static_cast<antlr4::CommonTokenStream *>(parser->getTokenStream());
  Token *last = at->getTokenIndex() > 0 ? stream->get(at->getTokenIndex() - 1) : nullptr;
  if (last && last->getType() == P::NL) last = nullptr;
  if (reportCompound(parser, at) || reportPower(at, last) || reportForIn(parser) ||
      reportMissing(stream, last, at, expectedSet))
    return;

  Types expected = typesOf(expectedSet);
  size_t type = at->getType();
  // If something is missing at the end of a line, report it after the last token.
  bool atEnd = last && (type == P::NL || type == Token::EOF || type == P::RBLOCK || range(at).begin == range(at).end);
  SourceRange where = atEnd ? after(last) : range(at);
  auto wanted = [&](const std::string &what) {
    return atEnd ? str("expected ", what, " after ", found(last)) : str("expected ", what, ", found ", found(at));
  };

  if (reportBrokenArrow(stream, at) || reportUnknownType(stream, at)) return;
  Token *op = isBinaryOperator(type) && !expectsOperator(expected) ? opOf(parser, at) : nullptr;
  const size_t rule = parser->getContext()->getRuleIndex();
  if (op) {
    reportLargeOperand(parser, op, at, where);
  } else if (type == P::EQ && (expectsOperator(expected) || rule == P::RuleIfElse || rule == P::RuleWhileLoop)) {
    report(DiagCode::SyntaxError, where, "unexpected `=`: values are compared with `==`").fix("replace with `==`", where, "==");
  } else if (expectsOperand(expected)) {
    report(DiagCode::MissingOperand, where, wanted(operandName(expected)));
  } else if (expectsType(expected)) {
    report(DiagCode::MissingType, where, wanted("a type"));
  } else if (expected.count(P::NL)) {
    reportAfterStatement(last, at, where);
  } else {
    std::string what = describe(parser, expected);
    auto &unexpected = report(DiagCode::SyntaxError, where, what.empty() ? str("unexpected ", found(at)) : wanted(what));
    if (rule == P::RuleShapedType && (isBinaryOperator(type) || type == P::LPAREN))
      unexpected.note("an extent that is an expression is written in brackets, as in `[$M / 2] x 16 x f32`");
    if ((type == P::LT || type == P::LANGLE) && last && last->getType() == P::ATTR)
      unexpected.note(str("a layout is passed by its name: declare `#l = ", text(last), "<…>`"));
  }
}

} // namespace xt
