// Words of types and attributes, however they are spelt.
#pragma once
#include "lang/ast.h"

namespace xt {

// Of a name with dots: `xetile.tile` is a tile.
inline std::string_view lastWord(std::string_view text) {
  size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

// Kinds of text after the element type; `memref<…, slm>` and `#slm` say the same.
inline bool isWord(const ast::Attr &attr, std::string_view word) {
  if (attr.kind == ast::Attr::Kind::Value)
    return attr.value && attr.value->is(ast::Expr::Kind::Ident) && attr.value->text == word;
  return (attr.kind == ast::Attr::Kind::Word || attr.kind == ast::Attr::Kind::Alias) && attr.name.text == word;
}

} // namespace xt
