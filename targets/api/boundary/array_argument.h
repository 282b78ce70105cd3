// Arrays of the caller as xt_argument describes them.
#pragma once
#include "ir/launch.h"
#include "targets/api/include/xt/xt.h"

namespace xt {

// Reads an argument of the kind XT_ARRAY. Returns what is wrong with it, as "its rank is 7, not 0 to 5"; "" if nothing is.
std::string readArray(const xt_argument &given, BufferView &out);

// Why an array cannot be read, or written if `written`: its alignment, a read-only array, several indices of one element. `writer` is
// what writes it, for messages: "the kernel". "" if it can.
std::string whyUnusable(const xt_argument &given, const BufferView &array, bool written, std::string_view writer);

} // namespace xt
