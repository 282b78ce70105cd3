#include "lang/parse/error_strategy.h"

#include "ir/base/text.h"
#include "ir/elem.h"
#include "lang/parse/foreign_names.h"

#include <algorithm>

namespace xt {

using antlr4::Parser;
using antlr4::Token;
using P = xtg::XtParser;

namespace {

bool isWord(size_t type) { return type == P::WORD || (type >= P::KW_GRID && type <= P::KW_TENSOR_DESC); }
bool isNumber(size_t type) { return type == P::INT || type == P::HEX || type == P::FLOAT; }
bool startsShapedType(size_t type) { return type >= P::KW_TILE && type <= P::KW_TENSOR_DESC; }

// Whether a token of this type, inside the list that the rule parses, can only be the start of another element.
bool startsElement(size_t rule, size_t type) {
  bool operand = type == P::VALUE || type == P::SIZE || isNumber(type);
  switch (rule) {
  case P::RuleParams:
  case P::RuleHeader:
  case P::RuleIterArgs:
  case P::RuleResults:
  case P::RuleDimsOperands: return type == P::VALUE;
  case P::RuleOperands:
  case P::RuleValues: return operand;
  case P::RuleOp: return operand || type == P::LBRACK || type == P::TEXT;
  case P::RuleCall:
  case P::RuleHostStmt:
  case P::RuleHostArgs:
  case P::RuleList:
  case P::RuleIndex:
  case P::RuleLaunchGrid: return operand || type == P::TEXT || type == P::WORD;
  case P::RuleAttrGroup:
  case P::RuleEntries:
  case P::RuleShapedType: return isWord(type) || type == P::ATTR || isNumber(type) || type == P::KW_AFFINE_MAP;
  case P::RuleAttrValue: return operand;
  case P::RuleTypeList: return startsShapedType(type) || type == P::TYPE || type == P::WORD;
  case P::RuleTolerance:
  case P::RuleSizes: return type == P::WORD;
  default: return false;
  }
}

// Whether the next token is the value of the preceding key, as in `{padding 1.0}`, and not another element.
bool followsKey(Parser *parser) {
  size_t rule = parser->getContext()->getRuleIndex();
  if (rule != P::RuleAttrGroup && rule != P::RuleEntries && rule != P::RuleShapedType) return false;
  antlr4::TokenStream *stream = parser->getTokenStream();
  if (!isWord(stream->LA(-1))) return false;
  size_t before = stream->LA(-2), at = stream->LA(1);
  bool first = before == P::LBRACE || before == P::LANGLE || before == P::COMMA;
  return first && (isNumber(at) || at == P::MINUS || at == P::LBRACK || at == P::TEXT);
}

} // namespace

ErrorStrategy::ErrorStrategy(const SourceFile &source, uint32_t file, const ShapedTokens &shaped, Diagnostics &diagnostics)
    : text_(source.text()), file_(file), reported_(shaped.reported), items_(shaped.items), diagnostics_(diagnostics) {
  std::sort(reported_.begin(), reported_.end());
}

SourceRange ErrorStrategy::range(Token *token) const {
  return {file_, static_cast<uint32_t>(token->getStartIndex()), static_cast<uint32_t>(token->getStopIndex() + 1)};
}
std::string_view ErrorStrategy::text(Token *token) const {
  SourceRange r = range(token);
  return text_.substr(r.begin, r.end - r.begin);
}
Diagnostic &ErrorStrategy::report(DiagCode code, SourceRange where, std::string message) {
  return diagnostics_.report(code, where, std::move(message));
}

// ---- one report per statement ----

bool ErrorStrategy::alreadyReported(Parser *parser, Token *at) {
  auto *stream = static_cast<antlr4::CommonTokenStream *>(parser->getTokenStream());
  auto isBoundary = [](size_t t) { return t == P::NL || t == P::LBLOCK || t == P::RBLOCK; };
  size_t first = at->getTokenIndex();
  while (first > 0 && !isBoundary(stream->get(first - 1)->getType())) --first;
  size_t last = at->getTokenIndex();
  while (stream->get(last)->getType() != Token::EOF && !isBoundary(stream->get(last)->getType())) ++last;
  if (statement_ == first) return true;
  statement_ = first;
  uint32_t begin = first ? range(stream->get(first - 1)).end : 0;
  // Ignore errors of the preceding item.
  auto item = std::upper_bound(items_.begin(), items_.end(), range(stream->get(first)).begin);
  if (item != items_.begin()) begin = std::max(begin, *(item - 1));
  uint32_t end = range(stream->get(last)).end;
  auto it = std::lower_bound(reported_.begin(), reported_.end(), begin);
  return it != reported_.end() && *it <= end;
}

// ---- repairs ----

bool ErrorStrategy::insertComma(Parser *parser, const Expected &next) {
  Token *at = parser->getTokenStream()->LT(1), *last = parser->getTokenStream()->LT(-1);
  if (!last || !next.contains(static_cast<size_t>(P::COMMA)) || mends_ >= kMostMends) return false;
  size_t rule = parser->getContext()->getRuleIndex();
  if (!startsElement(rule, at->getType()) && !followsKey(parser)) return false;
  switch (last->getType()) {
  case P::COMMA:
  case P::LPAREN:
  case P::LBRACK:
  case P::LBRACE:
  case P::LANGLE:
  case P::NL: return false;
  default: break;
  }
  if (!alreadyReported(parser, at) && !reportFunctionForKind(parser, last)) {
    if (followsKey(parser))
      report(DiagCode::MissingEquals, after(last), str("missing `=` between ", found(last), " and ", found(at)))
          .fix("insert `=`", after(last), " =");
    else
      report(DiagCode::MissingComma, after(last), str("missing `,` before ", found(at))).fix("insert `,`", after(last), ",");
  }
  static_cast<RepairTokenStream *>(parser->getTokenStream())->insertHere(P::COMMA);
  ++mends_;
  return true;
}

std::string_view ErrorStrategy::closestKeyword(Parser *parser, Token *at, const Expected &expected, size_t *type) const {
  if (at->getType() != P::WORD || expected.contains(static_cast<size_t>(P::WORD))) return {};
  if (parser->getTokenStream()->LA(2) == P::EQ) return {}; // the word is a key
  std::vector<std::string> spelled;
  std::vector<size_t> types;
  for (ssize_t t : expected.toList()) {
    if (t < static_cast<ssize_t>(P::KW_KERNEL) || t > static_cast<ssize_t>(P::KW_AFFINE_MAP)) continue;
    std::string literal = parser->getVocabulary().getLiteralName(static_cast<size_t>(t)); // in quotes, such as 'to'
    if (literal.size() < 3) continue;
    spelled.push_back(literal.substr(1, literal.size() - 2));
    types.push_back(static_cast<size_t>(t));
  }
  std::vector<std::string_view> candidates(spelled.begin(), spelled.end());
  std::string_view best = closestName(text(at), candidates);
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i] == best && !best.empty()) {
      *type = types[i];
      // The result must outlive this call, and the vocabulary only has the literal with quotes.
      static thread_local std::string kept;
      kept = spelled[i];
      return kept;
    }
  return {};
}

