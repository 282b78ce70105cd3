// The state of shaping one item, as shape_tokens.h describes it. The parts of the shaping are functions over this state:
// item_heads.h, item_brackets.h, item_blocks.h and item_mistakes.h; item_shaper.h calls them for each token.
#pragma once
#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_scan.h"

#include <optional>
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

// The kind of a statement or an item, which its first tokens determine.
enum class StatementHead : uint8_t {
  None,
  Kernel,
  Test,
  HostFunction,
  Alias,
  Item,
  Loop,
  Branch,
  Label,
  Op,
  Host,
  Results,
  Expression
};

struct OpenBracket {
  enum class Kind : uint8_t { Paren, Bracket, Angle, Attr, Block } kind;
  SyntaxToken token;
  size_t opener = 0;        // type of the token before the bracket
  bool attrContext = false; // holds attribute values: `name<` opens a mapping and is no comparison
  bool holdsOp = false;     // holds an op with its signature, which is an error: its colon and arrow close no bracket
  // Only for blocks:
  StatementHead owner = StatementHead::None;
  bool host = false; // the block of a test or of a function of tests
  uint32_t indent = 0;
  std::optional<uint32_t> bodyIndent = std::nullopt;
};

// The current statement.
struct ShapedStatement {
  StatementHead head = StatementHead::None;
  size_t length = 0; // number of tokens so far
  bool expectsBlock = false;
  bool reported = false;    // at most one message per statement: later errors may follow from the first
  bool onlyResults = false; // only names of results so far: %a, %b
  uint32_t indent = 0;
  size_t operators = 0, prefixes = 0, elseIfs = 0;

  // Marks the statement as one with a block, which is still to come.
  void startBlockOwner(StatementHead owner) {
    head = owner;
    expectsBlock = true;
  }
};

struct ItemState {
  // The item consists of tokens [first, behind) of the scan.
  ItemState(const TokenScan &tokens, size_t first, size_t behind, uint32_t fileIndex, BraceMode braces)
      : scan(tokens), begin(first), end(behind), file(fileIndex), mode(braces) {}

  bool inBracket() const { return !stack.empty() && stack.back().kind != OpenBracket::Kind::Block; }
  bool inHostBlock() const;
  size_t bracketsBase() const; // index after the innermost block
  bool attrContext() const;
  // Whether the item is nested no deeper than it may be; otherwise reports an error at token i and abandons the item.
  bool checkDepth(size_t i);

  void emit(size_t type, uint32_t from, uint32_t to, const SyntaxToken &at);
  void emit(const SyntaxToken &token, size_t type) { emit(type, token.begin, token.end, token); }
  SourceRange range(size_t i) const { return {file, scan.at(i).begin, scan.at(i).end}; }
  SourceRange afterLast() const { return {file, last.end, last.end}; }
  std::string quoted(size_t i) const; // token i in a message
  Diagnostic &report(DiagCode code, SourceRange where, std::string message);

  const TokenScan &scan;
  size_t begin, end;
  uint32_t file;
  BraceMode mode;
  ShapedItem result;
  std::vector<OpenBracket> stack;
  SyntaxToken last;      // the last token emitted, other than NL
  size_t beforeLast = 0; // the type of the token before `last`
  ShapedStatement stmt;
  uint32_t lineIndent = 0;
  size_t skip = 0;         // index of a token that is taken as the name of a value
  size_t dropped = 0;      // index of a token that is left out
  size_t denseEnd = 0;     // index of the bracket that closes `dense<`
  bool itemClosed = false; // the item's own block has ended
  bool abandoned = false;
};

} // namespace xt
