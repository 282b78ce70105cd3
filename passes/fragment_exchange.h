// Internal to the pass distribute-to-lanes: moves elements between lanes. Each register of the result comes from registers of
// other lanes, by shuffles.
#pragma once
#include "passes/lane_places.h"

#include <functional>

namespace xt {

class FragmentExchange {
public:
  FragmentExchange(Builder &builder, LanePlaces &places) : b_(builder), places_(places) {}

  // A fragment converted to another layout; unchanged if it already has that layout.
  Value *converted(Value *fragment, const Layout *from, const Layout *to);

  // Maps an index of the result to the source index; nullopt: the element comes from `otherwise` (null: any value).
  using Source = std::function<std::optional<std::vector<int64_t>>(std::span<const int64_t> index)>;
  Value *exchanged(Value *fragment, const Layout *from, const Layout *to, const Source &source, Value *otherwise = nullptr);

  // The value of the lane with this number.
  Value *shuffled(Value *value, Value *lane);

private:
  struct Move { // how lanes obtain a group of adjacent elements
    std::vector<int64_t> lane;                   // for each lane: the lane that it reads from; -1: none
    std::vector<std::vector<int64_t>> registers; // for each lane: where the group begins among the source's elements
    std::vector<int64_t> shape;                  // shape of the group that moves at once

    // Adds the next lane, which reads the element at `index` from itself if it holds it.
    void add(const Layout *from, std::span<const int64_t> index);
    void addNone();
  };
  Value *moved(Value *fragment, const Move &move, Value *otherwise);

  Builder &b_;
  LanePlaces &places_;
};

} // namespace xt
