#include "targets/soft/block_messages.h"
#include "targets/soft/workgroup.h"

#include "ir/base/text.h"

namespace xt::soft {
namespace {

// By cl_intel_subgroups, a read begins at a multiple of 32 bits, and a write at a multiple of 128 bits.
constexpr uint64_t kReadAlignment = 4, kWriteAlignment = 16;

struct Line {
  bool write = false;
  int64_t elementBytes = 0; // size of an element in memory
  int64_t laneBytes = 0;    // bytes that one lane moves
};

void move(Meeting &meeting, const Line &line) {
  if (!meeting.uniform(0, 8, "the address")) return;
  auto address = meeting.argument<uint64_t>(0, 0);
  uint64_t alignment =
      line.write ? kWriteAlignment : std::max<uint64_t>(kReadAlignment, static_cast<uint64_t>(line.elementBytes));
  if (address % alignment)
    return meeting.fail(str("the address 0x", std::hex, address, std::dec, " is not a multiple of ", alignment, " bytes"));
  auto lanes = static_cast<int64_t>(meeting.count());
  if (!accessible(meeting, address, lanes * line.laneBytes)) return;
  auto *memory = reinterpret_cast<std::byte *>(address);
  auto element = static_cast<size_t>(line.elementBytes);
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t at = 0, i = 0; at < line.laneBytes; at += line.elementBytes, ++i) {
      std::byte *there = memory + (i * lanes + lane) * line.elementBytes;
      auto item = static_cast<size_t>(lane);
      if (line.write)
        std::memcpy(there, static_cast<const std::byte *>(meeting.argument(item, 1)) + at, element);
      else
        std::memcpy(static_cast<std::byte *>(meeting.result(item)) + at, there, element);
    }
}

} // namespace

bool accessible(Meeting &meeting, uint64_t address, int64_t bytes) {
  auto size = static_cast<uint64_t>(bytes);
  Workgroup &group = meeting.group();
  if (group.memory().localVariable(address, size) || group.memory().allocationOf(address, size)) return true;
  if (group.memory().inLocal(address)) {
    meeting.fail(str(bytes, " bytes of shared local memory extend beyond the variable in which they begin"));
  } else {
    const MemoryMap &map = *group.launch().memory;
    uint64_t wrong = isReachable(map, address) ? address + size - 1 : address;
    meeting.fail(str(bytes, " bytes are not in one allocation: ", whereIs(map, wrong)));
  }
  return false;
}

std::optional<Collective> lineMessage(const BuiltinName &name, int64_t elementBytes, int64_t bytes, const TargetInfo &target) {
  std::string_view text = name.name;
  Line line{false, elementBytes, bytes};
  if (takePrefix(text, "intel_sub_group_block_write") || takePrefix(text, "__spirv_SubgroupBlockWriteINTEL"))
    line.write = true;
  else if (!takePrefix(text, "intel_sub_group_block_read") && !takePrefix(text, "__spirv_SubgroupBlockReadINTEL"))
    return std::nullopt;
  if (target.lineWords.empty() || elementBytes < 1 || bytes % elementBytes) return std::nullopt;
  return Collective{name.name, kOfSubgroup, [line](Meeting &meeting) { move(meeting, line); }};
}

} // namespace xt::soft
