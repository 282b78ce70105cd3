// Feeds shaped tokens to ANTLR's parser. Start and stop indices of the tokens are byte offsets.
#pragma once
#include "lang/parse/syntax_token.h"

#include "antlr4-runtime.h"

namespace xt {

class SyntaxTokenSource : public antlr4::TokenSource {
public:
  explicit SyntaxTokenSource(const std::vector<SyntaxToken> &tokens) : tokens_(tokens) {}
  std::unique_ptr<antlr4::Token> nextToken() override;
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() override { return 0; }
  antlr4::CharStream *getInputStream() override { return nullptr; }
  std::string getSourceName() override { return {}; }
  antlr4::TokenFactory<antlr4::CommonToken> *getTokenFactory() override {
    return antlr4::CommonTokenFactory::DEFAULT.get();
  }

private:
  const std::vector<SyntaxToken> &tokens_;
  size_t next_ = 0;
};

// A stream whose tokens the error strategy may mend in place, before the parser decides on them.
class RepairTokenStream : public antlr4::CommonTokenStream {
public:
  using CommonTokenStream::CommonTokenStream;
  // Puts a token that no text spells before the current one.
  void insertHere(size_t type);
  void retype(antlr4::Token *token, size_t type) { static_cast<antlr4::CommonToken *>(token)->setType(type); }
};

} // namespace xt
