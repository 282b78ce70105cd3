// Internal to the pass distribute-to-lanes: finds where lanes have to wait for each other's memory accesses.
//
// A subgroup performs its accesses in program order, but after the pass each lane orders only its own. If an access may
// conflict with an earlier access of another lane (at least one of them writes), a subgroup_barrier is needed between the two;
// LaneHazards finds these places. Different buffers in global memory may alias.
#pragma once
#include "ir/op.h"

#include <vector>

namespace xt {

struct LaneAccess {
  MemorySpace space = MemorySpace::Global;
  bool writes = false;
  // The init_tile of the window, whose offsets and shape are compared; null: the access may touch any element of the space.
  const Op *init = nullptr;
  const Value *buffer = nullptr; // in shared local memory; null: it may be any
  const Layout *layout = nullptr; // which lane accesses which element
};

class LaneHazards {
public:
  // Whether a barrier is needed before this access. If so, call clear() before note().
  bool meets(const LaneAccess &access) const;
  void note(const LaneAccess &access);
  void clear() { pending_.clear(); } // call this after a barrier

  // Call these around the regions of a structure op. Accesses at the end of an iteration are pending when the next one begins.
  // Accesses before the loop stay pending after it, because it may run zero iterations.
  using State = std::vector<LaneAccess>;
  State enter(const Op &structure);
  void leave(const State &before);
  const State &state() const { return pending_; }

private:
  State pending_; // accesses since the last barrier
};

// The memory accesses of an op: at most one read and one write.
std::vector<LaneAccess> laneAccesses(const Op &op);

} // namespace xt
