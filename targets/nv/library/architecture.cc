#include "targets/nv/library/architecture.h"

#include "ir/base/check.h"
#include "ir/base/text.h"

#include <charconv>

namespace xt {

int computeCapabilityOf(const TargetInfo &target) {
  constexpr std::string_view kPrefix = "nv-sm";
  constexpr int kFirst = 80;
  if (target.name == "nv") return kFirst;
  int number = 0;
  if (target.name.starts_with(kPrefix))
    std::from_chars(target.name.data() + kPrefix.size(), target.name.data() + target.name.size(), number);
  XT_CHECK(number >= kFirst, "targets of the family are named after their architecture");
  return number;
}

std::string architectureOf(const TargetInfo &target) { return str("sm_", computeCapabilityOf(target)); }

MultiprocessorInfo multiprocessorOf(const TargetInfo &target) {
  constexpr int64_t kRegisters = 64 << 10;
  switch (computeCapabilityOf(target)) {
  case 80: return {64, 32, kRegisters, 164 << 10};
  case 89: return {48, 24, kRegisters, 100 << 10};
  case 90: return {64, 32, kRegisters, 228 << 10};
  default: return {};
  }
}

} // namespace xt