bool ErrorStrategy::mendKeyword(Parser *parser, const Expected &expected) {
  Token *at = parser->getTokenStream()->LT(1);
  size_t type = 0;
  std::string meant(closestKeyword(parser, at, expected, &type));
  if (meant.empty()) return false;
  if (!alreadyReported(parser, at)) {
    Diagnostic &misspelt =
        report(DiagCode::MisspeltKeyword, range(at), str(found(at), " is not a keyword; did you mean `", meant, "`?"));
    if (std::string_view note = text(at) == "elif" ? noteOnForeignName("elif") : ""; !note.empty())
      misspelt.note(std::string(note));
    else
      misspelt.fix(str("replace with `", meant, "`"), range(at), meant);
  }
  static_cast<RepairTokenStream *>(parser->getTokenStream())->retype(at, type);
  return true;
}

// Treats a word as the operator that it names in other languages, as in `%i xor 3`.
bool ErrorStrategy::mendOperator(Parser *parser, const Expected &expected) {
  struct Row {
    std::string_view word, spelled;
    size_t type;
  };
  static constexpr Row kRows[] = {
      {"xor", "^", P::CARET}, {"shl", "<<", P::SHL}, {"shr", ">>", P::SHR}, {"rem", "mod", P::KW_MOD}, {"div", "/", P::SLASH}};
  Token *at = parser->getTokenStream()->LT(1);
  const Row *row = std::ranges::find(kRows, text(at), &Row::word);
  if (at->getType() != P::WORD || row == std::end(kRows) || !expected.contains(row->type)) return false;
  if (!alreadyReported(parser, at))
    report(DiagCode::MisspeltKeyword, range(at), str(found(at), " is not an operator; did you mean `", row->spelled, "`?"))
        .fix(str("replace with `", row->spelled, "`"), range(at), std::string(row->spelled));
  static_cast<RepairTokenStream *>(parser->getTokenStream())->retype(at, row->type);
  return true;
}

