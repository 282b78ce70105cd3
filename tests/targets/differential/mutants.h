// Runs mutants, which are kernels that a mutator has changed, in all ways. Their results are unknown, and they may neither
// compile nor terminate, but all ways that run a kernel must agree.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace xt {

enum class Fate : uint8_t {
  Agreed, // all ways that ran the kernel computed the same result
  Refused, // the checker rejected it with a message
  Late, // running or compiling it takes too long
  Stopped, // the interpreter stopped it (an assert, a race, a read of uninitialised memory)
  Unspecified, // its result is unspecified: division by 0, floats out of the range of an integer, the order of atomics
  Addresses, // it uses a raw address differently from the original kernel
  Oversized, // its parameters need more memory than the test provides
  Failed, // a crash, an internal error, or ways whose results differ
};
inline constexpr size_t kFates = static_cast<size_t>(Fate::Failed) + 1;
std::string_view fateText(Fate fate);

struct MutantEnd {
  Fate fate = Fate::Agreed;
  std::string said; // if Failed: the way that failed, and the message
  std::string kernel; // the name of the launched kernel; "" if none was launched
  size_t ran = 0, refused = 0; // if Agreed: number of ways that ran it, and that rejected it with a message (hardware or pass)
  bool loose = false; // if Agreed: some floats differ, as rounding may cause
};

// Runs the kernel with the given name in a child process. If the name is "", chooses a kernel by the seed: among the kernels
// whose text is not in `before`, the text from which the mutant was made, or among all kernels if only functions differ.
MutantEnd runMutant(const std::string &text, const std::string &before, uint64_t seed, bool everyGpu,
                    const std::string &kernel = "");

// Only compiles the text for the interpreter. The fate is Agreed, Refused, Late, Addresses or Failed.
MutantEnd checkMutant(const std::string &text, const std::string &before);

// Returns the smallest text found within `seconds` that fails in the same way.
std::string reduceMutant(const std::string &text, const std::string &kernel, uint64_t seed, bool everyGpu, unsigned seconds);

} // namespace xt
