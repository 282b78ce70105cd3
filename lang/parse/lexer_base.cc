#include "lang/parse/lexer_base.h"

#include "XtLexer.h"

#include <string>

namespace xtg {
namespace {

// Includes Unicode blanks, because web pages and word processors insert them instead of a space.
bool isBlank(size_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0x00A0 || (c >= 0x2000 && c <= 0x200B) || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

} // namespace

bool LexerBase::skipBlanks() {
  auto *simulator = static_cast<antlr4::atn::LexerATNSimulator *>(_interpreter);
  bool newLine = false;
  for (;;) {
    size_t c = _input->LA(1);
    if (isBlank(c)) {
      newLine |= c == '\n';
      simulator->consume(_input);
    } else if (c == '/' && _input->LA(2) == '/') {
      while (c != '\n' && c != antlr4::IntStream::EOF) {
        simulator->consume(_input);
        c = _input->LA(1);
      }
    } else {
      return newLine;
    }
  }
}

bool LexerBase::canStandInShape(size_t c, bool newLine) const {
  bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  // A word on a later line starts a statement, so the shape is unfinished.
  return (c >= '0' && c <= '9') || c == '?' || c == '$' || (letter && !newLine);
}

bool LexerBase::opensShape(const xt::SyntaxToken &token) const {
  switch (token.type) {
  case XtLexer::KW_TILE:
  case XtLexer::KW_VECTOR:
  case XtLexer::KW_MEMREF:
  case XtLexer::KW_JOINT_MATRIX:
  case XtLexer::KW_TENSOR_DESC: return true;
  case XtLexer::TYPE: {
    std::string text = _input->getText(antlr4::misc::Interval(size_t{token.begin}, size_t{token.end} - 1)); // as !xetile.tile
    std::string last = text.substr(text.find_last_of("!.") + 1);
    return last == "tile" || last == "vector" || last == "memref" || last == "joint_matrix" || last == "tensor_desc";
  }
  default: return false;
  }
}

// The part of Lexer::nextToken that the grammar needs: no rule uses the commands `skip` or `more`, and matching never fails.
xt::SyntaxToken LexerBase::match() {
  auto *simulator = static_cast<antlr4::atn::LexerATNSimulator *>(_interpreter);
  xt::SyntaxToken token;
  token.line = static_cast<uint32_t>(simulator->getLine());
  token.column = static_cast<uint32_t>(simulator->getCharPositionInLine());
  token.begin = static_cast<uint32_t>(_input->index());
  type = antlr4::Token::INVALID_TYPE; // the rule may set another type
  size_t matched = simulator->match(_input, mode);
  token.type = type == antlr4::Token::INVALID_TYPE ? matched : type;
  token.end = static_cast<uint32_t>(_input->index());
  return token;
}

xt::SyntaxToken LexerBase::next() {
  bool newLine = skipBlanks();
  if (resumeShape_) {
    resumeShape_ = false;
    pushMode(XtLexer::SHAPE);
  }
  size_t c = _input->LA(1);
  if (mode == XtLexer::SHAPE && !canStandInShape(c, newLine)) {
    popMode();
    if (c == '[') extents_.push_back(0);
  }
  xt::SyntaxToken token = match();
  if (token.type == XtLexer::LT && lastOpensShape_) {
    pushMode(XtLexer::SHAPE);
  } else if (token.type == XtLexer::ELEM) {
    popMode();
  } else if (!extents_.empty()) {
    if (token.type == XtLexer::LBRACK) {
      ++extents_.back();
    } else if (token.type == XtLexer::RBRACK && --extents_.back() == 0) {
      extents_.pop_back();
      resumeShape_ = true;
    } else if (newLine) {
      extents_.clear(); // the bracket was never closed
    }
  }
  lastOpensShape_ = opensShape(token);
  return token;
}

} // namespace xtg
