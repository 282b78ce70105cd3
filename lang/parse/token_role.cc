#include "lang/parse/token_role.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

TokenRole roleOf(size_t type) {
  switch (type) {
  case L::OP_KIND:
  case L::OP_DIMS: return TokenRole::DimsOp;
  case L::VALUE: return TokenRole::Value;
  case L::SYMBOL:
  case L::LABEL: return TokenRole::Symbol;
  case L::ATTR: return TokenRole::Alias;
  case L::TYPE: return TokenRole::TypeAlias;
  case L::SIZE: return TokenRole::Parameter;
  case L::INT:
  case L::HEX:
  case L::FLOAT:
  case L::DIM:
  case L::KW_NAN:
  case L::KW_INF: return TokenRole::Number;
  case L::TEXT:
  case L::QUOTED_KIND:
  case L::UNTERMINATED: return TokenRole::Text;
  case L::KW_TILE:
  case L::KW_VECTOR:
  case L::KW_MEMREF:
  case L::KW_JOINT_MATRIX:
  case L::KW_TENSOR_DESC: return TokenRole::Constructor;
  case L::WORD:
  case L::FLAG: return TokenRole::Word;
  case L::ELEM: return TokenRole::Element;
  case L::X: return TokenRole::ShapeX;
  case L::QMARK: return TokenRole::Any;
  case L::COMMA: return TokenRole::Comma;
  case L::COLON: return TokenRole::Colon;
  case L::SPLICE: return TokenRole::Splice;
  case L::EQ: return TokenRole::Equals;
  case L::ARROW:
  case L::FAT_ARROW: return TokenRole::Arrow;
  case L::LE:
  case L::GE:
  case L::EQEQ:
  case L::NE:
  case L::LT:
  case L::GT:
  case L::PLUS:
  case L::MINUS:
  case L::STAR:
  case L::SLASH:
  case L::AMP:
  case L::BAR:
  case L::CARET:
  case L::TILDE:
  case L::SHL:
  case L::SHR: return TokenRole::Operator;
  case L::LPAREN: return TokenRole::OpenParen;
  case L::LBRACK: return TokenRole::OpenBracket;
  case L::LBRACE: return TokenRole::OpenBrace;
  case L::LANGLE: return TokenRole::OpenAngle;
  case L::LBLOCK: return TokenRole::OpenBlock;
  case L::RPAREN: return TokenRole::CloseParen;
  case L::RBRACK: return TokenRole::CloseBracket;
  case L::RBRACE: return TokenRole::CloseBrace;
  case L::RANGLE: return TokenRole::CloseAngle;
  case L::RBLOCK: return TokenRole::CloseBlock;
  default: break;
  }
  if (type >= L::OP_OPERANDS && type <= L::OP_DIMENSION) return TokenRole::Op;
  if (type >= L::KW_KERNEL && type <= L::KW_INF) return TokenRole::Keyword;
  bool soft = (type >= L::KW_GRID && type <= L::KW_AFFINE_MAP) || (type >= L::HOST_MESH && type <= L::HOST_WAIT);
  if (soft) return TokenRole::SoftWord;
  return TokenRole::Stray;
}

std::vector<RoleToken> tokenRoles(const std::vector<SyntaxToken> &tokens, uint32_t limit) {
  std::vector<RoleToken> out;
  out.reserve(tokens.size());
  for (const SyntaxToken &token : tokens)
    if (token.type != antlr4::Token::EOF && token.begin < limit)
      out.push_back({roleOf(token.type), token.begin, token.end, token.firstOnLine});
  return out;
}

} // namespace xt
