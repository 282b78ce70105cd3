#pragma once
#include "lang/server/text.h"

namespace xt::lsp {

// What `initialize` answers.
Json capabilities(Encoding encoding);

} // namespace xt::lsp
