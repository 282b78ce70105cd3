// Asynchronous copies to shared local memory. A copy poisons its target when it begins, and reads and writes when the wait for
// its group forces it: the latest time that is allowed, so that a kernel that reads too early gets no data.
#pragma once
#include "ir/interp/program.h"
#include "ir/interp/values.h"

namespace xt {

// The part of a tile that one subgroup copies.
struct AsyncCopyState {
  const Step *step = nullptr; // the async_copy
  TileValue from, to;
  bool landed = false;
};

struct CopyGroup {
  std::vector<std::shared_ptr<AsyncCopyState>> copies; // in the order in which they began
};

} // namespace xt