// Treats a word as a name without its sigil, if a name with a sigil is expected here.
bool ErrorStrategy::mendSigil(Parser *parser, const Expected &expected) {
  Token *at = parser->getTokenStream()->LT(1);
  if (!isWord(at->getType()) || expected.contains(static_cast<size_t>(P::WORD))) return false;
  if (parser->getTokenStream()->LA(2) == P::VALUE) return false; // two names in a row are another error
  if (expected.contains(static_cast<size_t>(P::VALUE)) && isForeign(parser, at)) {
    if (!alreadyReported(parser, at) && !reportForIn(parser)) reportCallOperand(parser, at);
    return false;
  }
  if (expected.contains(static_cast<size_t>(P::VALUE)) && opOf(parser, at) && elemFromName(text(at))) {
    if (!alreadyReported(parser, at)) reportTypeOperand(parser, at);
    return false;
  }
  struct Row {
    size_t type;
    std::string_view sigil, what;
  };
  static constexpr Row kRows[] = {
      {P::VALUE, "%", "a value"}, {P::SYMBOL, "@", "a kernel or function"}, {P::SIZE, "$", "a parameter"}};
  for (const Row &row : kRows) {
    if (!expected.contains(row.type)) continue;
    size_t next = parser->getTokenStream()->LA(2);
    Token *before = parser->getTokenStream()->LT(-1);
    // In `init_tile %A[0, 0], tile<…>` a comma is written instead of an arrow.
    if (at->getType() >= P::KW_TILE && at->getType() <= P::KW_TENSOR_DESC && (next == P::LANGLE || next == P::LT) && before &&
        before->getType() == P::COMMA) {
      if (!alreadyReported(parser, at))
        report(DiagCode::SyntaxError, range(before), str("expected `->` before the type of a result, found `,`"))
            .fix("replace with `->`", range(before), " ->");
      return false;
    }
    if (!alreadyReported(parser, at)) {
      Diagnostic &missing =
          report(DiagCode::MissingSigil, range(at), str("the name of ", row.what, " starts with `", row.sigil, "`"));
      // Offer no fix for `tile<…>`, which is a type in the wrong place.
      if (next != P::LANGLE && next != P::LT)
        missing.fix(str("insert `", row.sigil, "`"), range(at).startPoint(), std::string(row.sigil));
    }
    static_cast<RepairTokenStream *>(parser->getTokenStream())->retype(at, row.type);
    return true;
  }
  return false;
}

void ErrorStrategy::sync(Parser *parser) {
  size_t rule = parser->getContext()->getRuleIndex();
  for (;;) {
    Token *at = parser->getTokenStream()->LT(1);
    antlr4::atn::ATNState *state = parser->getATN().states[parser->getState()];
    const Expected &next = parser->getATN().nextTokens(state);
    if (next.contains(at->getType())) return;
    if (insertComma(parser, next)) return;
    bool mayEnd = next.contains(Token::EPSILON);
    if (at->getType() == P::WORD) {
      Expected expected = parser->getExpectedTokens();
      if (mendOperator(parser, expected) || mendKeyword(parser, expected)) continue;
    }
    if (isWord(at->getType()) && mendSigil(parser, next)) continue;
    if (mayEnd) return;
    if (rule == P::RuleBlock || rule == P::RuleHostBlock || rule == P::RuleFile) {
      // Between statements: skip the invalid one.
      emit(parser, at, next);
      skipToLineEnd(parser);
      if (parser->getTokenStream()->LA(1) == P::NL) parser->consume();
      endErrorCondition(parser);
      size_t type = parser->getTokenStream()->LA(1);
      if (type == Token::EOF || type == P::RBLOCK) return;
      continue;
    }
    throw antlr4::InputMismatchException(parser);
  }
}

