// Tests which combinations the search of the tuner measures, on times that are formulas.
#include "targets/tune/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace xt {
namespace {

using Time = std::function<std::optional<double>(const TunePoint &)>;

// Runs a search to its end, `batch` combinations at once.
TuneSearch searched(std::vector<size_t> counts, TunePoint start, const Time &time, size_t batch = 4) {
  TuneSearch search(std::move(counts), std::move(start));
  std::set<TunePoint> seen;
  for (std::vector<TunePoint> points; !(points = search.next(batch)).empty();) {
    EXPECT_LE(points.size(), batch);
    for (const TunePoint &point : points) {
      EXPECT_TRUE(seen.insert(point).second) << "each combination is measured once";
      search.add(point, time(point));
    }
  }
  return search;
}

TEST(TuneSearch, FactorsOfTheirOwnAreFoundByVaryingOneParameterAtATime) {
  auto time = [](const TunePoint &p) -> std::optional<double> {
    return std::pow(2.0, std::fabs(static_cast<double>(p[0]) - 6)) * std::pow(3.0, static_cast<double>(p[1])) * 0.001;
  };
  TuneSearch search = searched({8, 8, 1}, {0, 5, 0}, time);
  EXPECT_EQ(search.best(1), (std::vector<TunePoint>{{6, 0, 0}}));
  EXPECT_EQ(search.candidates(), 64u);
  EXPECT_LE(search.measured(), 24u) << "the model knows that the others are slower";
}

TEST(TuneSearch, ParametersThatActTogether) {
  // A ridge: the product of both sizes has a best value, and on it one of the parameters matters a little.
  auto time = [](const TunePoint &p) -> std::optional<double> {
    double area = static_cast<double>(p[0] + p[1]) - 6;
    return 1 + 0.1 * area * area + 0.01 * static_cast<double>(p[0]);
  };
  TuneSearch search = searched({7, 7}, {6, 6}, time);
  EXPECT_EQ(search.best(1), (std::vector<TunePoint>{{0, 6}}));
  EXPECT_LT(search.measured(), search.candidates());
}

TEST(TuneSearch, CombinationsThatCannotBeUsed) {
  auto time = [](const TunePoint &p) -> std::optional<double> {
    if (p[0] + p[1] > 4) return std::nullopt;
    return 10.0 - static_cast<double>(std::min<size_t>(p[0], 2) + std::min<size_t>(p[1], 2));
  };
  TuneSearch search = searched({5, 5}, {0, 0}, time);
  EXPECT_EQ(search.best(1), (std::vector<TunePoint>{{2, 2}}));
  EXPECT_EQ(search.bestSeconds(), 6);
  TuneSearch none = searched({3, 2}, {1, 1}, [](const TunePoint &) { return std::optional<double>(); });
  EXPECT_TRUE(none.best(3).empty());
  EXPECT_EQ(none.measured(), 6u) << "while nothing is right, everything is tried";
}

TEST(TuneSearch, NothingToVary) {
  TuneSearch search = searched({}, {}, [](const TunePoint &) { return std::optional(1.0); });
  EXPECT_EQ(search.measured(), 1u);
}

TEST(TuneSearch, ManyParameters) {
  TuneSearch search = searched(std::vector<size_t>(12, 10), TunePoint(12, 0), [](const TunePoint &p) {
    double time = 1;
    for (size_t value : p) time += std::fabs(static_cast<double>(value) - 3);
    return std::optional(time);
  });
  EXPECT_EQ(search.best(1), (std::vector<TunePoint>{TunePoint(12, 3)}));
  EXPECT_EQ(search.candidates(), TuneSearch::kMostCandidates + 1);
  EXPECT_LT(search.measured(), 400u);
}

} // namespace
} // namespace xt
