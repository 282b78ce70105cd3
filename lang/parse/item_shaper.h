// Shapes the tokens of one item, as shape_tokens.h describes.
#pragma once
#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_scan.h"

#include <optional>
#include <span>
#include <string>

namespace xt {

// How braces are matched. Plain counts them. If the counts differ, another pass uses the indentation to locate the missing
// or superfluous brace, which counting would only detect at the end of the item.
enum class BraceMode : uint8_t { Plain, FindMissing, FindSuperfluous };

struct ShapedItem {
  std::vector<SyntaxToken> tokens;
  std::vector<Diagnostic> diagnostics;
  bool missingBraces = false, superfluousBraces = false;
};

// Whether a token type is a binary operator: arithmetic, mod, and, or, comparisons.
bool isBinaryOperator(size_t type);

class ItemShaper {
public:
  // Tokens [begin, end) of the scan.
  ItemShaper(const TokenScan &scan, size_t begin, size_t end, uint32_t file, BraceMode mode)
      : scan_(scan), begin_(begin), end_(end), file_(file), mode_(mode) {}
  ShapedItem run();

private:
  enum class Head : uint8_t { None, Kernel, Test, Alias, Item, Loop, Branch, Label, Op, Host, Results, Expression };
  struct Open {
    enum class Kind : uint8_t { Paren, Bracket, Angle, Attr, Block } kind;
    SyntaxToken token;
    size_t opener = 0;        // type of the token before the bracket
    bool attrContext = false; // holds attribute values: `name<` opens a mapping and is no comparison
    bool holdsOp = false;     // holds an op with its signature, which is an error: its colon and arrow close no bracket
    // Only for blocks:
    Head owner = Head::None;
    bool host = false; // the block of a test
    uint32_t indent = 0;
    std::optional<uint32_t> bodyIndent = std::nullopt;
  };

  bool takeDense(size_t i);
  bool takeOpWord(size_t i);
  bool step(size_t i); // false: the rest of the item is skipped
  // Line ends and statements (item_shaper.cc).
  void lineBreak(size_t i);
  bool endsStatement(size_t i, bool strong) const;
  bool startStatement(size_t i);
  void startItem(size_t i);
  bool startHostStatement(size_t i);
  void startKernelStatement(size_t i);
  void startRightHandSide(size_t i);
  void endStatement(const SyntaxToken *next);
  // Words and characters (item_mistakes.cc).
  void takeWordAs(size_t i, size_t type, std::string_view meant, bool misspelt = true);
  bool tryMisspelt(size_t i, std::span<const std::string_view> candidates, std::span<const size_t> types);
  void notHere(size_t i, std::string_view why);
  bool takeUntypedName(size_t i);
  void gluedName(size_t i);
  void missingAngle(size_t i);
  bool takeKeyColon(size_t i);
  void misplacedOp(size_t i, std::string_view where);
  bool opInParens(size_t i);
  bool opInExpression(size_t i);
  void stray(size_t i);
  bool inList(size_t i) const;
  // Brackets (item_brackets.cc).
  bool bracket(size_t i);
  void operatorToken(const SyntaxToken &token);
  void open(Open::Kind kind, size_t type, size_t i);
  void openBrace(size_t i);
  void openBlock(const SyntaxToken &brace, bool written);
  void close(Open::Kind kind, size_t type, size_t i);
  void closeBrace(size_t i);
  void closeBlock(const SyntaxToken *brace);
  bool opensAngle() const;
  bool opensExtent() const;
  bool closesAngle(size_t i) const;
  void healBefore(size_t i); // closes unclosed brackets that token i cannot be inside of
  void closeBrackets(size_t keep, const std::string &before);
  void closeBlocksByIndent(size_t i);
  bool superfluousByIndent(size_t i) const;
  void unclosedBlock(const Open &block, const std::string &before);
  void finish();

  bool inBracket() const { return !stack_.empty() && stack_.back().kind != Open::Kind::Block; }
  bool inHostBlock() const;
  const Open *block() const;   // the innermost block, or null
  size_t bracketsBase() const; // index after the innermost block
  bool attrContext() const;
  bool checkDepth(size_t i);
  void emit(size_t type, uint32_t begin, uint32_t end, const SyntaxToken &at);
  void emit(const SyntaxToken &token, size_t type) { emit(type, token.begin, token.end, token); }
  SourceRange range(size_t i) const { return {file_, scan_.at(i).begin, scan_.at(i).end}; }
  SourceRange afterLast() const { return {file_, last_.end, last_.end}; }
  std::string quoted(size_t i) const;
  Diagnostic &report(DiagCode code, SourceRange range, std::string message);

  const TokenScan &scan_;
  size_t begin_, end_;
  uint32_t file_;
  BraceMode mode_;
  ShapedItem result_;
  std::vector<Open> stack_;
  SyntaxToken last_;      // the last token emitted, other than NL
  size_t beforeLast_ = 0; // the type of the token before last_
  // State of the current statement.
  Head head_ = Head::None;
  size_t length_ = 0; // number of tokens so far
  bool expectsBlock_ = false;
  bool statementReported_ = false; // at most one message per statement: later errors may follow from the first
  bool onlyResults_ = false;       // only names of results so far: %a, %b
  uint32_t indent_ = 0;
  size_t operators_ = 0, prefixes_ = 0, elseIfs_ = 0;
  uint32_t lineIndent_ = 0;
  size_t skip_ = 0;         // index of a token that is taken as the name of a value
  size_t dropped_ = 0;      // index of a token that is left out
  size_t denseEnd_ = 0;     // index of the bracket that closes `dense<`
  bool itemClosed_ = false; // the item's own block has ended
  bool abandoned_ = false;
};

} // namespace xt
