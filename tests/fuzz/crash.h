// Functions shared by all libFuzzer programs: the input as text, and ending the process when an error is found.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace xt::fuzz {

inline std::string_view textOf(const uint8_t *data, size_t size) { return {reinterpret_cast<const char *>(data), size}; }

// Ends the process with a crash, so that libFuzzer keeps the input.
[[noreturn]] void fail(std::string_view what, std::string_view text);

} // namespace xt::fuzz
