// Owns interned layouts: equal layouts of one table are the same pointer. An object that holds a Layout must not outlive its
// table.
#pragma once
#include "ir/layout/layout.h"

#include <deque>
#include <unordered_map>

namespace xt {

class LayoutTable {
public:
  LayoutTable() = default;
  LayoutTable(const LayoutTable &) = delete;
  LayoutTable &operator=(const LayoutTable &) = delete;

  const Layout *intern(Layout layout); // must be canonical already: use makeLayout

private:
  // A deque keeps addresses valid; the map is used for lookup only, so no order depends on a hash.
  std::deque<Layout> layouts_;
  std::unordered_multimap<size_t, const Layout *> index_;
};

} // namespace xt
