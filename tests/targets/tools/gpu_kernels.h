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
    {"14_lanes", "xe-dg2", "0603 0605 0608"},
    {"14_lanes", "spirv", "0603 0605"},
    // Written in XeGPU ops, which a GPU without block messages or named barriers has not.
    {"81_xegpu", "xe-dg2 spirv", "0603"},
    {"82_xegpu", "xe-dg2 spirv", "0603"},
    {"92_xegpu", "xe-dg2 spirv", "0606"},
    {"93_xegpu", "xe-dg2 spirv", "0606"},
    {"94_xegpu", "xe-dg2 spirv", "0606"},
    {"95_xegpu", "xe-dg2 spirv", "0606"},
    {"17_wg_gemm_bf16_prefetch", "xe-dg2 spirv", "0606"},
    // Stores blocks of 16x8xf32.
    {"25_masked_chunks_in_slm", "xe-pvc xe-bmg xe-dg2 spirv", "0603"},
    // 2D blocks of shared local memory, stores of 16 rows: what the interpreter and the CPU do.
    {"xegpu_blocks", "xe-pvc xe-bmg", "0603"},
    {"xegpu_blocks", "xe-dg2 spirv", "0603 0606"},
};

// The codes of the messages with which a kernel of gpuKernels is refused, "0603"; none: it compiles.
inline std::set<std::string> limitsBroken(const std::filesystem::path &path, std::string_view gpu) {
  std::set<std::string> codes;
  for (const TooMuch &entry : kTooMuch) {
    if (!path.filename().string().starts_with(entry.file) || entry.gpus.find(gpu) == std::string_view::npos) continue;
    std::istringstream words{std::string(entry.codes)};
    for (std::string code; words >> code;) codes.insert(code);
  }
  return codes;
}

} // namespace xt::test
