// How many random kernels, and which: XT_DIFFERENTIAL_KERNELS and XT_DIFFERENTIAL_SEED.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace xt {

struct Rounds {
  uint64_t seed, count;
};

inline Rounds roundsOr(uint64_t count) {
  auto fromEnvironment = [](const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  Rounds rounds{fromEnvironment("XT_DIFFERENTIAL_SEED", 1), fromEnvironment("XT_DIFFERENTIAL_KERNELS", count)};
  std::printf("%llu kernels from seed %llu\n", static_cast<unsigned long long>(rounds.count), static_cast<unsigned long long>(rounds.seed));
  return rounds;
}

} // namespace xt
