#include "lang/parse/parser_base.h"

namespace xtg {

antlr4::tree::TerminalNode *terminal(antlr4::tree::ParseTree *tree) {
  using antlr4::tree::TerminalNodeImpl;
  // Cast via the address of the complete object, because static_cast cannot cast down from a virtual base.
  if (isExactly<TerminalNodeImpl>(tree)) return static_cast<TerminalNodeImpl *>(dynamic_cast<void *>(tree));
  return isExactly<antlr4::tree::ErrorNodeImpl>(tree) ? static_cast<antlr4::tree::ErrorNodeImpl *>(dynamic_cast<void *>(tree))
                                                      : nullptr;
}

antlr4::tree::TerminalNode *TreeBase::getToken(size_t type, size_t i) {
  for (antlr4::tree::ParseTree *child : children)
    if (antlr4::tree::TerminalNode *node = terminal(child); node && node->getSymbol()->getType() == type && i-- == 0)
      return node;
  return nullptr;
}

void ParserBase::enterRule(antlr4::ParserRuleContext *context, size_t state, size_t) {
  setState(state);
  _ctx = context;
  context->start = _input->LT(1);
  if (context->parent) static_cast<antlr4::ParserRuleContext *>(context->parent)->addChild(context);
}

void ParserBase::exitRule() {
  _ctx->stop = _input->LT(_matchedEOF ? 1 : -1);
  setState(_ctx->invokingState);
  _ctx = static_cast<antlr4::ParserRuleContext *>(_ctx->parent);
}

} // namespace xtg
