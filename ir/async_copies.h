// The rules for ops on asynchronous copies that types do not express.
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
// Finds the mistake in an asynchronous op; nullopt if there is none. Copies must go from global to shared local memory. Exactly
// one `async_commit`, in the block of the copy, must take the token of a copy. Thus every copy belongs to one group, and loops
// carry, and `async_wait` takes, only tokens of groups.
std::optional<AsyncMistake> asyncMistake(const Op &op);

// The first op with a token as an operand or result; null if there is none.
const Op *firstAsyncOp(const Block &block);

} // namespace xt
