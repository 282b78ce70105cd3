// Which asynchronous copies a target performs, and in what portions: for the passes that keep or make them, and for code
// generation.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"
#include "passes/tile_roots.h"

#include <string>

namespace xt {

class Context;

struct AsyncCopyWidth {
  int64_t bytes = 0;  // that a lane copies at a time; 0: the target cannot perform the copy
  std::string reason; // why not
};
// The largest portion for an `async_copy` that `lanes` lanes perform, of which each copies as many portions. Whatever is unknown at
// compile time of the address and the strides of a parameter is assumed to be a multiple of it; a launch checks that.
AsyncCopyWidth asyncCopyWidth(const Op &copy, const TileRoots &roots, const TargetInfo &target, int64_t lanes);

// How these lanes share the portions of a tile: neighbours along its rows as far as there are lanes. Null if some lanes would have
// none.
const Layout *asyncCopyLayout(Context &context, Type tile, int64_t portion, int64_t lanes);

} // namespace xt
