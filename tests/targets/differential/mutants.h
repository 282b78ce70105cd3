// Kernels that a mutator has changed, on all ways to run them: what they compute is not known beforehand, whether they compile
// and end is not either, but all must agree.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace xt {

enum class Fate : uint8_t {
  Agreed,      // each way that took it computed the same
  Refused,     // the checker says what is wrong with it
  Late,        // it, or compiling it, takes too long
  Stopped,     // the interpreter ends it (an assert, a race, a read of what nothing has written)
  Unspecified, // it computes what the language leaves open: quotients by 0, floats out of an integer's range, the order of atomics
  Addresses,   // it does something else with a raw address than the kernel that it was made from
  Oversized,   // its parameters ask for more memory than the test gives
  Failed,      // a crash, an internal error, or ways that differ
};
inline constexpr size_t kFates = static_cast<size_t>(Fate::Failed) + 1;
std::string_view fateText(Fate fate);

struct MutantEnd {
  Fate fate = Fate::Agreed;
  std::string said;         // of Failed: on which way, and what
  std::string kernel;       // the name of the one that was launched; "" where it did not come to that
  size_t ran = 0, refused = 0; // ways, of an agreed one: that ran it, and that the hardware or a pass refused with a message
  bool loose = false;       // floats of it differ as far as rounding may make them
};

// Runs one kernel of the text in a process of its own: the one of that name; with "" one of those whose text is not in
// `before`, the text that the mutant was made from, or any kernel where only functions differ. The seed chooses among several.
MutantEnd runMutant(const std::string &text, const std::string &before, uint64_t seed, bool everyGpu, const std::string &kernel = "");

// Only whether it compiles for the interpreter: Agreed, Refused, Late, Addresses or Failed.
MutantEnd checkMutant(const std::string &text, const std::string &before);

// The smallest text that fails likewise, within so many seconds.
std::string reduceMutant(const std::string &text, const std::string &kernel, uint64_t seed, bool everyGpu, unsigned seconds);

} // namespace xt
