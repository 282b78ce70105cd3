// Types as the file would write them.
#pragma once
#include "lang/server/query.h"

namespace xt::lsp {

// "#mp_b", or the layout written out where no alias of the file owns alike; "" where the type has none.
std::string layoutSpelling(const Query &query, Type type);
// "vector<256x32xf16, #mp_a>".
std::string typeSpelling(const Query &query, Type type);

} // namespace xt::lsp
