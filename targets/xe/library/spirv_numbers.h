// The numbers of SPIR-V that code which reads or writes its words needs: from the specification, and from the texts of the
// extensions SPV_KHR_cooperative_matrix, SPV_KHR_bfloat16, SPV_INTEL_split_barrier, SPV_INTEL_2d_block_io, SPV_INTEL_inline_assembly,
// SPV_INTEL_subgroup_matrix_multiply_accumulate and SPV_INTEL_cache_controls. Which of them kernels may have is in
// targets/xe/emit/spirv_table.def.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace xt::spirv {

inline constexpr uint32_t kMagic = 0x07230203, kVersion14 = 0x00010400;
inline constexpr size_t kHeaderWords = 5, kBoundWord = 3; // kBoundWord: the word of the header that bounds all ids

enum Opcode : uint16_t {
  OpUndef = 1,
  OpName = 5,
  OpString = 7,
  OpLine = 8,
  OpExtension = 10,
  OpExtInstImport = 11,
  OpExtInst = 12,
  OpMemoryModel = 14,
  OpEntryPoint = 15,
  OpExecutionMode = 16,
  OpCapability = 17,
  OpTypeVoid = 19,
  OpTypeBool = 20,
  OpTypeInt = 21,
  OpTypeFloat = 22,
  OpTypeVector = 23,
  OpTypePointer = 32,
  OpTypeFunction = 33,
  OpConstantFalse = 42,
  OpConstant = 43,
  OpConstantNull = 46,
  OpFunction = 54,
  OpFunctionParameter = 55,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpLoad = 61,
  OpDecorate = 71,
  OpCompositeConstruct = 80,
  OpCompositeExtract = 81,
  OpFConvert = 115,
  OpBitcast = 124,
  OpControlBarrier = 224,
  OpPhi = 245,
  OpLabel = 248,
  OpReturn = 253,
  OpTypeCooperativeMatrixKHR = 4456,
  OpCooperativeMatrixLoadKHR = 4457,
  OpCooperativeMatrixStoreKHR = 4458,
  OpCooperativeMatrixMulAddKHR = 4459,
  OpAsmTargetINTEL = 5609,
  OpAsmINTEL = 5610,
  OpAsmCallINTEL = 5611,
  OpControlBarrierArriveINTEL = 6142,
  OpControlBarrierWaitINTEL = 6143,
  OpSubgroup2DBlockLoadINTEL = 6231, // followed by the loads that transform and transpose, and by the prefetch
  OpSubgroup2DBlockStoreINTEL = 6235,
  OpSubgroupMatrixMultiplyAccumulateINTEL = 6237,
};

enum Capability : uint32_t {
  CapabilityAddresses = 4,
  CapabilityKernel = 6,
  CapabilityVector16 = 7,
  CapabilityFloat64 = 10,
  CapabilitySubgroupDispatch = 58,
  CapabilityBFloat16TypeKHR = 5116,
  CapabilityBFloat16CooperativeMatrixKHR = 5118,
  CapabilityAsmINTEL = 5606,
  CapabilityCooperativeMatrixKHR = 6022,
  CapabilitySplitBarrierINTEL = 6141,
  CapabilitySubgroup2DBlockIOINTEL = 6228, // the first of three
  CapabilitySubgroup2DBlockTransposeINTEL = 6230, // the last
  CapabilitySubgroupMatrixMultiplyAccumulateINTEL = 6236,
  CapabilityCacheControlsINTEL = 6441,
};

enum Decoration : uint32_t {
  DecorationLinkageAttributes = 41,
  DecorationSideEffectsINTEL = 5608,
  DecorationCacheControlLoadINTEL = 6442,
  DecorationCacheControlStoreINTEL = 6443,
};
inline constexpr uint32_t kLinkageImport = 1, kModeSubgroupSize = 35;

// Scopes, and semantics of barriers and fences.
inline constexpr uint32_t kScopeDevice = 1, kScopeWorkgroup = 2, kScopeSubgroup = 3, kScopeInvocation = 4;
inline constexpr uint32_t kSequentiallyConsistent = 0x10, kWorkgroupMemory = 0x100, kCrossWorkgroupMemory = 0x200;

// Cooperative Matrix Operands, and Cooperative Matrix Layout.
inline constexpr uint32_t kMatrixASigned = 1, kMatrixBSigned = 2, kMatrixCSigned = 4, kMatrixResultSigned = 8;
inline constexpr uint32_t kRowMajor = 0, kColumnMajor = 1;

// An instruction begins with a word of its length, in words, and its opcode.
constexpr uint32_t firstWord(size_t length, uint32_t opcode) { return static_cast<uint32_t>(length) << 16 | opcode; }
constexpr size_t lengthOf(uint32_t firstWord) { return firstWord >> 16; }
constexpr Opcode opcodeOf(uint32_t firstWord) { return static_cast<Opcode>(firstWord & 0xffff); }

// Calls visit(opcode, words) for each instruction of a module, header included. The last one may be cut off.
template <class Visit> void eachInstruction(std::span<const uint32_t> module, Visit visit) {
  for (size_t at = kHeaderWords; at < module.size();) {
    const size_t count = lengthOf(module[at]) > 0 ? lengthOf(module[at]) : 1;
    visit(opcodeOf(module[at]), module.subspan(at, count < module.size() - at ? count : module.size() - at));
    at += count;
  }
}

// Appends a text and its null byte.
inline void addLiteral(std::vector<uint32_t> &words, std::string_view text) {
  const size_t from = words.size();
  words.resize(from + text.size() / 4 + 1, 0);
  std::memcpy(&words[from], text.data(), text.size());
}

// The text in these words, up to its null byte.
inline std::string_view literal(std::span<const uint32_t> words) {
  const auto *text = reinterpret_cast<const char *>(words.data());
  return {text, strnlen(text, words.size_bytes())};
}

} // namespace xt::spirv
