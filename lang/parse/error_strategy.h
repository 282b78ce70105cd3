// The parser's error recovery: reports each syntax error once, in terms of the language, and continues with the rest.
//  - Repairs small errors in the token stream (a missing comma, '=' or ':', a misspelt keyword), so that the statement is
//    parsed to its end.
//  - Otherwise abandons the statement: the exception propagates to the rule of the statement or item, and the parser
//    continues at the statement's NL. Brackets and blocks balance already (shape_tokens.h), so that NL is found reliably.
//    After an invalid header of a kernel, loop or branch, the block is still parsed.
//  - Reports at most one error per statement over all stages: the parser reports none if shaping has reported one.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_stream.h"

#include "XtParser.h"

#include <string>
#include <vector>

namespace xt {

// Maximum number of repairs. Each insertion renumbers the rest of the tokens; beyond this many, statements with errors are
// abandoned instead.
inline constexpr size_t kMostMends = 500;

class ErrorStrategy : public antlr4::DefaultErrorStrategy {
public:
  ErrorStrategy(const SourceFile &source, uint32_t file, const ShapedTokens &shaped, Diagnostics &diagnostics);
  void reportError(antlr4::Parser *parser, const antlr4::RecognitionException &e) override;
  void recover(antlr4::Parser *parser, std::exception_ptr e) override;
  void sync(antlr4::Parser *parser) override;
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;

private:
  using P = xtg::XtParser;
  using Expected = antlr4::misc::IntervalSet;

  // Each of these repairs the stream, reports the error and returns true, or returns false without repairing anything.
  bool insertComma(antlr4::Parser *parser, const Expected &next);
  bool mendKeyword(antlr4::Parser *parser, const Expected &expected);
  bool mendOperator(antlr4::Parser *parser, const Expected &expected);
  bool mendSigil(antlr4::Parser *parser, const Expected &expected);

  void skipToLineEnd(antlr4::Parser *parser);
  bool resumeAtBlock(antlr4::Parser *parser);
  // Reports that `at` was found instead of one of `expected`, with the most specific message (error_messages.cc).
  void emit(antlr4::Parser *parser, antlr4::Token *at, const Expected &expected);
  void reportUnexpected(antlr4::Parser *parser, antlr4::Token *at, const Expected &expected);
  void noteExample(antlr4::CommonTokenStream *stream, antlr4::Token *at, size_t errors);
  bool reportBrokenArrow(antlr4::CommonTokenStream *stream, antlr4::Token *at);
  bool reportUnknownType(antlr4::CommonTokenStream *stream, antlr4::Token *at);
  bool reportMissing(antlr4::CommonTokenStream *stream, antlr4::Token *last, antlr4::Token *at, const Expected &expected);
  void reportMissingTo(antlr4::CommonTokenStream *stream, antlr4::Token *last, antlr4::Token *at);
  void reportAfterStatement(antlr4::Token *last, antlr4::Token *at, SourceRange where);
  // These recognise syntax of other languages and report the equivalent in this one (other_languages.cc).
  bool reportCompound(antlr4::Parser *parser, antlr4::Token *at);
  bool reportForIn(antlr4::Parser *parser);
  bool reportPower(antlr4::Token *at, antlr4::Token *last);
  bool reportFunctionForKind(antlr4::Parser *parser, antlr4::Token *function);
  void reportTypeOperand(antlr4::Parser *parser, antlr4::Token *at);
  // Says what to write instead of `a ? b : c`, `elif`, `%x.to(f16)` and the like.
  void noteForeignSyntax(Diagnostic &unexpected, antlr4::Token *last, antlr4::Token *at) const;
  std::string countedRange(antlr4::CommonTokenStream *stream, size_t i, antlr4::Token *&last) const;
  void reportCallOperand(antlr4::Parser *parser, antlr4::Token *at);
  static bool isForeign(antlr4::Parser *parser, antlr4::Token *at); // reportForIn() or reportCallOperand() applies to `at`
  void reportLargeOperand(antlr4::Parser *parser, antlr4::Token *op, antlr4::Token *at, SourceRange where);
  static antlr4::Token *opOf(antlr4::Parser *parser, antlr4::Token *at); // the op that has `at` among its operands
  bool alreadyReported(antlr4::Parser *parser, antlr4::Token *at);
  Diagnostic &report(DiagCode code, SourceRange where, std::string message);

  SourceRange range(antlr4::Token *token) const;
  SourceRange after(antlr4::Token *token) const { return range(token).endPoint(); }
  std::string_view text(antlr4::Token *token) const;
  std::string found(antlr4::Token *token) const;
  std::string_view closestKeyword(antlr4::Parser *parser, antlr4::Token *at, const Expected &expected, size_t *type) const;

  std::string_view text_;
  uint32_t file_;
  std::vector<uint32_t> reported_; // offsets of errors reported by shaping, ascending
  std::vector<uint32_t> items_;    // offsets of items, ascending
  Diagnostics &diagnostics_;
  size_t statement_ = INVALID_INDEX; // index of the first token of the last statement with a reported error
  size_t mends_ = 0;
};

} // namespace xt
