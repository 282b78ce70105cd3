// The rules for asynchronous copies that types do not express.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"

#include <optional>
#include <string_view>

namespace xt {

struct AsyncMistake {
  DiagCode code;
  SourceRange range;
  std::string_view message;
};
// The mistake in an asynchronous op, if there is one. Copies go from global to shared local memory. A copy's token goes to exactly
// one `async_commit`, in the same block, so that every copy has one group, and every token that a loop carries or a wait takes is
// a group's.
std::optional<AsyncMistake> asyncMistake(const Op &op);

// The first op that makes or takes a token; null if there is none.
const Op *firstAsyncOp(const Block &block);

} // namespace xt
