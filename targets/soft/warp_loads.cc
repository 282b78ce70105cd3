#include "targets/soft/warp_loads.h"

#include "ir/base/text.h"
#include "ir/gpu/matrix_loads.h"
#include "targets/soft/workgroup.h"

namespace xt::soft {
namespace {

constexpr size_t kLanes = 32, kRows = kMatrixRows, kRowBytes = kMatrixRowBytes, kWord = 4, kHalf = 2;

// What one lane gets of a matrix, whose rows the addresses give: word c of row r, or the elements 2 r and 2 r + 1 of column c.
void give(std::byte *word, const std::byte *const *rows, size_t lane, bool transposed) {
  size_t row = lane / (kRowBytes / kWord), column = lane % (kRowBytes / kWord);
  if (!transposed) {
    std::memcpy(word, rows[row] + column * kWord, kWord);
    return;
  }
  for (size_t i = 0; i < 2; ++i) std::memcpy(word + i * kHalf, rows[2 * column + i] + row * kHalf, kHalf);
}

void load(Meeting &meeting, size_t matrices, bool transposed) {
  if (meeting.count() != kLanes)
    return meeting.fail(str("ldmatrix needs warps of ", kLanes, " lanes, but this one has ", meeting.count()));
  const std::byte *rows[kLanes];
  Workgroup &group = meeting.group();
  for (size_t i = 0; i < matrices * kRows; ++i) {
    rows[i] = meeting.argument<const std::byte *>(i, 0);
    auto address = reinterpret_cast<uint64_t>(rows[i]);
    if (address % kRowBytes) return meeting.fail(str("the address that lane ", i, " gives is not a multiple of ", kRowBytes));
    if (!group.memory().localVariable(address, kRowBytes))
      return meeting.fail(str("the address that lane ", i, " gives is out of bounds of every variable in shared local memory"));
    if (!group.watchRead(meeting.first() + i, rows[i], kRowBytes)) return;
  }
  group.countBankConflicts({rows, matrices * kRows});
  for (size_t lane = 0; lane < kLanes; ++lane)
    for (size_t m = 0; m < matrices; ++m)
      give(static_cast<std::byte *>(meeting.result(lane)) + m * kWord, rows + m * kRows, lane, transposed);
}

} // namespace

std::string warpLoadName(int matrices, bool transposed) {
  return str("xtWarpLoad_", matrices, transposed ? "_transposed" : "");
}

std::optional<Collective> warpLoad(const BuiltinName &name) {
  for (int matrices : {1, 2, 4})
    for (bool transposed : {false, true})
      if (name.name == warpLoadName(matrices, transposed))
        return Collective{"ldmatrix", kOfSubgroup,
                          [=](Meeting &meeting) { load(meeting, static_cast<size_t>(matrices), transposed); }};
  return std::nullopt;
}

} // namespace xt::soft
