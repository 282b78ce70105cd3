// What a mistake is called.
#include "lang/parse/error_strategy.h"

#include "ir/base/text.h"

#include <set>

namespace xt {

using antlr4::Parser;
using antlr4::Token;
using P = xtg::XtParser;

std::string describeExpected(const antlr4::misc::IntervalSet &expected) {
  std::set<size_t> types;
  for (ssize_t t : expected.toList()) types.insert(static_cast<size_t>(t));
  return types.empty() ? "something else" : "something else";
}

void ErrorStrategy::reportError(Parser *parser, const antlr4::RecognitionException &e) {
  if (inErrorRecoveryMode(parser)) return;
  beginErrorCondition(parser);
  Expected expected;
  if (auto *viable = dynamic_cast<const antlr4::NoViableAltException *>(&e)) {
    if (auto *configs = viable->getDeadEndConfigs())
      for (auto &config : configs->configs) expected.addAll(parser->getATN().nextTokens(config->state));
    if (expected.isEmpty() || viable->getOffendingToken() == viable->getStartToken())
      expected = parser->getExpectedTokens();
  } else {
    expected = e.getExpectedTokens();
  }
  emit(parser, e.getOffendingToken(), expected);
}

void ErrorStrategy::emit(Parser *parser, Token *at, const Expected &expected) {
  if (alreadyReported(parser, at)) return;
  std::vector<std::string> names;
  for (ssize_t t : expected.toList()) names.push_back(parser->getVocabulary().getDisplayName(static_cast<size_t>(t)));
  report(DiagCode::SyntaxError, range(at), str("unexpected ", found(at), "; expected ", join(names, " ")));
}

} // namespace xt
