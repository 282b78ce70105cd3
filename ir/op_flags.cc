#include "ir/op_flags.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

constexpr FlagInfo kFlags[] = {
    {"fastmath", OpFlag::FastMath, "none reassoc nnan ninf nsz arcp contract afn fast"},
    {"overflow", OpFlag::Overflow, "none nsw nuw"},
    {"exact", OpFlag::Exact, ""},
    {"to_nearest_even", OpFlag::Rounding, ""},
    {"downward", OpFlag::OtherRounding, ""},
    {"upward", OpFlag::OtherRounding, ""},
    {"toward_zero", OpFlag::OtherRounding, ""},
    {"to_nearest_away", OpFlag::OtherRounding, ""},
    {"uniform", OpFlag::Attribute, ""},
    {"cluster", OpFlag::Attribute, ""},
};

} // namespace

const FlagInfo *findFlag(std::string_view word) {
  const FlagInfo *found = std::ranges::find(kFlags, word, &FlagInfo::word);
  return found == std::end(kFlags) ? nullptr : found;
}

std::string flagWords(const OpInfo &op) {
  std::string words;
  for (OpFlag flag : op.flags)
    for (const FlagInfo &info : kFlags)
      if (info.flag == flag) words += str(words.empty() ? "`" : ", `", info.word, "`");
  return words;
}

} // namespace xt
