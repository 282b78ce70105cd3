// Source text -> AST. The only folder that sees ANTLR.
#pragma once
#include "ir/base/diagnostics.h"
#include "lang/ast.h"

namespace xt {

// Parses file `index` of `sources`. Mistakes are reported, one message each, and the tree holds what could be read.
// Text that is not UTF-8 is one error at the first bad byte and gives an empty tree.
ast::File parse(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics);

} // namespace xt
