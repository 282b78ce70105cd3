// Internal to the pass distribute-to-lanes: moves elements between lanes. Shuffles bring the elements of each register of the
// result from registers of other lanes.
#pragma once
#include "passes/lane_moves.h"
#include "passes/lane_places.h"

#include <functional>

namespace xt {

class FragmentExchange {
public:
  FragmentExchange(Builder &builder, LanePlaces &places) : b_(builder), places_(places) {}

  // The number of instructions of each lane that were created so far to exchange elements.
  const ShuffleCost &cost() const { return cost_; }

  // Converts a fragment to another layout. Returns it unchanged if it already has that layout.
  Value *converted(Value *fragment, const Layout *from, const Layout *to);

  // Maps an index of the result to the source index; nullopt: the element comes from `otherwise` (null: any value).
  using Source = std::function<std::optional<std::vector<int64_t>>(std::span<const int64_t> index)>;
  // Returns a fragment with the layout `to`, whose elements come from where `source` says.
  Value *exchanged(Value *fragment, const Layout *from, const Layout *to, const Source &source, Value *otherwise = nullptr);

  // Returns the `value` of the lane with the number `lane`.
  Value *shuffled(Value *value, Value *lane);

private:
  Value *chosen(const std::vector<bool> &lanes, Value *value, Value *otherwise);
  Value *moved(Value *fragment, const LaneMove &move, Value *otherwise);

  Builder &b_;
  LanePlaces &places_;
  ShuffleCost cost_;
};

} // namespace xt
