// All kernels, for tests that compile each for every GPU, and a list of those that exceed the limits of a GPU.
#pragma once
#include "tests/golden.h"

#include <set>
#include <string_view>

namespace xt::test {

inline constexpr std::string_view kGpus[] = {"xe-pvc", "xe-bmg", "xe-dg2", "spirv"};

inline std::vector<std::filesystem::path> gpuKernels() {
  std::vector<std::filesystem::path> all;
  for (const char *from : {"../stdlib", "../examples", "rfc/mended", "peers"})
    for (const auto &path : filesIn(from, ".xt"))
      if (path.stem() != "00_inputs") all.push_back(path);
  return all;
}

struct TooMuch {
  std::string_view file; // prefix of the file's name
  std::string_view gpus; // on these GPUs …
  std::string_view codes; // … it is rejected with these messages
};
inline constexpr TooMuch kTooMuch[] = {
    // Exchanges of its transpose and its convert_layout.
    {"02_fused_reduce", "spirv", "0602"},
    // Two buffers of 64 KiB for 64 subgroups.
    {"04_shared_memory", "xe-dg2", "0602"},
    {"04_shared_memory", "spirv", "0602 0607"},
    // At lane scope, with products for 16 lanes.
    {"14_lanes", "xe-dg2", "0605 0608 0610"},
    {"14_lanes", "spirv", "0605 0610"},
    // Written in XeGPU ops, which GPUs without block messages perform lane by lane; some devices lack named barriers.
    {"81_xegpu", "xe-dg2 spirv", "0610"},
    {"82_xegpu", "xe-dg2", "0610"},
    {"82_xegpu", "spirv", "0610"}, // 1D blocks too
    {"92_xegpu", "spirv", "0606"},
    {"93_xegpu", "spirv", "0606"},
    {"94_xegpu", "spirv", "0606"},
    {"95_xegpu", "spirv", "0606"},
    {"17_wg_gemm_bf16_prefetch", "spirv", "0606"},
    // Stores blocks of 16x8xf32.
    {"25_masked_chunks_in_slm", "xe-pvc xe-bmg xe-dg2 spirv", "0610"},
    // 2D blocks of shared local memory, stores of 16 rows.
    {"xegpu_blocks", "xe-pvc xe-bmg xe-dg2", "0610"},
    {"xegpu_blocks", "spirv", "0606 0610"},
};

inline constexpr std::string_view kWarning = "0610";

// The codes of the messages for a kernel of gpuKernels, e.g. "0603"; empty: it compiles without a message.
inline std::set<std::string> limitsTold(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes;
  for (const TooMuch &entry : kTooMuch) {
    if (!path.filename().string().starts_with(entry.file) || entry.gpus.find(gpu) == std::string_view::npos) continue;
    std::istringstream words{std::string(entry.codes)};
    for (std::string code; words >> code;) codes.insert(code);
  }
  return codes;
}

// The codes of the errors that reject it; empty: it compiles.
inline std::set<std::string> limitsBroken(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes = limitsTold(path, gpu);
  codes.erase(std::string(kWarning));
  return codes;
}

} // namespace xt::test
