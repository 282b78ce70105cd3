#include "targets/soft/group_functions.h"
#include "targets/soft/workgroup.h"

#include "ir/base/text.h"

#include <array>

namespace xt::soft {
namespace {

enum class Move : uint8_t { To, Xor, Up, Down, UpFrom, DownFrom, Rotate, Broadcast, First };

struct Exchange {
  std::string_view name;
  Move move;
  bool scoped; // the first argument is the scope
};

constexpr Exchange kExchanges[] = {
    {"__spirv_GroupNonUniformShuffle", Move::To, true},
    {"__spirv_GroupNonUniformShuffleXor", Move::Xor, true},
    {"__spirv_GroupNonUniformShuffleUp", Move::Up, true},
    {"__spirv_GroupNonUniformShuffleDown", Move::Down, true},
    {"__spirv_SubgroupShuffleINTEL", Move::To, false},
    {"__spirv_SubgroupShuffleXorINTEL", Move::Xor, false},
    {"__spirv_SubgroupShuffleUpINTEL", Move::UpFrom, false},
    {"__spirv_SubgroupShuffleDownINTEL", Move::DownFrom, false},
    {"__spirv_GroupNonUniformRotateKHR", Move::Rotate, true},
    {"__spirv_GroupBroadcast", Move::Broadcast, true},
    {"__spirv_GroupNonUniformBroadcast", Move::Broadcast, true},
    {"__spirv_GroupNonUniformBroadcastFirst", Move::First, true},
    {"intel_sub_group_shuffle", Move::To, false},
    {"intel_sub_group_shuffle_xor", Move::Xor, false},
    {"intel_sub_group_shuffle_up", Move::UpFrom, false},
    {"intel_sub_group_shuffle_down", Move::DownFrom, false},
    {"sub_group_shuffle", Move::To, false},
    {"sub_group_shuffle_xor", Move::Xor, false},
    {"sub_group_shuffle_up", Move::Up, false},
    {"sub_group_shuffle_down", Move::Down, false},
    {"sub_group_broadcast", Move::Broadcast, false},
};

// The lane from which a lane takes its value (-1: the lane does not exist), and the argument of that lane (0: the first).
struct Source {
  int64_t lane = -1;
  size_t argument = 0;
};

Source source(Move move, int64_t lane, int64_t lanes, int64_t by) {
  auto inside = [lanes](int64_t from) { return Source{from >= 0 && from < lanes ? from : -1}; };
  switch (move) {
  case Move::To:
  case Move::Broadcast: return inside(by);
  case Move::Xor: return inside(lane ^ by);
  case Move::Up: return inside(lane - by);
  case Move::Down: return inside(lane + by);
  case Move::UpFrom: // arguments (previous, current): the end of the first, then the start of the second
    if (by >= lanes) return {};
    return lane >= by ? Source{lane - by, 1} : Source{lane - by + lanes, 0};
  case Move::DownFrom: // arguments (current, next)
    if (by >= lanes) return {};
    return lane + by < lanes ? Source{lane + by, 0} : Source{lane + by - lanes, 1};
  case Move::Rotate: return {(lane + by) % lanes};
  case Move::First: return {0};
  }
  return {};
}

// Returns the number of the work-item whose value is broadcast. The argument is this number, or the work-item's position in
// the workgroup as a vector (OpGroupBroadcast).
int64_t broadcastFrom(Meeting &meeting, size_t index, size_t numberBytes) {
  const Launch &launch = meeting.group().launch();
  std::array<int64_t, 3> place{};
  size_t coordinates = numberBytes > 8 || (numberBytes == 8 && meeting.count() != launch.subgroupSize) ? 3 : 1;
  if (coordinates == 1) return meeting.argument<uint32_t>(0, index);
  for (size_t d = 0; d < 3 && (d + 1) * 8 <= numberBytes; ++d)
    std::memcpy(&place[d], static_cast<const std::byte *>(meeting.argument(0, index)) + d * 8, 8);
  return (place[2] * launch.groupSize[1] + place[1]) * launch.groupSize[0] + place[0];
}

void exchange(Meeting &meeting, const Exchange &row, const ValueType &value, size_t numberBytes) {
  size_t first = row.scoped ? 1 : 0, number = first + (row.move == Move::UpFrom || row.move == Move::DownFrom ? 2 : 1);
  auto lanes = static_cast<int64_t>(meeting.count());
  if (row.move == Move::Broadcast && !meeting.uniform(number, numberBytes, "the lane of a broadcast")) return;
  int64_t from = row.move == Move::Broadcast ? broadcastFrom(meeting, number, numberBytes) : 0;
  for (size_t i = 0; i < meeting.count(); ++i) {
    int64_t by = row.move == Move::Broadcast || row.move == Move::First ? from : int64_t{meeting.argument<uint32_t>(i, number)};
    Source taken = source(row.move, static_cast<int64_t>(i), lanes, by);
    if (row.move == Move::Broadcast && taken.lane < 0) return meeting.fail(str("a broadcast from lane ", by, " of ", lanes));
    if (taken.lane < 0)
      std::memset(meeting.result(i), 0xff, value.bytes());
    else
      std::memcpy(meeting.result(i), meeting.argument(static_cast<size_t>(taken.lane), first + taken.argument), value.bytes());
  }
}

} // namespace

std::optional<Collective> exchangeFunction(const BuiltinName &name, const ValueType &value) {
  for (const Exchange &row : kExchanges)
    if (row.name == name.name) {
      size_t numberBytes = 4;
      if (row.move == Move::Broadcast && !name.parameters.empty()) {
        std::string_view last = name.parameters.back();
        size_t bits = static_cast<size_t>(namedType(scalarOf(last)).bits), at = last.find('[');
        numberBytes = bits / 8 * (at == std::string_view::npos ? 1 : static_cast<size_t>(last[at + 1] - '0'));
      }
      return Collective{name.name, row.scoped ? 0 : kOfSubgroup,
                        [row, value, numberBytes](Meeting &meeting) { exchange(meeting, row, value, numberBytes); }};
    }
  return std::nullopt;
}

} // namespace xt::soft
