#include "ir/named_barriers.h"

namespace xt {

void NamedBarriers::reset() {
  allocated = 0;
  for (State &state : states_) state = {};
}

void NamedBarriers::arrive(const NamedBarrierPart &part, size_t subgroup) {
  State &state = states_[part.id];
  state.producers += part.role != 2;
  state.consumers += part.role != 1;
  state.arrivedIn[subgroup] = state.round;
  if (state.producers < part.producers || state.consumers < part.consumers) return;
  state.producers -= part.producers;
  state.consumers -= part.consumers;
  ++state.round;
}

bool NamedBarriers::complete(const NamedBarrierPart &part, size_t subgroup) const {
  const State &state = states_[part.id];
  auto arrived = state.arrivedIn.find(subgroup);
  return arrived != state.arrivedIn.end() && state.round > arrived->second;
}

} // namespace xt
