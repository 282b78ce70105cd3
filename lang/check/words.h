// Compares words of types and attributes without regard to their prefixes and sigils.
#pragma once
#include "lang/ast.h"

namespace xt {

// The part of a name after its last dot: `tile` for `xetile.tile`.
inline std::string_view lastWord(std::string_view text) {
  size_t dot = text.rfind('.');
  return dot == std::string_view::npos ? text : text.substr(dot + 1);
}

// Whether an attribute after the element type is `word`. `memref<…, slm>` and `memref<…, #slm>` mean the same.
inline bool isWord(const ast::Attr &attr, std::string_view word) {
  if (attr.kind == ast::Attr::Kind::Value)
    return attr.value && attr.value->is(ast::Expr::Kind::Ident) && attr.value->text == word;
  return (attr.kind == ast::Attr::Kind::Word || attr.kind == ast::Attr::Kind::Alias) && attr.name.text == word;
}

// The word that an attribute is: a bare word, a text, true or false, or the word in `#vector.kind<add>`; empty if it is none.
inline std::string wordText(const ast::Attr &attr) {
  if (attr.kind == ast::Attr::Kind::Word) return attr.name.text;
  if (attr.kind == ast::Attr::Kind::Mapping && attr.entries.size() == 1 && attr.entries[0].key && !attr.entries[0].value)
    return attr.entries[0].key.text;
  if (attr.kind != ast::Attr::Kind::Value || !attr.value) return {};
  if (attr.value->is(ast::Expr::Kind::Bool)) return attr.value->integer ? "true" : "false";
  return attr.value->is(ast::Expr::Kind::Text) || attr.value->is(ast::Expr::Kind::Ident) ? attr.value->text : std::string();
}

} // namespace xt
