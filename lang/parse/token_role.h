// What the words of a text are: the one table of that, for editors, which look at the lexer's words, and for the formatter,
// which looks at those that shaping has told apart further. Needs no ANTLR.
#pragma once
#include "lang/parse/syntax_token.h"

namespace xt {

enum class TokenRole : uint8_t {
  Comment,  // from `//` to the end of the line, without blanks at its end
  Word,
  SoftWord,    // a keyword that may be a plain name: grid, load …
  Constructor, // one of these that a shape follows: tile, vector, memref, tensor_desc
  Keyword,     // for, if, to, mod, true …
  Op,       // an op's name
  DimsOp,   // one of an op whose operands a list of dimensions may follow: reduction, transpose …
  Value,    // %x
  Symbol,   // @f
  Alias,    // #a
  TypeAlias, // !t
  Parameter, // $n
  Number, // also nan, inf and the extents of a shape
  Text,
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

// Of an XtLexer type, before or after shaping.
TokenRole roleOf(size_t type);

inline bool isAnyWord(TokenRole role) { return role >= TokenRole::Word && role <= TokenRole::Constructor; }
inline bool isPunctuation(TokenRole role) { return role >= TokenRole::ShapeX && role <= TokenRole::CloseBlock; }
inline bool opensBracket(TokenRole role) { return role >= TokenRole::OpenParen && role <= TokenRole::OpenBlock; }
inline bool closesBracket(TokenRole role) { return role >= TokenRole::CloseParen && role <= TokenRole::CloseBlock; }

struct RoleToken {
  TokenRole role;
  uint32_t begin, end; // bytes
  bool firstOnLine;
};

// Those of lex(), in order, that begin before byte `limit`; comments and blanks are between them. Without a tree, so that
// broken text has them too.
std::vector<RoleToken> tokenRoles(const std::vector<SyntaxToken> &tokens, uint32_t limit);

} // namespace xt
