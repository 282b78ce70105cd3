// The parts of a text that syntax errors removed from its parse tree.
#pragma once
#include "lang/parse/tree_text.h"

#include <unordered_set>

namespace xt {

class SyntaxLosses {
public:
  // The diagnostics of `tree` must contain the errors of the text.
  SyntaxLosses(const TreeText &tree, antlr4::ParserRuleContext *file);
  // Whether the rule was not parsed to its end, or error recovery lost a part of its own lines (up to its first block).
  bool broken(antlr4::ParserRuleContext *ctx) const;

private:
  void findExceptions(antlr4::ParserRuleContext *ctx);

  const TreeText &tree_;
  bool mistakes_ = false; // the file has syntax errors
  std::vector<uint32_t> losses_; // offsets of errors whose recovery lost tokens, ascending
  std::unordered_set<antlr4::ParserRuleContext *> exceptions_; // rules that were not parsed to their end
};

// Handles a token that the parse tree has directly in a block, because its line starts no statement: it becomes a statement of
// kind Error, or part of the one before it on the line.
void addDroppedToken(const TreeText &tree, antlr4::tree::ParseTree *child, ast::Block &out);

} // namespace xt
