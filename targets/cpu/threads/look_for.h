// Waiting for another thread without sleeping.
#pragma once
#include <chrono>
#include <thread>

namespace xt {

// Looks until `holds()`, at most so long; gives whether it did. A pause takes 10 to 60 ns, as the processor has it, so that looks
// are not counted. Others that want the processor get it in between.
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
