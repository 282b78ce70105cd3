// Internal to the pass distribute-to-lanes: where lanes have to wait for each other's accesses to memory.
//
// What a subgroup does in order, its lanes do in order only each for itself. Before an access that may meet an earlier one
// of another lane (one of the two writes), the lanes meet at a subgroup_barrier; LaneHazards says where. Different buffers
// in global memory may be the same one.
#pragma once
#include "ir/op.h"

#include <vector>

namespace xt {

struct LaneAccess {
  MemorySpace space = MemorySpace::Global;
  bool writes = false;
  // A window whose rows and columns are told apart; null: anywhere in the space.
  const Op *init = nullptr;        // the init_tile
  const Layout *layout = nullptr;  // which lane touches which element
};

class LaneHazards {
public:
  // Whether lanes must meet before this access. If so, clear() before note().
  bool meets(const LaneAccess &access) const;
  void note(const LaneAccess &access);
  void clear() { pending_.clear(); } // all lanes have met

  // Around the regions of a structure op: what a step of a loop leaves is there when the next begins, and where no step
  // runs, what was there before stays.
  using State = std::vector<LaneAccess>;
  State enter(const Op &structure);
  void leave(const State &before);
  const State &state() const { return pending_; }

private:
  State pending_; // accesses since the lanes met last
};

// What the op does with memory, if anything: at most a read and a write.
std::vector<LaneAccess> laneAccesses(const Op &op);

} // namespace xt
