// Reduces a text, guided by its syntax, while it stays interesting (ReduceHooks::isInteresting).
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace xt {

struct ReduceProgress {
  std::string_view pass;
  size_t bytes = 0, tried = 0; // size of the best text so far; number of texts tried
};

struct ReduceHooks {
  // Whether a text still shows the behaviour that is searched for. Called at most once for each text.
  std::function<bool(const std::string &text)> isInteresting;
  std::function<bool()> isStopped = {}; // true: stop and return the best text so far; not set: never stop
  std::function<void(const ReduceProgress &progress)> progress = {}; // called after each text that was tried
};

// Returns the smallest text found, in canonical format if that stays interesting. Requires that `text` is interesting; it may
// have syntax errors and need not be UTF-8.
std::string reduceText(std::string text, const ReduceHooks &hooks);

} // namespace xt
