// The properties of a processor that the emitter depends on.
#pragma once
#include "ir/base/result.h"
#include "targets/cpu/analysis/cpu_tuning.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

inline constexpr int64_t kCacheLine = 64; // in bytes, for every x86-64 processor

struct CpuInfo {
  std::string triple;   // "x86_64-pc-linux-gnu"
  std::string name;     // LLVM's name: "skylake-avx512", "x86-64-v3"
  std::string features; // differences from the named processor: "+avx2,-sse4a,…"; empty: none
  int vectorBytes = 16; // of one register: 16, 32 or 64
  int vectorRegisters = 16;
  bool fma = false;
  bool f16c = false;         // converts between f16 and f32
  bool maskedAccess = false; // masked loads and stores of every element size (AVX-512 BW and VL)
  bool dotBf16 = false;      // vdpbf16ps on whole registers
  bool dotBytes = false;     // vpdpbusd on whole registers
  bool tilesBf16 = false, tilesBytes = false; // AMX
  CpuTuning tuning;

  int lanes(int elementBytes) const { return vectorBytes / elementBytes; }
};

// "" or "host" selects this machine with exactly its features (AMX only if the kernel lets this process use it). Otherwise one
// of LLVM's names for an x86-64 processor; an unknown name is an Error that names a few known ones.
Result<CpuInfo> cpuInfo(std::string_view name);

// The features of this machine that decide how fast kernels are, by LLVM's names: "avx2", "amx-bf16" …
std::vector<std::string> vectorFeatures();

// Whether this machine can run code compiled for `info`.
bool hostCanRun(const CpuInfo &info);

} // namespace xt
