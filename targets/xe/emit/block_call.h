// Selects the function of cl_intel_subgroup_2d_block_io that moves a block so that each lane gets its part.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"
#include "targets/xe/emit/device_functions.h"

#include <optional>
#include <vector>

namespace xt {

struct BlockCall {
  BlockFunction message;
  int bits = 0;          // bits of an element of the message, the unit in which it counts columns
  unsigned wordBits = 0; // bits of one word in a lane's private memory
  size_t words = 0;      // number of these words
  int pack = 1;          // elements of the descriptor per word
  // For each element of the lane's part in row-major order, its position: the index of its word, times `pack`, plus its
  // position in the word.
  std::vector<size_t> places;
};

// Finds the function for the block of a two-dimensional tensor_desc whose sg_map has `lanes` lanes. Nullopt if the target has
// no message of this size that distributes the block over the lanes as the sg_map does.
std::optional<BlockCall> findBlockCall(const TargetInfo &target, BlockUse use, Type desc, int64_t lanes);

} // namespace xt
