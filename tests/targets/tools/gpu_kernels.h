// Every kernel there is, for tests that compile them all for each GPU, and those that ask more of one than it has.
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
  std::string_view file; // its name begins so
  std::string_view gpus; // on these …
  std::string_view codes; // … it is refused with these messages
};
inline constexpr TooMuch kTooMuch[] = {
    // What its transpose and its convert_layout exchange.
    {"02_fused_reduce", "spirv", "0602"},
    // Two buffers of 64 KiB for 64 subgroups.
    {"04_shared_memory", "xe-dg2", "0602"},
    {"04_shared_memory", "spirv", "0602 0607"},
    // At lane scope, with products of 16 lanes.
    {"14_lanes", "xe-dg2", "0605 0608 0610"},
    {"14_lanes", "spirv", "0605 0610"},
    // Written in XeGPU ops, which a GPU without block messages does lane by lane; named barriers are not on every device.
    {"81_xegpu", "xe-dg2 spirv", "0610"},
    {"82_xegpu", "xe-dg2", "0610"},
    {"82_xegpu", "spirv", "0603 0610"}, // 1D blocks too
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

// The codes of the messages that a kernel of gpuKernels gets, "0603"; none: it compiles without a word.
inline std::set<std::string> limitsTold(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes;
  for (const TooMuch &entry : kTooMuch) {
    if (!path.filename().string().starts_with(entry.file) || entry.gpus.find(gpu) == std::string_view::npos) continue;
    std::istringstream words{std::string(entry.codes)};
    for (std::string code; words >> code;) codes.insert(code);
  }
  return codes;
}

// Those with which it is refused; none: it compiles.
inline std::set<std::string> limitsBroken(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes = limitsTold(path, gpu);
  codes.erase(std::string(kWarning));
  return codes;
}

} // namespace xt::test
