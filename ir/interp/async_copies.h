// Asynchronous copies to shared local memory. A copy fills its target with kSlmPoison when it begins. It reads and writes only
// at the async_wait for its group, which is the latest time that is allowed, so that a kernel that reads the target too early
// does not get the data.
#pragma once
#include "ir/interp/program.h"
#include "ir/interp/values.h"

namespace xt {

// The copy that one subgroup makes of its part of a tile.
struct AsyncCopyState {
  const Step *step = nullptr; // the async_copy
  TileValue from, to;
  bool landed = false;
};

struct CopyGroup {
  std::vector<std::shared_ptr<AsyncCopyState>> copies; // in the order in which they began
};

} // namespace xt
