#include "targets/xe/emit/spirv_table.h"

#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "targets/xe/library/spirv_numbers.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <vector>

namespace xt {
namespace {

#define XT_SPIRV_OP(name, number)
#define XT_SPIRV_CAPABILITY(name, number)
#define XT_SPIRV_MATH(name, number)

#undef XT_SPIRV_OP
#define XT_SPIRV_OP(name, number) {"Op" #name, number},
constexpr SpirvEntry kInstructions[] = {
#include "targets/xe/emit/spirv_table.def"
};
#undef XT_SPIRV_OP
#define XT_SPIRV_OP(name, number)

#undef XT_SPIRV_CAPABILITY
#define XT_SPIRV_CAPABILITY(name, number) {#name, number},
constexpr SpirvEntry kCapabilities[] = {
#include "targets/xe/emit/spirv_table.def"
};
#undef XT_SPIRV_CAPABILITY
#define XT_SPIRV_CAPABILITY(name, number)

#undef XT_SPIRV_MATH
#define XT_SPIRV_MATH(name, number) {#name, number},
constexpr SpirvEntry kMath[] = {
#include "targets/xe/emit/spirv_table.def"
};
#undef XT_SPIRV_OP
#undef XT_SPIRV_CAPABILITY
#undef XT_SPIRV_MATH

constexpr uint32_t kFirstOfIntel =
    spirv::CapabilitySubgroup2DBlockIOINTEL; // instructions and capabilities from this number on are of Intel's extensions
static_assert(std::ranges::is_sorted(kInstructions, {}, &SpirvEntry::number) &&
              std::ranges::is_sorted(kCapabilities, {}, &SpirvEntry::number) &&
              std::ranges::is_sorted(kMath, {}, &SpirvEntry::number));

bool has(std::span<const SpirvEntry> entries, uint32_t number) {
  return std::ranges::binary_search(entries, number, {}, &SpirvEntry::number);
}

} // namespace

std::span<const SpirvEntry> spirvInstructions() { return kInstructions; }
std::span<const SpirvEntry> spirvCapabilities() { return kCapabilities; }
std::span<const SpirvEntry> spirvMath() { return kMath; }

Result<void> checkSpirv(std::span<const uint8_t> spirv, SpirvExtensions extensions) {
  auto allowed = [&](std::span<const SpirvEntry> entries, uint32_t number) {
    const bool assembly = number >= spirv::CapabilityAsmINTEL && number <= spirv::OpAsmCallINTEL;
    if (assembly && extensions != SpirvExtensions::InlineAssembly) return false;
    return (extensions == SpirvExtensions::Intel || number < kFirstOfIntel) && has(entries, number);
  };
  auto wrong = [](std::string what) {
    return internalError(
        str("the SPIR-V of a kernel has ", what, ", which is not in the list of what Intel's compiler accepts"));
  };
  std::vector<uint32_t> words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  std::set<uint32_t> mathSets; // ids of the imports of OpenCL.std
  for (size_t at = spirv::kHeaderWords; at < words.size();) {
    uint32_t op = spirv::opcodeOf(words[at]);
    size_t count = spirv::lengthOf(words[at]);
    if (count == 0 || count > words.size() - at) return wrong("an instruction that is cut off");
    std::span<const uint32_t> operands = std::span(words).subspan(at + 1, count - 1);
    at += count;
    if (!allowed(kInstructions, op)) return wrong(str("the instruction ", op));
    if (op == spirv::OpCapability && !allowed(kCapabilities, operands[0])) return wrong(str("the capability ", operands[0]));
    if (op == spirv::OpExtInstImport && spirv::literal(operands.subspan(1)) == "OpenCL.std") mathSets.insert(operands[0]);
    if (op == spirv::OpExtInst && mathSets.contains(operands[2]) && !has(kMath, operands[3]))
      return wrong(str("the function ", operands[3], " of OpenCL.std"));
  }
  return {};
}

} // namespace xt
