// Parses source text to an AST. Only this folder uses ANTLR.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"

namespace xt {

// Parses file `index` of `sources`. Reports each syntax error once; the tree contains everything that could be parsed. For a
// text that is not UTF-8, reports one error at the first invalid byte and returns an empty tree.
ast::File parse(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics);

} // namespace xt
