// How the lanes of a subgroup obtain the elements of a vector in another layout, and what that costs.
#pragma once
#include "ir/layout/layout.h"

#include <functional>

namespace xt {

// How each lane obtains a group of adjacent elements: from which lane, and from where in that lane's fragment.
struct LaneMove {
  std::vector<int64_t> lane;                   // for each lane, the lane that it reads from; -1: none
  std::vector<std::vector<int64_t>> registers; // for each lane, where the group begins in the fragment that it reads from
  std::vector<int64_t> shape;                  // of the group

  // Adds the next lane, which reads the element at `index` of a vector with the layout `from`: from itself if it holds it.
  void add(const Layout *from, std::span<const int64_t> index);
  // Adds a lane that reads nothing.
  void addNone();

  // The lanes that read from the same place of a fragment.
  struct Source {
    std::vector<int64_t> registers;
    std::vector<bool> lanes; // that read
    std::vector<bool> from;  // that are read
  };
  // What one shuffle brings, or none if each lane reads from itself: the lanes that are read choose between these sources before
  // it, because no lane is read for two of them.
  struct Shuffle {
    std::vector<Source> sources;
    std::vector<bool> lanes; // that read
    bool stays = true;
  };
  std::vector<Shuffle> shuffles() const;

private:
  std::vector<Source> sources() const;
};

// The moves that convert a fragment of the layout `from` to one of the layout `to`, each with the place in the result's fragment.
// Elements along dimensions that every lane holds completely in both layouts move together.
void forEachMove(const Layout *from, const Layout *to,
                 const std::function<void(const std::vector<int64_t> &at, const LaneMove &move)> &visit);

// Instructions of each lane; a shuffle reads, and a select chooses, one register.
struct ShuffleCost {
  int64_t shuffles = 0, selects = 0;
};
ShuffleCost shuffleCost(const Layout *from, const Layout *to);
// For remarks: "256 shuffles and 240 selects".
std::string text(const ShuffleCost &cost);

// Calls f on every index of a shape, row-major.
template <class F> void forEachIndex(std::span<const int64_t> shape, F f) {
  std::vector<int64_t> index(shape.size(), 0);
  for (bool more = true; more;) {
    f(index);
    more = false;
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) {
        more = true;
        break;
      }
      index[d] = 0;
    }
  }
}

} // namespace xt
