// The names under which ops are written.
#pragma once
#include "ir/op.h"

namespace xt {

class SourceManager;

// The name of the op at the beginning of the op's text, or the op's own name if its text begins otherwise or is an expression. They differ where several
// ops replace one, as reshapes and slices replace a `concat`.
std::string_view writtenName(const Op &op, const SourceManager &sources);

} // namespace xt
