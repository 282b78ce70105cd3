// Flags: words that MLIR prints after the operands of an op. They permit transformations (fastmath), promise something about
// the values (overflow, exact) or name a rounding mode. The language defines the result of each op without them and makes no
// use of them, so a flag that a row of the op table lists (OpInfo::flags) is read and dropped.
#pragma once
#include "ir/op_info.h"

namespace xt {

struct FlagInfo {
  std::string_view word;   // "fastmath"
  OpFlag flag;
  std::string_view values; // the values that follow in angle brackets, separated by blanks; "": it has no values
};

// Returns null for a word that is no flag.
const FlagInfo *findFlag(std::string_view word);
// Lists the words of an op's flags for messages: "`fastmath`".
std::string flagWords(const OpInfo &op);

} // namespace xt
