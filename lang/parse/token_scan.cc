#include "lang/parse/token_scan.h"

#include "ir/base/check.h"
#include "ir/call_names.h"
#include "ir/host.h"

#include "XtLexer.h"

namespace xt {

using L = xtg::XtLexer;

bool TokenScan::isWord(size_t i) const {
  size_t t = type(i);
  return t == L::WORD || (t >= L::KW_GRID && t <= L::KW_TENSOR_DESC);
}

bool TokenScan::isHardWord(size_t i) const {
  size_t t = type(i);
  return t >= L::KW_KERNEL && t <= L::KW_OR;
}

bool TokenScan::startsOperand(size_t i) const {
  switch (type(i)) {
  case L::VALUE:
  case L::SIZE:
  case L::SYMBOL:
  case L::INT:
  case L::HEX:
  case L::FLOAT:
  case L::TEXT:
  case L::LPAREN:
  case L::LBRACK:
  case L::MINUS:
  case L::KW_NAN:
  case L::KW_INF:
  case L::KW_TRUE:
  case L::KW_FALSE:
  case L::KW_NOT: return true;
  default: return isWord(i);
  }
}

size_t TokenScan::resultsEnd(size_t i) const {
  for (size_t n = 0; n < kMostResults && type(i) == L::VALUE; ++n) {
    ++i;
    if (type(i) == L::COLON && type(i + 1) == L::INT) i += 2;
    if (type(i) == L::EQ) return i;
    if (type(i) != L::COMMA) return 0;
    ++i;
  }
  return 0;
}

bool TokenScan::isOpName(size_t i) const {
  if (!isWord(i) && type(i) != L::KW_MOD && type(i) != L::KW_AND && type(i) != L::KW_OR) return false;
  if (type(i + 1) == L::EQ) return false;
  if (type(i) == L::KW_CALL && type(i + 1) == L::SYMBOL) return false;
  if (type(i + 1) != L::LPAREN) return true;
  // `f(a)` is a call; `addf (%x + 1), %y` and `constant (1 + 2)` are ops whose first operand is in parentheses.
  const OpInfo *op = findOpLoosely(text(i));
  if (!op) return false;
  switch (op->clause) {
  case Clause::Operands: {
    size_t commas = 0;
    size_t next = type(afterBracket(i + 1, commas));
    return commas == 0 && (next == L::COMMA || next == L::LBRACE || !isFunctionName(text(i)));
  }
  case Clause::Literal: return true;
  case Clause::Base:
  case Clause::Locality:
  case Clause::Kind:
  case Clause::Dims:
  case Clause::Text: { // with several operands in parentheses, it is an op written as a call, which the checker reports
    size_t commas = 0;
    afterBracket(i + 1, commas);
    return commas == 0;
  }
  case Clause::Bare:
  case Clause::Dimension:
  case Clause::Structure: return false;
  }
  XT_UNREACHABLE("clause");
}

Clause TokenScan::clauseOf(size_t i) const {
  if (const OpInfo *op = findOpLoosely(text(i)); op && op->clause != Clause::Structure) return op->clause;
  // The checker reports unknown ops. Choose a clause shape that fits the next tokens.
  if (!sameLine(i, i + 1)) return Clause::Operands;
  size_t commas = 0;
  switch (type(i + 1)) {
  case L::LT:
  case L::QUOTED_KIND: return Clause::Kind;
  case L::LBRACE: return type(afterBracket(i + 1, commas)) == L::LT ? Clause::Kind : Clause::Operands;
  case L::LBRACK: return type(afterBracket(i + 1, commas)) == L::VALUE ? Clause::Dims : Clause::Operands;
  case L::TEXT: return Clause::Text;
  case L::VALUE: return type(i + 2) == L::KW_LOCALITY ? Clause::Locality : Clause::Operands;
  default: {
    bool alone = !sameLine(i, i + 2) || type(i + 2) == L::COLON || type(i + 2) == L::LBRACE;
    return isWord(i + 1) && sameLine(i, i + 1) && alone ? Clause::Dimension : Clause::Operands;
  }
  }
}

size_t TokenScan::afterBracket(size_t i, size_t &commas) const {
  size_t depth = 0;
  uint32_t line = at(i).line;
  for (; type(i) != antlr4::Token::EOF; ++i) {
    switch (type(i)) {
    case L::LPAREN:
    case L::LBRACK:
    case L::LBRACE: ++depth; break;
    case L::RPAREN:
    case L::RBRACK:
    case L::RBRACE:
      if (depth <= 1) return i + 1;
      --depth;
      break;
    case L::COMMA: commas += depth == 1; break;
    default:
      if (at(i).line != line) return i;
    }
  }
  return i;
}

bool TokenScan::lineOpensBlock(size_t i) const {
  size_t last = i;
  while (sameLine(i, last + 1) && type(last + 1) != antlr4::Token::EOF) ++last;
  return last != i && opensBody(last);
}

bool TokenScan::lineHoldsBlock(size_t i) const {
  size_t last = i;
  bool opened = false;
  while (sameLine(i, last + 1) && type(last + 1) != antlr4::Token::EOF) opened |= type(++last) == L::LBRACE;
  return opened && type(last) == L::RBRACE;
}

bool TokenScan::opensBody(size_t i) const {
  if (type(i) != L::LBRACE || !at(i + 1).firstOnLine) return false;
  if (startsStatement(i + 1)) return true;
  size_t after = type(i + 2); // compared with the tokens that may follow the key of an attribute
  return isWord(i + 1) && after != L::EQ && after != L::COMMA && after != L::RBRACE && after != L::LT && after != L::ATTR;
}

bool TokenScan::startsItem(size_t i, bool insideBraces) const {
  size_t next = type(i + 1);
  // A keyword alone on its line starts an item whose rest was moved to later lines; no statement has this form.
  auto alone = [&] { return at(i).column == 0 && at(i + 1).firstOnLine; };
  switch (type(i)) {
  case L::KW_KERNEL:
  case L::KW_FUNC: return alone() || next == L::SYMBOL || (at(i).column == 0 && (isWord(i + 1) || next == L::LPAREN));
  case L::KW_TEST:
  case L::KW_IMPORT: return alone() || next == L::TEXT || next == L::UNTERMINATED;
  case L::KW_PARAM: return next == L::SIZE || next == L::KW_PARAM || (at(i).column == 0 && isWord(i + 1));
  case L::ATTR:
  case L::TYPE: return next == L::EQ || at(i).column == 0;
  case L::WORD: // a misspelt keyword; ops such as `print "text"` are statements
    if (findOpLoosely(text(i)) || (insideBraces && !lineOpensBlock(i) && !lineHoldsBlock(i))) return false;
    return at(i).column == 0 &&
           ((next == L::SYMBOL && type(i + 2) == L::LPAREN) || next == L::TEXT || (next == L::SIZE && sameLine(i, i + 1)));
  default: return false;
  }
}

bool ItemStarts::next(size_t i) {
  bool starts = scan_.at(i).firstOnLine && scan_.startsItem(i, depth_ > 0);
  if (starts) depth_ = 0;
  size_t type = scan_.type(i);
  if (type == L::LBRACE) ++depth_;
  if (type == L::RBRACE && depth_ > 0) --depth_;
  return starts;
}

bool TokenScan::startsStatement(size_t i) const {
  size_t next = type(i + 1);
  switch (type(i)) {
  case L::VALUE: return resultsEnd(i) != 0;
  case L::KW_FOR:
  case L::KW_WHILE:
  case L::KW_IF:
    return (type(i) == L::KW_WHILE && next == L::COLON) || next == L::VALUE || next == L::LPAREN || next == L::KW_NOT ||
           isWord(i + 1);
  case L::KW_RETURN:
  case L::KW_YIELD: return next == L::VALUE || at(i + 1).firstOnLine;
  case L::SYMBOL:
  case L::KW_CONDITION: return next == L::LPAREN;
  case L::LABEL: return true;
  case L::KW_CALL: return next == L::SYMBOL && type(i + 2) == L::LPAREN;
  case L::KW_LAUNCH: return next == L::SYMBOL;
  case L::KW_SAVE: return next == L::VALUE;
  case L::KW_CHECK: return startsOperand(i + 1) && next != L::LPAREN;
  default:
    if (text(i) == "start" && isWord(i + 1) && type(i + 2) == L::VALUE && sameLine(i, i + 2)) return true;
    return isWord(i) && isOpName(i) && next == L::VALUE && sameLine(i, i + 1);
  }
}

const OpInfo *findOpLoosely(std::string_view spelled) {
  if (const OpInfo *op = findOp(spelled)) return op;
  size_t dot = spelled.rfind('.');
  return dot == std::string_view::npos ? nullptr : findOp(spelled.substr(dot + 1));
}

size_t opToken(Clause clause) {
  switch (clause) {
  case Clause::Operands: return L::OP_OPERANDS;
  case Clause::Base: return L::OP_BASE;
  case Clause::Locality: return L::OP_LOCALITY;
  case Clause::Kind: return L::OP_KIND;
  case Clause::Dims: return L::OP_DIMS;
  case Clause::Literal: return L::OP_LITERAL;
  case Clause::Text: return L::OP_TEXT;
  case Clause::Bare: return L::OP_BARE;
  case Clause::Dimension: return L::OP_DIMENSION;
  case Clause::Structure: return L::OP_OPERANDS;
  }
  XT_UNREACHABLE("clause");
}

size_t rankToken(std::string_view word) {
  if (word == "mesh") return L::HOST_MESH;
  if (word == "shard") return L::HOST_SHARD;
  if (word == "start") return L::HOST_START;
  if (word == "wait") return L::HOST_WAIT;
  return findCommunication(word) ? L::HOST_COMMUNICATION : 0;
}

bool isBinaryOperator(size_t type) {
  switch (type) {
  case L::PLUS:
  case L::MINUS:
  case L::STAR:
  case L::SLASH:
  case L::AMP:
  case L::BAR:
  case L::CARET:
  case L::SHL:
  case L::SHR:
  case L::KW_MOD:
  case L::KW_AND:
  case L::KW_OR:
  case L::LT:
  case L::LE:
  case L::GT:
  case L::GE:
  case L::EQEQ:
  case L::NE: return true;
  default: return false;
  }
}

} // namespace xt
