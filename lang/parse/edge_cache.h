// Caches edges of ANTLR's automata per thread. ANTLR reads edges under a lock shared by all threads, which takes longer than
// following an edge. The cache never becomes stale, because edges are only added and states live as long as the program.
#pragma once
#include "antlr4-runtime.h"

#include <cstdint>

namespace xtg {

template <class Simulator> class EdgeCache : public Simulator {
public:
  using Simulator::Simulator;

protected:
  antlr4::dfa::DFAState *getExistingTargetState(antlr4::dfa::DFAState *from, size_t symbol) override {
    static thread_local std::vector<Edge> edges(kEdges);
    Edge &edge = edges[((reinterpret_cast<uintptr_t>(from) >> 5) * 37 + symbol) % kEdges];
    if (edge.from == from && edge.symbol == symbol) return edge.to;
    antlr4::dfa::DFAState *to = Simulator::getExistingTargetState(from, symbol);
    if (to) edge = {from, symbol, to};
    return to;
  }

private:
  static constexpr size_t kEdges = 4096;
  struct Edge {
    const antlr4::dfa::DFAState *from = nullptr;
    size_t symbol = 0;
    antlr4::dfa::DFAState *to = nullptr;
  };
};

// Replaces the recognizer's simulator by an equal one that caches edges.
inline void keepEdges(antlr4::Lexer &lexer) {
  using antlr4::atn::LexerATNSimulator;
  auto *made = lexer.getInterpreter<LexerATNSimulator>();
  lexer.setInterpreter(
      new EdgeCache<LexerATNSimulator>(&lexer, made->atn, made->_decisionToDFA, made->getSharedContextCache()));
}
inline void keepEdges(antlr4::Parser &parser) {
  using antlr4::atn::ParserATNSimulator;
  auto *made = parser.getInterpreter<ParserATNSimulator>();
  parser.setInterpreter(
      new EdgeCache<ParserATNSimulator>(&parser, made->atn, made->decisionToDFA, made->getSharedContextCache()));
}

} // namespace xtg
