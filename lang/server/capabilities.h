#pragma once
#include "lang/server/text.h"

namespace xt::lsp {

// The answer to `initialize`.
Json capabilities(Encoding encoding);

} // namespace xt::lsp
