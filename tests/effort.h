// How much a test may run: builds with sanitizers and the ordinary test command leave out what takes minutes.
#pragma once
#include <cstddef>
#include <cstdlib>
#include <vector>

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

// Whether a test tries something with one of `count` alternatives, such as GPUs: in tests/run --full always, else in turn.
// `number` is of what it tries, `own` of the alternative.
inline bool isTurn(size_t number, size_t own, size_t count) { return everything() || number % count == own; }

// The alternatives whose turn it is: in tests/run --full all, else one.
template <class T> std::vector<T> byTurns(std::vector<T> all, size_t number) {
  return everything() ? all : std::vector<T>{all[number % all.size()]};
}

} // namespace xt::test
