// How much a test may run: builds with sanitizers and the ordinary test command leave out what takes minutes.
#pragma once
#include <cstdlib>

namespace xt::test {

#if !defined(__has_feature) // a macro of clang
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || __has_feature(address_sanitizer) ||                       \
    __has_feature(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// Whether this is tests/run --full, which sets the variable.
inline bool everything() { return std::getenv("XT_LANES_ON_CPU") != nullptr; }

} // namespace xt::test
