#include "lang/parse/grammar_check.h"

#include "ir/base/text.h"
#include "lang/parse/shape_tokens.h"
#include "lang/parse/token_stream.h"

#include "XtParser.h"

namespace xt {
namespace {

class ConflictListener : public antlr4::BaseErrorListener {
public:
  std::vector<std::string> found;

  void reportAmbiguity(antlr4::Parser *parser, const antlr4::dfa::DFA &dfa, size_t start, size_t, bool,
                       const antlrcpp::BitSet &, antlr4::atn::ATNConfigSet *) override {
    add("ambiguity", parser, dfa, start);
  }
  void reportAttemptingFullContext(antlr4::Parser *parser, const antlr4::dfa::DFA &dfa, size_t start, size_t,
                                   const antlrcpp::BitSet &, antlr4::atn::ATNConfigSet *) override {
    add("full context", parser, dfa, start);
  }

private:
  void add(std::string_view what, antlr4::Parser *parser, const antlr4::dfa::DFA &dfa, size_t start) {
    antlr4::Token *token = parser->getTokenStream()->get(start);
    found.push_back(str(what, " in rule ", parser->getRuleNames()[dfa.atnStartState->ruleIndex], " at line ", token->getLine(),
                        ", column ", token->getCharPositionInLine() + 1));
  }
};

} // namespace

std::vector<std::string> findPredictionConflicts(const SourceManager &sources, uint32_t index) {
  const SourceFile &source = sources.file(index);
  Diagnostics unused;
  ShapedTokens shaped = shapeTokens(lex(source), source, index, static_cast<uint32_t>(source.text().size()), unused);
  RepairTokenStream stream(shaped.tokens);
  xtg::XtParser parser(&stream);
  ConflictListener listener;
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  parser.getInterpreter<antlr4::atn::ParserATNSimulator>()->setPredictionMode(
      antlr4::atn::PredictionMode::LL_EXACT_AMBIG_DETECTION);
  parser.file();
  return listener.found;
}

} // namespace xt
