#include "lang/parse/classify.h"

#include "XtLexer.h"

namespace xt {
namespace {

using L = xtg::XtLexer;

TokenClass classOf(size_t type) {
  switch (type) {
  case L::KW_TILE:
  case L::KW_VECTOR:
  case L::KW_MEMREF:
  case L::KW_TENSOR_DESC: return TokenClass::Constructor;
  case L::KW_NAN:
  case L::KW_INF:
  case L::INT:
  case L::HEX:
  case L::FLOAT:
  case L::DIM: return TokenClass::Number;
  case L::WORD:
  case L::ELEM: return TokenClass::Word;
  case L::VALUE: return TokenClass::Value;
  case L::ATTR: return TokenClass::Alias;
  case L::TYPE: return TokenClass::TypeAlias;
  case L::SIZE: return TokenClass::Param;
  case L::SYMBOL: return TokenClass::Symbol;
  case L::TEXT:
  case L::UNTERMINATED:
  case L::QUOTED_KIND: return TokenClass::Text;
  case L::STRAY: return TokenClass::Stray;
  default: return type >= L::KW_KERNEL && type <= L::KW_AFFINE_MAP ? TokenClass::Keyword : TokenClass::Punctuation;
  }
}

} // namespace

std::vector<ClassifiedToken> classify(const std::vector<SyntaxToken> &tokens, uint32_t limit) {
  std::vector<ClassifiedToken> out;
  out.reserve(tokens.size());
  for (const SyntaxToken &token : tokens)
    if (token.type != antlr4::Token::EOF && token.begin < limit) out.push_back({classOf(token.type), token.begin, token.end, token.firstOnLine});
  return out;
}

} // namespace xt
