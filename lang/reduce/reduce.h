// Makes a text smaller by its syntax for as long as it stays interesting.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace xt {

struct ReduceProgress {
  std::string_view pass;
  size_t bytes = 0, tried = 0; // of the smallest text that was found; texts that were asked about
};

struct ReduceHooks {
  // Whether a text still shows what is looked for. Asked once at most about each text.
  std::function<bool(const std::string &text)> isInteresting;
  std::function<bool()> isStopped = {};                       // what has been found by then is the result; none: never
  std::function<void(const ReduceProgress &progress)> progress = {}; // after each question
};

// `text` is interesting. Gives the smallest text that was found. Broken text and text that is not UTF-8 are reduced as well.
std::string reduceText(std::string text, const ReduceHooks &hooks);

} // namespace xt
