// Spinning: waiting for another thread without sleeping.
#pragma once
#include <chrono>
#include <thread>

namespace xt {

// Spins until `holds()` is true, but at most for `most`; returns whether it became true. A pause instruction takes 10 to 60 ns,
// depending on the processor, so the limit is a time and not a count. Yields in between, so that other threads can use the
// processor.
template <class Holds> bool lookFor(std::chrono::microseconds most, Holds holds) {
  constexpr int kPauses = 256; // between two looks at the clock
  if (holds()) return true;
  const auto end = std::chrono::steady_clock::now() + most;
  do {
    for (int i = 0; i < kPauses; ++i) {
      if (holds()) return true;
      __builtin_ia32_pause();
    }
    std::this_thread::yield();
  } while (std::chrono::steady_clock::now() < end);
  return holds();
}

} // namespace xt
