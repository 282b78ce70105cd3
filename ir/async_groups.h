// The order in which the groups of asynchronous copies of a kernel are committed. Hardware that counts groups waits until all but
// the latest few have landed.
#pragma once
#include "ir/module.h"

#include <unordered_map>

namespace xt {

class AsyncGroups {
public:
  explicit AsyncGroups(const Kernel &kernel);
  // The number of groups that were certainly committed after the one that the `async_wait` waits for, on each way to the wait.
  int64_t later(const Op &wait) const { return later_.at(&wait); }

private:
  using Ages = std::unordered_map<const Value *, int64_t>; // of each group: how many were committed after it; for lookup only

  void visit(const Block &block, Ages &ages);
  void visit(const Op &op, Ages &ages);
  void visitRegions(const Op &op, Ages &ages);

  std::unordered_map<const Op *, int64_t> later_; // for lookup only
};

} // namespace xt
