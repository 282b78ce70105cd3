// The asynchronous copies of a workgroup that have begun and not landed, by the elements that they move.
#pragma once
#include "ir/interp/monitor.h"
#include "ir/interp/shadow.h"

#include <unordered_map>

namespace xt {

class CopiesInFlight {
public:
  void clear() { flights_.clear(); }
  // Returns the copy in flight that forbids an access to an element, if there is one. The access may be one of a copy itself,
  // which begins or lands with it.
  Touch forbids(const Cell &cell, CopyPhase phase, bool writes, const Touch &now) {
    return flights_.empty() && phase != CopyPhase::Begins ? Touch() : find(cell, phase, writes, now);
  }

private:
  struct Flight {
    Touch copy;
    bool writes;
  };
  Touch find(const Cell &cell, CopyPhase phase, bool writes, const Touch &now);

  // In the order in which the copies began; used for lookup only.
  std::unordered_map<const Cell *, std::vector<Flight>> flights_;
};

} // namespace xt
