#include "targets/tune/search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace xt {
namespace {

// What the model promises to be slower than this many times the best time is not measured. The model does not know how parameters
// act together, so that it is often wrong by some percent.
constexpr double kHopeless = 1.25;

// A clock may show no time for a short launch, but the model takes logarithms.
constexpr double kLeastSeconds = 1e-9;

} // namespace

TuneSearch::TuneSearch(std::vector<size_t> counts, TunePoint start) : counts_(std::move(counts)), start_(std::move(start)) {}

size_t TuneSearch::candidates() const {
  size_t all = 1;
  for (size_t count : counts_) all = std::min(all * count, kMostCandidates + 1);
  return all;
}

void TuneSearch::add(const TunePoint &point, std::optional<double> seconds) {
  if (seconds) seconds = std::max(*seconds, kLeastSeconds);
  times_[point] = seconds;
}

std::vector<TunePoint> TuneSearch::best(size_t most) const {
  std::vector<std::pair<double, TunePoint>> good;
  for (const auto &[point, seconds] : times_)
    if (seconds) good.emplace_back(*seconds, point);
  std::ranges::sort(good);
  std::vector<TunePoint> points;
  for (size_t i = 0; i < std::min(most, good.size()); ++i) points.push_back(good[i].second);
  return points;
}

std::optional<double> TuneSearch::bestSeconds() const {
  std::optional<double> fastest;
  for (const auto &[point, seconds] : times_)
    if (seconds && (!fastest || *seconds < *fastest)) fastest = seconds;
  return fastest;
}

// The combinations that differ from the best one in one parameter and have not been measured.
std::vector<TunePoint> TuneSearch::varied(size_t parameter) const {
  std::vector<TunePoint> points;
  TunePoint point = centre_.value_or(start_);
  for (point[parameter] = 0; point[parameter] < counts_[parameter]; ++point[parameter])
    if (!times_.contains(point)) points.push_back(point);
  return points;
}

std::vector<TunePoint> TuneSearch::next(size_t most) {
  if (times_.empty()) return {start_};
  if (std::vector<TunePoint> fastest = best(1); !fastest.empty() && centre_ != fastest[0]) centre_ = fastest[0], without_ = 0;
  for (; without_ < counts_.size(); ++without_, parameter_ = (parameter_ + 1) % counts_.size()) {
    std::vector<TunePoint> points = varied(parameter_);
    if (points.empty()) continue;
    points.resize(std::min(points.size(), most));
    return points;
  }
  return candidates() <= kMostCandidates ? promising(most) : std::vector<TunePoint>();
}

// The model: log(time) = mean + the effects of the values, least squares by going round the parameters. A value that was never
// measured has no effect.
std::vector<std::vector<double>> TuneSearch::fit(double &mean) const {
  constexpr int kRounds = 20;
  std::vector<std::vector<double>> effects;
  for (size_t count : counts_) effects.emplace_back(count, 0.0);
  std::vector<std::pair<const TunePoint *, double>> rest; // measured, and what the effects do not explain
  mean = 0;
  for (const auto &[point, seconds] : times_)
    if (seconds) rest.emplace_back(&point, std::log(*seconds)), mean += rest.back().second;
  if (rest.empty()) return effects;
  mean /= static_cast<double>(rest.size());
  for (auto &[point, value] : rest) value -= mean;
  for (int round = 0; round < kRounds; ++round)
    for (size_t p = 0; p < counts_.size(); ++p) {
      std::vector<double> sum(counts_[p], 0.0), count(counts_[p], 0.0);
      for (const auto &[point, value] : rest) sum[(*point)[p]] += value, count[(*point)[p]] += 1;
      for (size_t v = 0; v < counts_[p]; ++v) effects[p][v] += count[v] > 0 ? sum[v] / count[v] : 0;
      for (auto &[point, value] : rest) value -= sum[(*point)[p]] / count[(*point)[p]];
    }
  return effects;
}

std::vector<TunePoint> TuneSearch::promising(size_t most) const {
  const std::optional<double> fastest = bestSeconds();
  double mean = 0;
  const std::vector<std::vector<double>> effects = fit(mean);
  std::vector<std::pair<double, TunePoint>> found;
  TunePoint point(counts_.size(), 0);
  for (size_t left = candidates(); left > 0; --left) {
    double predicted = mean;
    for (size_t p = 0; p < point.size(); ++p) predicted += effects[p][point[p]];
    bool hopes = !fastest || predicted < std::log(*fastest * kHopeless);
    if (hopes && !times_.contains(point)) found.emplace_back(predicted, point);
    for (size_t p = point.size(); p-- > 0 && ++point[p] == counts_[p];) point[p] = 0;
  }
  std::ranges::sort(found);
  std::vector<TunePoint> points;
  for (size_t i = 0; i < std::min(most, found.size()); ++i) points.push_back(std::move(found[i].second));
  return points;
}

} // namespace xt
