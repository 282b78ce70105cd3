// Superclasses of the generated parser and of its trees: the same as ANTLR's, which find out what a node is by dynamic_cast
// so often that this was a sixth of an edit's time.
#pragma once
#include "antlr4-runtime.h"

#include <type_traits>
#include <typeinfo>

namespace xtg {

// Whether a tree is of this very class. One program has one type_info of each.
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
  // Only rules with labels have classes below theirs, and only theirs can be made of nothing.
  template <class T> static T *ruleOf(antlr4::tree::ParseTree *child) {
    if constexpr (std::is_default_constructible_v<T>) return isExactly<antlr4::tree::TerminalNodeImpl>(child) ? nullptr : dynamic_cast<T *>(child);
    else return isExactly<T>(child) ? static_cast<T *>(child) : nullptr;
  }
};

// The token of a node, or null where it is a rule.
antlr4::tree::TerminalNode *terminal(antlr4::tree::ParseTree *tree);

class ParserBase : public antlr4::Parser {
public:
  using Parser::Parser;
  // Listeners are not called.
  void enterRule(antlr4::ParserRuleContext *context, size_t state, size_t rule) override;
  void exitRule();
};

} // namespace xtg
