#include "lang/parse/token_stream.h"

namespace xt {

std::unique_ptr<antlr4::Token> SyntaxTokenSource::nextToken() {
  const SyntaxToken &in = tokens_[std::min(next_++, tokens_.size() - 1)];
  auto token = std::make_unique<antlr4::CommonToken>(
      std::pair<antlr4::TokenSource *, antlr4::CharStream *>{this, nullptr}, in.type, antlr4::Token::DEFAULT_CHANNEL,
      in.begin, static_cast<size_t>(in.end) - 1); // wraps for an empty token at 0, and back where 1 is added
  token->setLine(in.line);
  token->setCharPositionInLine(in.column);
  return token;
}

void RepairTokenStream::insertHere(size_t type) {
  antlr4::Token *next = LT(1);
  antlr4::Token *last = LT(-1);
  size_t at = last ? last->getStopIndex() + 1 : next->getStartIndex();
  auto token = std::make_unique<antlr4::CommonToken>(
      std::pair<antlr4::TokenSource *, antlr4::CharStream *>{_tokenSource, nullptr}, type,
      antlr4::Token::DEFAULT_CHANNEL, at, at - 1);
  token->setLine(last ? last->getLine() : next->getLine());
  _tokens.insert(_tokens.begin() + static_cast<ptrdiff_t>(_p), std::move(token));
  for (size_t i = _p; i < _tokens.size(); ++i) static_cast<antlr4::CommonToken *>(_tokens[i].get())->setTokenIndex(i);
}

} // namespace xt
