// The number of random kernels, the first seed and the GPUs, from the variables XT_DIFFERENTIAL_KERNELS, XT_DIFFERENTIAL_SEED
// and XT_DIFFERENTIAL_GPUS, which is `all` or unset.
#pragma once
#include "ir/gpu/target_info.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace xt {

struct Rounds {
  uint64_t seed, count;
  bool everyGpu; // true: runs each kernel on each GPU; false: runs each kernel on one GPU of each family, in rotation
  uint64_t runsOnGpus() const {
    return count * (everyGpu ? targetInfos(GpuFamily::Xe).size() + targetInfos(GpuFamily::Nvidia).size() : 2);
  }
};

inline Rounds roundsOr(uint64_t count) {
  auto fromEnvironment = [](const char *name, uint64_t otherwise) {
    const char *text = std::getenv(name);
    return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  const char *gpus = std::getenv("XT_DIFFERENTIAL_GPUS");
  Rounds rounds{fromEnvironment("XT_DIFFERENTIAL_SEED", 1), fromEnvironment("XT_DIFFERENTIAL_KERNELS", count),
                gpus && std::string_view(gpus) == "all"};
  std::printf("%llu kernels from seed %llu%s\n", static_cast<unsigned long long>(rounds.count),
              static_cast<unsigned long long>(rounds.seed), rounds.everyGpu ? ", each on every GPU" : "");
  return rounds;
}

} // namespace xt
