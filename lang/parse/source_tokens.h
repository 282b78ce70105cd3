// The words of a text, comments included, each with the role that shaping (shape_tokens.h) gives it: for what works on
// the text itself, such as the formatter. Needs no ANTLR.
#pragma once
#include "ir/base/diagnostics.h"

#include <cstdint>
#include <vector>

namespace xt {

enum class TokenRole : uint8_t {
  Comment,  // from `//` to the end of the line, without blanks at its end
  Word,     // also a soft keyword, which may be a plain name: grid, load …
  Keyword,  // for, if, to, mod, true …
  Op,       // an op's name
  DimsOp,   // one of an op whose operands a list of dimensions may follow: reduction, transpose …
  Value,    // %x
  Symbol,   // @f
  Alias,    // #a
  TypeAlias, // !t
  Parameter, // $n
  Literal,  // numbers and texts; also the extents of a shape
  Element,  // of a shaped type
  ShapeX,   // the x of 8x16xf32
  Any,      // ?
  Comma,
  Colon,
  Splice, // the colon of %x:2
  Equals,
  Arrow,    // ->, => (into and to are keywords)
  Operator, // + - * / and comparisons
  OpenParen,
  OpenBracket,
  OpenExtent, // the bracket of tile<[$n / 2] x f32>
  OpenBrace,  // of attributes and sizes
  OpenAngle,
  OpenBlock,
  CloseParen,
  CloseBracket,
  CloseBrace,
  CloseAngle,
  CloseBlock,
  Stray, // no word of the language
};

struct SourceToken {
  TokenRole role = TokenRole::Stray;
  uint32_t begin = 0, end = 0; // bytes of the file
  uint32_t newLines = 0;       // line breaks between it and the token before
  bool endsStatement = false;  // the statement or item ends behind it
  bool startsItem = false;     // a declaration of the file starts here, whatever was wrong before
};

inline bool opensBracket(TokenRole role) { return role >= TokenRole::OpenParen && role <= TokenRole::OpenBlock; }
inline bool closesBracket(TokenRole role) { return role >= TokenRole::CloseParen && role <= TokenRole::CloseBlock; }

// All of file `index`, in order. The text must be UTF-8. What is wrong in words and brackets is reported; brackets that are
// missing or left out are those of the text, so they balance only where nothing is.
std::vector<SourceToken> sourceTokens(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics);

} // namespace xt
