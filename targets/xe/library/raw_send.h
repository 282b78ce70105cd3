// Messages of the hardware, and steps of their payloads, as inline assembly in SPIR-V (SPV_INTEL_inline_assembly): what stands
// in OpAsmINTEL.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace xt {

inline constexpr const char *kInlineAssemblyExtension = "SPV_INTEL_inline_assembly";
inline constexpr const char *kAssemblyTarget = "spirv64-unknown-unknown"; // of OpAsmTargetINTEL

// A message that loads, stores or prefetches: the descriptor says what it does, and how many registers it fills.
struct RawSend {
  uint32_t descriptor;
  uint32_t stored = 0; // registers that it stores
  uint32_t registers() const { return descriptor >> 20 & 31; }
};

// The message in vISA's syntax; its operands are the payload, one word of each lane, and what it stores, or the result, if it
// has one.
std::string assemblyOf(const RawSend &send);
// The constraints of these operands.
std::string constraintsOf(const RawSend &send);

// An addition to one word of a payload in place, that is to the word of one lane.
struct PayloadStep {
  unsigned lane;
  int32_t amount;
};
std::string assemblyOf(const PayloadStep &step); // the result, and the operand, in the same register
inline constexpr const char *kStepConstraints = "=rw,0";

// A module of SPIR-V with one kernel, which steps a payload and sends a message. It is for finding out whether a driver builds
// it, and must not be launched.
std::vector<uint8_t> inlineAssemblyProbe();

} // namespace xt
