// Chooses which combinations of values to measure next, when measuring all of them would take too long.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace xt {

// A combination: for each parameter, the number of its value.
using TunePoint = std::vector<size_t>;

// First varies one parameter at a time, from the best combination so far, until none is better. Then a model, in which each
// value multiplies the time by a factor of its own, says which of the others may be as fast as the best one; the rest is left
// out. No result depends on anything but what add() was told.
class TuneSearch {
public:
  // `counts`: the number of values of each parameter. The search begins with `start`.
  TuneSearch(std::vector<size_t> counts, TunePoint start);

  // The combinations to measure now, at most `most`; empty: the search is over. All of them must be given to add() before the
  // next call.
  std::vector<TunePoint> next(size_t most);
  // The time of a combination; nullopt: it cannot be used.
  void add(const TunePoint &point, std::optional<double> seconds);

  // The fastest combinations so far, the best one first.
  std::vector<TunePoint> best(size_t most) const;
  std::optional<double> bestSeconds() const;
  size_t candidates() const; // all combinations; at most kMostCandidates + 1
  size_t measured() const { return times_.size(); }

  static constexpr size_t kMostCandidates = 1'000'000; // with more, only one parameter at a time is varied

private:
  std::vector<TunePoint> varied(size_t parameter) const;
  std::vector<TunePoint> promising(size_t most) const;
  std::vector<std::vector<double>> fit(double &mean) const;

  std::vector<size_t> counts_;
  TunePoint start_;
  std::map<TunePoint, std::optional<double>> times_;
  size_t parameter_ = 0; // which one is varied next
  size_t without_ = 0; // parameters that have been varied since the best combination changed
  std::optional<TunePoint> centre_; // the best combination when without_ was set to 0
};

} // namespace xt
