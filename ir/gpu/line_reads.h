// Loads of the rows of a block by 1D block messages (cl_intel_subgroups): one address for the whole subgroup, from which lane l of L gets
// the words l, l + L, l + 2 L, … of contiguous memory.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"

#include <optional>

namespace xt {

// How such messages load each row of a block. The address of a row must be a multiple of kLineReadAlignment bytes.
struct LineRead {
  int64_t wordBytes = 0; // 1, 2 or 4
  int64_t words = 0; // of each lane in a row
  int64_t pack = 1; // adjacent elements in a word
};
inline constexpr int64_t kLineReadAlignment = 4;
inline constexpr int64_t kMostLineWords = 8; // the words of a lane that one message loads: a power of two

// The messages for a block in memory whose lanes hold it in this layout. Nullopt: they would give lanes other elements, or the target has
// none, or has 2D block messages, which load whole blocks.
std::optional<LineRead> lineRead(const TargetInfo &target, const Layout &block, Elem elem);
// The same for the block of a tensor_desc at lane scope; nullopt also for one that is not in global memory.
std::optional<LineRead> lineRead(const TargetInfo &target, Type desc);

} // namespace xt
