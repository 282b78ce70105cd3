// What the emitter needs to know of a processor.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

inline constexpr int64_t kCacheLine = 64; // bytes, of every x86-64

struct CpuInfo {
  std::string triple;   // "x86_64-pc-linux-gnu"
  std::string name;     // LLVM's name: "skylake-avx512", "x86-64-v3"
  std::string features; // that the name does not say: "+avx2,-sse4a,…"; empty: none
  int vectorBytes = 16; // of one register: 16, 32 or 64
  int vectorRegisters = 16;
  bool fma = false;
  bool f16c = false;         // converts between f16 and f32
  bool maskedAccess = false; // masked loads and stores of every element size (AVX-512 BW and VL)
  bool dotBf16 = false;      // vdpbf16ps on whole registers
  bool dotBytes = false;     // vpdpbusd on whole registers
  bool tilesBf16 = false, tilesBytes = false; // AMX
  bool asksIntoFirstCache = false; // what prefetcht1 asks for, into the second cache alone, comes later than by prefetcht0
  bool loadsAcrossLines = false; // of whole registers take no longer than others, beside the products of a nest
  bool nearThirdCache = false;   // rows of a are read from there as quickly as a nest multiplies them
  bool changesBesideProducts = false; // to convert an f16, or to move bytes, for each three or four products of a nest takes as good as no time
  bool foreseesRows = false;     // of a tile that products read where it lies, from wherever it is

  int lanes(int elementBytes) const { return vectorBytes / elementBytes; }
};

// "" or "host": the machine this runs on, with exactly its features, of which AMX needs this process to ask for it. Else one
// of LLVM's names for an x86-64 processor; an unknown one is an Error that names a few.
Result<CpuInfo> cpuInfo(std::string_view name);

// Those features of this machine that decide how fast kernels are, by LLVM's names: "avx2", "amx-bf16" …
std::vector<std::string> vectorFeatures();

// Whether this machine can run code made for `info`.
bool hostCanRun(const CpuInfo &info);

} // namespace xt
