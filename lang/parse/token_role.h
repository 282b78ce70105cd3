// Classifies the words of a text by role. The language server applies it to the lexer's tokens, the formatter to shaped tokens,
// which distinguish more roles. Does not include ANTLR.
#pragma once
#include "lang/parse/syntax_token.h"

namespace xt {

enum class TokenRole : uint8_t {
  Comment, // from `//` to the end of the line, without blanks at its end
  Word,
  SoftWord, // a keyword that may be a plain name: grid, load …
  Constructor, // a word that a shape follows: tile, vector, memref, tensor_desc
  Keyword, // for, if, to, mod, true …
  Op, // an op's name
  DimsOp, // the name of an op that takes a list of dimensions after its operands: reduction, transpose …
  Value, // %x
  Symbol, // @f, ^bb0
  Alias, // #a
  TypeAlias, // !t
  Parameter, // $n
  Number, // also nan, inf and the extents of a shape
  Text,
  Element, // the element type of a shaped type
  ShapeX, // the x of 8x16xf32
  Any, // ?
  Comma,
  Colon,
  Splice, // the colon of %x:2
  Equals,
  Arrow, // ->, => (into and to are keywords)
  Operator, // + - * / and comparisons
  OpenParen,
  OpenBracket,
  OpenExtent, // the bracket of tile<[$n / 2] x f32>
  OpenBrace, // the brace of attributes and sizes
  OpenAngle,
  OpenBlock,
  CloseParen,
  CloseBracket,
  CloseBrace,
  CloseAngle,
  CloseBlock,
  Stray, // not a word of the language
};

// The role of a token type of XtLexer, before or after shaping.
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

// The roles of the tokens of lex() that begin before byte `limit`, in order, without comments. Needs no tree, so it also works
// for a text with syntax errors.
std::vector<RoleToken> tokenRoles(const std::vector<SyntaxToken> &tokens, uint32_t limit);

} // namespace xt
