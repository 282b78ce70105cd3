// The rules for the tokens of asynchronous copies that types do not express.
#pragma once
#include "ir/op.h"

#include <string_view>

namespace xt {

// The mistake in an op's use of tokens; empty if there is none. A copy's token only goes to an `async_commit`, so that every token
// that a loop carries or a wait takes is a group's, and every copy has a group.
std::string_view tokenMistake(const Op &op);

} // namespace xt
