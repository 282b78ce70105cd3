// The functions of cl_intel_subgroup_2d_block_io: which one moves a block so that each lane gets what is its part.
#pragma once
#include "ir/target_info.h"
#include "ir/type.h"
#include "targets/xe/emit/device_functions.h"

#include <optional>
#include <vector>

namespace xt {

struct BlockCall {
  DeviceFunction function;
  int bits = 0;          // of an element, as the message counts columns
  unsigned wordBits = 0; // of one number in a lane's private memory …
  size_t words = 0;      // … which has so many of them
  int pack = 1;          // elements of the descriptor in each
  // Of each element of the lane's part, row-major, where it stands: the number of its word * pack + place in the word.
  std::vector<size_t> places;
};

// For blocks of tensor_descs of two dimensions with a sg_map of `lanes` lanes. None where the target has no message of
// the size, and where it deals the block out differently.
std::optional<BlockCall> findBlockCall(const TargetInfo &target, BlockUse use, Type desc, int64_t lanes);

} // namespace xt
