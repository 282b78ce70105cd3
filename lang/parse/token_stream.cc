#include "lang/parse/token_stream.h"

namespace xt {
namespace {

// A dummy source that ANTLR's tokens require.
class NoTokenSource : public antlr4::TokenSource {
public:
  std::unique_ptr<antlr4::Token> nextToken() override { return nullptr; }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream *getInputStream() override { return nullptr; }
  std::string getSourceName() override { return {}; }
  antlr4::TokenFactory<antlr4::CommonToken> *getTokenFactory() override { return antlr4::CommonTokenFactory::DEFAULT.get(); }
};

NoTokenSource &noSource() {
  static NoTokenSource none; // stateless, so sharing it is safe
  return none;
}

} // namespace

RepairTokenStream::RepairTokenStream(const std::vector<SyntaxToken> &tokens) : CommonTokenStream(&noSource()) {
  _tokens.reserve(tokens.size());
  for (const SyntaxToken &in : tokens) {
    // For an empty token at 0 the stop index wraps; adding 1 wraps it back.
    auto token = std::make_unique<antlr4::CommonToken>(
        std::pair<antlr4::TokenSource *, antlr4::CharStream *>{_tokenSource, nullptr}, in.type, antlr4::Token::DEFAULT_CHANNEL,
        in.begin, static_cast<size_t>(in.end) - 1);
    token->setLine(in.line);
    token->setCharPositionInLine(in.column);
    token->setTokenIndex(_tokens.size());
    _tokens.push_back(std::move(token));
  }
  _fetchedEOF = true;
  lazyInit();
}

antlr4::Token *RepairTokenStream::LT(ssize_t k) {
  size_t at = _p + static_cast<size_t>(k) - (k > 0); // wraps before the first token
  if (at >= _tokens.size()) return k > 0 ? _tokens.back().get() : nullptr;
  return k ? _tokens[at].get() : nullptr;
}

void RepairTokenStream::insertHere(size_t type) {
  antlr4::Token *next = LT(1);
  antlr4::Token *last = LT(-1);
  size_t at = last ? last->getStopIndex() + 1 : next->getStartIndex();
  auto token =
      std::make_unique<antlr4::CommonToken>(std::pair<antlr4::TokenSource *, antlr4::CharStream *>{_tokenSource, nullptr}, type,
                                            antlr4::Token::DEFAULT_CHANNEL, at, at - 1);
  token->setLine(last ? last->getLine() : next->getLine());
  _tokens.insert(_tokens.begin() + static_cast<ptrdiff_t>(_p), std::move(token));
  for (size_t i = _p; i < _tokens.size(); ++i) static_cast<antlr4::CommonToken *>(_tokens[i].get())->setTokenIndex(i);
}

void RepairTokenStream::move(size_t first, const SyntaxToken *to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    auto *token = static_cast<antlr4::CommonToken *>(_tokens[first + i].get());
    token->setStartIndex(to[i].begin);
    token->setStopIndex(static_cast<size_t>(to[i].end) - 1);
  }
}

} // namespace xt
