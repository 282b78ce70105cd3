// Spinning: waiting for another thread without sleeping.
#pragma once
#include <chrono>
#include <thread>

namespace xt {

// Spins until `condition()` is true, but at most for `most`; returns whether it became true. How long a pause instruction takes
// depends on the processor, so the limit is a time and not a count. Yields in between, so that other threads can use the
// processor.
template <class Condition> bool spinUntil(std::chrono::microseconds most, Condition condition) {
  constexpr int kPauses = 256; // between two readings of the clock
  if (condition()) return true;
  const auto end = std::chrono::steady_clock::now() + most;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (condition()) return true;
      __builtin_ia32_pause();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

} // namespace xt
