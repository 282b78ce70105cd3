#include "lang/parse/lexer_base.h"

#include "XtLexer.h"

#include <string>

namespace xtg {
namespace {

bool opensShape(const antlr4::Token &token) {
  switch (token.getType()) {
  case XtLexer::KW_TILE:
  case XtLexer::KW_VECTOR:
  case XtLexer::KW_MEMREF:
  case XtLexer::KW_TENSOR_DESC: return true;
  case XtLexer::TYPE: {
    std::string text = token.getText(); // !xetile.tile
    std::string last = text.substr(text.find_last_of("!.") + 1);
    return last == "tile" || last == "vector" || last == "memref" || last == "tensor_desc";
  }
  default: return false;
  }
}

// Blanks of Unicode too: web pages and word processors put them where one types a blank.
bool isBlank(size_t c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == 0x00A0 || (c >= 0x2000 && c <= 0x200B) ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

} // namespace

bool LexerBase::skipBlanks() {
  auto *simulator = getInterpreter<antlr4::atn::LexerATNSimulator>();
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
  // A word on a later line starts a statement: the shape was never finished.
  return (c >= '0' && c <= '9') || c == '?' || c == '$' || (letter && !newLine);
}

std::unique_ptr<antlr4::Token> LexerBase::nextToken() {
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
  auto token = Lexer::nextToken();
  size_t type = token->getType();
  if (type == XtLexer::LT && lastOpensShape_) {
    pushMode(XtLexer::SHAPE);
  } else if (type == XtLexer::ELEM) {
    popMode();
  } else if (!extents_.empty()) {
    if (type == XtLexer::LBRACK) {
      ++extents_.back();
    } else if (type == XtLexer::RBRACK && --extents_.back() == 0) {
      extents_.pop_back();
      resumeShape_ = true;
    } else if (newLine) {
      extents_.clear(); // never closed
    }
  }
  lastOpensShape_ = opensShape(*token);
  return token;
}

} // namespace xtg
