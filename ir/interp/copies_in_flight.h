// The asynchronous copies of a workgroup that have begun and not landed, listed for each element that they read or write.
#pragma once
#include "ir/interp/monitor.h"
#include "ir/interp/shadow.h"

#include <unordered_map>

namespace xt {

class CopiesInFlight {
public:
  void clear() { flights_.clear(); }
  // Returns a copy in flight that forbids an access to an element; an empty Touch if there is none. If an asynchronous copy
  // makes the access, `phase` says whether this copy begins or lands, and it is added to the copies in flight or removed from
  // them.
  Touch forbids(const Cell &cell, CopyPhase phase, bool writes, const Touch &now) {
    return flights_.empty() && phase != CopyPhase::Begins ? Touch() : find(cell, phase, writes, now);
  }

private:
  struct Flight {
    Touch copy;
    bool writes;
  };
  Touch find(const Cell &cell, CopyPhase phase, bool writes, const Touch &now);

  // For each element, the copies in flight in the order in which they began. The map is used for lookup only.
  std::unordered_map<const Cell *, std::vector<Flight>> flights_;
};

} // namespace xt
