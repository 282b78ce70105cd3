// Ranges and names of the nodes of a parse tree. After a syntax error any part of the tree may be missing: a missing token or
// context has an empty range.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"

#include "XtParser.h"

namespace xt {

// Casts a tree to its exact class, or returns null. The classes of rules and labels have no subclasses, so one comparison of
// types suffices; a dynamic_cast would search all base classes.
template <class T> T *as(antlr4::tree::ParseTree *tree) {
  return tree && xtg::isExactly<T>(tree) ? static_cast<T *>(tree) : nullptr;
}

class TreeText {
public:
  TreeText(const SourceFile &source, uint32_t file, Diagnostics &diagnostics)
      : text_(source.text()), file_(file), diagnostics_(diagnostics) {}

  uint32_t file() const { return file_; }
  std::string_view text() const { return text_; }
  Diagnostics &diagnostics() const { return diagnostics_; }
  Diagnostic &report(DiagCode code, SourceRange where, std::string message) const {
    return diagnostics_.report(code, where, std::move(message));
  }

  SourceRange range(antlr4::Token *token) const;
  SourceRange range(antlr4::tree::TerminalNode *node) const { return node ? range(node->getSymbol()) : none(); }
  SourceRange range(antlr4::ParserRuleContext *ctx) const;
  SourceRange none() const { return {file_, 0, 0}; }
  std::string_view slice(SourceRange range) const { return text_.substr(range.begin, range.end - range.begin); }

  ast::Name sigilName(antlr4::tree::TerminalNode *node) const; // without its sigil
  ast::Name boundName(antlr4::tree::TerminalNode *node) const; // the name of a value that is bound here; reports `%x#1`
  ast::Name word(antlr4::ParserRuleContext *ctx) const;
  std::vector<ast::Name> words(const std::vector<xtg::XtParser::WordContext *> &list) const;
  std::string unescaped(SourceRange quoted) const; // reports unknown escapes

private:
  std::string_view text_;
  uint32_t file_;
  Diagnostics &diagnostics_;
};

} // namespace xt
