// Complete reads and writes through file descriptors: interrupted and partial calls are continued.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace xt {

// Both functions return 0, or the errno of the call that failed.

// Writes all bytes. Async-signal-safe.
int writeAll(int descriptor, std::string_view bytes);

// Appends everything up to the end of the file to `bytes`; EFBIG if `bytes` would become longer than `most`.
int readAll(int descriptor, std::string &bytes, uint64_t most = UINT64_MAX);

} // namespace xt
