// All kernels, for tests that compile each for every GPU, and a list of those that exceed the limits of a GPU.
#pragma once
#include "tests/golden.h"

#include <iterator>
#include <set>
#include <sstream>
#include <string_view>

namespace xt::test {

inline constexpr std::string_view kGpus[] = {"xe-pvc", "xe-bmg", "xe-dg2", "spirv", "spirv-coop"};

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
  std::string_view codes; // … it gives these messages
};
inline constexpr TooMuch kTooMuch[] = {
    // It has two buffers of 64 KiB for 64 subgroups.
    {"04_shared_memory", "xe-dg2", "0602"},
    {"04_shared_memory", "spirv", "0602 0607"},
    {"04_shared_memory", "spirv-coop", "0602"},
    // It is at lane scope, with products for 16 lanes.
    {"14_lanes", "xe-dg2", "0605 0608 0610"},
    {"15_joint_matrix", "xe-dg2", "0612"},
    {"14_lanes", "spirv spirv-coop", "0610"},
    // These are written in XeGPU ops, which GPUs without block messages perform lane by lane. Some devices lack named barriers.
    {"81_xegpu", "xe-dg2 spirv spirv-coop", "0610"},
    {"82_xegpu", "xe-dg2", "0610"},
    {"82_xegpu", "spirv spirv-coop", "0610"}, // 1D blocks too
    {"92_xegpu", "spirv spirv-coop", "0606"},
    {"93_xegpu", "spirv spirv-coop", "0606"},
    {"94_xegpu", "spirv spirv-coop", "0606"},
    {"95_xegpu", "spirv spirv-coop", "0606"},
    {"17_wg_gemm_bf16_prefetch", "spirv spirv-coop", "0606"},
    // It stores blocks of 16x8xf32.
    {"25_masked_chunks_in_slm", "xe-pvc xe-bmg xe-dg2 spirv spirv-coop", "0610"},
    // It has 2D blocks of shared local memory, and stores of 16 rows.
    {"xegpu_blocks", "xe-pvc xe-bmg xe-dg2", "0610"},
    {"xegpu_blocks", "spirv spirv-coop", "0606 0610"},
};

inline constexpr std::string_view kWarning = "0610";

// Returns the codes of the messages for a kernel of gpuKernels, such as "0603". The set is empty if the kernel compiles without
// a message.
inline std::set<std::string> limitsTold(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes;
  auto words = [](std::string_view text) {
    std::istringstream in{std::string(text)};
    return std::set<std::string>(std::istream_iterator<std::string>(in), {});
  };
  for (const TooMuch &entry : kTooMuch)
    if (path.filename().string().starts_with(entry.file) && words(entry.gpus).contains(std::string(gpu)))
      codes.merge(words(entry.codes));
  return codes;
}

// Returns the codes of the errors that reject the kernel. The set is empty if the kernel compiles.
inline std::set<std::string> limitsBroken(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes = limitsTold(path, gpu);
  codes.erase(std::string(kWarning));
  return codes;
}

} // namespace xt::test
