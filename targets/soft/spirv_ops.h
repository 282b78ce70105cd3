// Numbers from the specification of SPIR-V that several files need.
#pragma once
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace xt::soft {

inline constexpr size_t kHeaderWords = 5;

enum : uint32_t {
  OpExtension = 10,
  OpCapability = 17,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpConstant = 43,
  OpDecorate = 71,
  OpTypeCooperativeMatrix = 4456,
};

// The text in these words, up to its null byte.
inline std::string_view literal(std::span<const uint32_t> words) {
  const auto *text = reinterpret_cast<const char *>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

} // namespace xt::soft
