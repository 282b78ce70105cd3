// What every program of libFuzzer uses: an input as text, and how a find ends it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xt::fuzz {

inline std::string_view textOf(const uint8_t *data, size_t size) { return {reinterpret_cast<const char *>(data), size}; }

// Ends the process as a crash, which libFuzzer keeps the input of.
[[noreturn]] void fail(std::string_view what, std::string_view text);

} // namespace xt::fuzz
