// Internal to the pass distribute-to-lanes: moves elements between lanes. Each register of the result comes from registers of
// other lanes, by shuffles.
#pragma once
#include "passes/lane_moves.h"
#include "passes/lane_places.h"

#include <functional>

namespace xt {

class FragmentExchange {
public:
  FragmentExchange(Builder &builder, LanePlaces &places) : b_(builder), places_(places) {}

  // The instructions of each lane that exchange elements, so far.
  const ShuffleCost &cost() const { return cost_; }

  // A fragment converted to another layout; unchanged if it already has that layout.
  Value *converted(Value *fragment, const Layout *from, const Layout *to);

  // Maps an index of the result to the source index; nullopt: the element comes from `otherwise` (null: any value).
  using Source = std::function<std::optional<std::vector<int64_t>>(std::span<const int64_t> index)>;
  Value *exchanged(Value *fragment, const Layout *from, const Layout *to, const Source &source, Value *otherwise = nullptr);

  // The value of the lane with this number.
  Value *shuffled(Value *value, Value *lane);

private:
  Value *moved(Value *fragment, const LaneMove &move, Value *otherwise);

  Builder &b_;
  LanePlaces &places_;
  ShuffleCost cost_;
};

} // namespace xt
