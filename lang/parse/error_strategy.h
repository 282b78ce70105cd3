// What the parser does about a mistake: say it once, in the language's own terms, and go on with the rest.
//  - Small slips are mended in the token stream (a missing comma, '=' or ':', a misspelt keyword), so that the
//  statement
//    is read to its end.
//  - Otherwise the statement is given up: the exception climbs to the rule of the statement or item, and the parser
//  goes
//    on at the statement's NL. Brackets and blocks balance already (shape_tokens.h), so that place is certain. A broken
//    header of a kernel, loop or branch still gets its block read.
//  - A statement is reported once, also over the stages: where shaping has reported a mistake, the parser keeps quiet.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_stream.h"

#include "XtParser.h"

#include <string>
#include <vector>

namespace xt {

// Each insertion renumbers the rest of the tokens: after this many, broken statements are given up instead.
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

  // Each mends the stream, reports, and returns true; or does nothing.
  bool insertComma(antlr4::Parser *parser, const Expected &next);
  bool mendKeyword(antlr4::Parser *parser, const Expected &expected);
  bool mendSigil(antlr4::Parser *parser, const Expected &expected);

  void skipToLineEnd(antlr4::Parser *parser);
  bool resumeAtBlock(antlr4::Parser *parser);
  // Reports that `at` stands where one of `expected` should, by the name that the mistake has (error_messages.cc).
  void emit(antlr4::Parser *parser, antlr4::Token *at, const Expected &expected);
  bool reportBrokenArrow(antlr4::CommonTokenStream *stream, antlr4::Token *at);
  bool reportUnknownType(antlr4::CommonTokenStream *stream, antlr4::Token *at);
  bool reportMissing(antlr4::Token *last, antlr4::Token *at, const Expected &expected);
  void reportAfterStatement(antlr4::Token *last, antlr4::Token *at, SourceRange where);
  // What other languages write, and what this one writes for it (other_languages.cc).
  bool reportCompound(antlr4::Parser *parser, antlr4::Token *at);
  bool reportForIn(antlr4::Parser *parser);
  std::string countedRange(antlr4::CommonTokenStream *stream, size_t i, antlr4::Token *&last) const;
  void reportCallOperand(antlr4::Parser *parser, antlr4::Token *at);
  static bool isForeign(antlr4::Parser *parser, antlr4::Token *at); // one of the two above, at a word
  void reportLargeOperand(antlr4::Parser *parser, antlr4::Token *op, antlr4::Token *at, SourceRange where);
  static antlr4::Token *opOf(antlr4::Parser *parser, antlr4::Token *at); // the op whose operands `at` stands among
  bool alreadyReported(antlr4::Parser *parser, antlr4::Token *at);
  Diagnostic &report(DiagCode code, SourceRange where, std::string message);

  SourceRange range(antlr4::Token *token) const;
  SourceRange after(antlr4::Token *token) const { return range(token).endPoint(); }
  std::string_view text(antlr4::Token *token) const;
  std::string found(antlr4::Token *token) const;
  std::string_view closestKeyword(antlr4::Parser *parser, antlr4::Token *at, const Expected &expected,
                                  size_t *type) const;

  std::string_view text_;
  uint32_t file_;
  std::vector<uint32_t> reported_; // ascending
  std::vector<uint32_t> items_;    // likewise
  Diagnostics &diagnostics_;
  size_t statement_ = INVALID_INDEX; // the token that began the last statement reported
  size_t mends_ = 0;
};

} // namespace xt