Token *ErrorStrategy::recoverInline(Parser *parser) {
  Token *at = parser->getTokenStream()->LT(1);
  Expected expected = getExpectedTokens(parser);
  auto *stream = static_cast<RepairTokenStream *>(parser->getTokenStream());
  auto takeInserted = [&](size_t type) {
    stream->insertHere(type);
    Token *inserted = stream->LT(1);
    parser->consume();
    return inserted;
  };
  if (mendKeyword(parser, expected)) {
    parser->consume();
    return at;
  }
  if (expected.contains(static_cast<size_t>(P::NL))) {
    // The next token belongs to the preceding statement or item, so mark that as not parsed to its end.
    antlr4::ParserRuleContext *ctx = parser->getContext();
    for (size_t k = ctx->children.size(); k-- > 0;)
      if (auto *before = dynamic_cast<antlr4::ParserRuleContext *>(ctx->children[k])) {
        before->exception = std::make_exception_ptr(antlr4::InputMismatchException(parser));
        break;
      }
    emit(parser, at, expected);
    skipToLineEnd(parser);
    if (stream->LA(1) != P::NL) return takeInserted(P::NL);
    at = stream->LT(1);
    parser->consume();
    endErrorCondition(parser);
    return at;
  }
  if (mendSigil(parser, expected)) {
    parser->consume();
    return at;
  }
  for (size_t type : {P::EQ, P::COLON, P::KW_TO, P::X}) {
    if (expected.size() != 1 || !expected.contains(type) || mends_ >= kMostMends) continue;
    antlr4::atn::ATNState *state = parser->getATN().states[parser->getState()];
    const Expected &afterwards = parser->getATN().nextTokens(state->transitions[0]->target);
    if (!afterwards.contains(at->getType())) continue;
    emit(parser, at, expected);
    ++mends_;
    return takeInserted(type);
  }
  throw antlr4::InputMismatchException(parser);
}

// ---- abandoning a statement ----

void ErrorStrategy::skipToLineEnd(Parser *parser) {
  auto *stream = parser->getTokenStream();
  for (size_t depth = 0;;) {
    size_t type = stream->LA(1);
    if (type == Token::EOF) return;
    if (depth == 0 && (type == P::NL || type == P::RBLOCK)) return;
    if (type == P::LBLOCK) ++depth;
    if (type == P::RBLOCK) --depth;
    parser->consume();
  }
}

// Parses the block of a statement whose header is invalid, and an `else` after it.
bool ErrorStrategy::resumeAtBlock(Parser *parser) {
  auto *stream = parser->getTokenStream();
  size_t rule = parser->getContext()->getRuleIndex();
  auto *p = static_cast<P *>(parser);
  // Enters the state from which the rule of the block is called, because it determines the block's follow set.
  auto enter = [&](size_t callee) {
    for (antlr4::atn::ATNState *state : parser->getATN().states) {
      if (!state || state->ruleIndex != rule || state->transitions.size() != 1) continue;
      antlr4::atn::Transition *edge = state->transitions[0];
      if (edge->getSerializationType() != antlr4::atn::Transition::RULE || edge->target->ruleIndex != callee) continue;
      parser->setState(state->stateNumber);
      endErrorCondition(parser);
      return true;
    }
    return false;
  };
  while (stream->LA(1) != P::LBLOCK && stream->LA(1) != P::NL && stream->LA(1) != P::RBLOCK && stream->LA(1) != Token::EOF)
    parser->consume();
  if (stream->LA(1) != P::LBLOCK) return false;
  bool host = dynamic_cast<P::TestItemContext *>(parser->getContext()) ||
              dynamic_cast<P::HostFunctionItemContext *>(parser->getContext());
  if (!enter(host ? P::RuleHostBlock : P::RuleBlock)) return false;
  if (host)
    p->hostBlock();
  else
    p->block();
  if (rule == P::RuleIfElse && stream->LA(1) == P::KW_ELSE && enter(P::RuleOrElse)) p->orElse();
  return true;
}

void ErrorStrategy::recover(Parser *parser, std::exception_ptr e) {
  auto *ctx = parser->getContext();
  switch (ctx->getRuleIndex()) {
  case P::RuleForLoop:
  case P::RuleWhileLoop:
  case P::RuleIfElse:
    if (ctx->getRuleContexts<P::BlockContext>().empty() && resumeAtBlock(parser)) return;
    break;
  case P::RuleItem: {
    bool hasBlock = !ctx->getRuleContexts<P::BlockContext>().empty() || !ctx->getRuleContexts<P::HostBlockContext>().empty();
    bool wantsBlock = dynamic_cast<P::KernelItemContext *>(ctx) || dynamic_cast<P::TestItemContext *>(ctx) ||
                      dynamic_cast<P::HostFunctionItemContext *>(ctx);
    if (wantsBlock && !hasBlock) resumeAtBlock(parser);
    [[fallthrough]];
  }
  case P::RuleStmt:
  case P::RuleHostStmt:
  case P::RuleLine:
  case P::RuleHostLine:
  case P::RuleBlock:
  case P::RuleHostBlock:
  case P::RuleFile:
    skipToLineEnd(parser);
    endErrorCondition(parser);
    return;
  default: break;
  }
  std::rethrow_exception(e);
}

} // namespace xt
