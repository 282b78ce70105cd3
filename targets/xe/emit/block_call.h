// The functions of cl_intel_subgroup_2d_block_io: selects the one that moves a block so that each lane gets its part.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"
#include "targets/xe/emit/device_functions.h"

#include <optional>
#include <vector>

namespace xt {

struct BlockCall {
  BlockFunction message;
  int bits = 0;          // of an element, the unit in which the message counts columns
  unsigned wordBits = 0; // bits of one word in a lane's private memory …
  size_t words = 0;      // … and the number of words
  int pack = 1;          // elements of the descriptor per word
  // For each element of the lane's part, row-major, its position: the index of its word * pack + its position in the word.
  std::vector<size_t> places;
};

// For blocks of two-dimensional tensor_descs with a sg_map of `lanes` lanes. None if the target has no message of the size, or
// distributes the block differently.
std::optional<BlockCall> findBlockCall(const TargetInfo &target, BlockUse use, Type desc, int64_t lanes);

} // namespace xt
