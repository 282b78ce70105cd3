// Superclasses of the generated parser and of its trees. They replace ANTLR's functions that determine the class of a node by
// dynamic_cast, which took a sixth of the time of an edit.
#pragma once
#include "antlr4-runtime.h"

#include <type_traits>
#include <typeinfo>

namespace xtg {

// Whether the exact class of a tree is T. A program has only one type_info per class, so addresses can be compared.
template <class T> bool isExactly(const antlr4::tree::ParseTree *tree) { return &typeid(*tree) == &typeid(T); }

class TreeBase : public antlr4::ParserRuleContext {
public:
  using ParserRuleContext::ParserRuleContext;

  antlr4::tree::TerminalNode *getToken(size_t type, size_t i) override;
  template <class T> T *getRuleContext(size_t i) {
    for (antlr4::tree::ParseTree *child : children)
      if (T *rule = ruleOf<T>(child); rule && i-- == 0) return rule;
    return nullptr;
  }
  template <class T> std::vector<T *> getRuleContexts() {
    std::vector<T *> rules;
    for (antlr4::tree::ParseTree *child : children)
      if (T *rule = ruleOf<T>(child)) rules.push_back(rule);
    return rules;
  }

private:
  // Only the classes of rules with labels have subclasses, and only they are default constructible.
  template <class T> static T *ruleOf(antlr4::tree::ParseTree *child) {
    if constexpr (std::is_default_constructible_v<T>)
      return isExactly<antlr4::tree::TerminalNodeImpl>(child) ? nullptr : dynamic_cast<T *>(child);
    else
      return isExactly<T>(child) ? static_cast<T *>(child) : nullptr;
  }
};

// The tree as a terminal node, or null if it is a rule.
antlr4::tree::TerminalNode *terminal(antlr4::tree::ParseTree *tree);

class ParserBase : public antlr4::Parser {
public:
  using Parser::Parser;
  // As in ANTLR, but without calling listeners.
  void enterRule(antlr4::ParserRuleContext *context, size_t state, size_t rule) override;
  void exitRule();
};

} // namespace xtg
