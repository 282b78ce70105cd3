#include "passes/lane_moves.h"

#include "ir/base/check.h"
#include "ir/base/extents.h"
#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

// The position of an element in the fragment of a lane that holds it.
std::vector<int64_t> registerOf(const Layout *layout, int64_t lane, std::span<const int64_t> index) {
  std::vector<int64_t> own;
  for (int d = 0; d < layout->rank(); ++d) {
    std::vector<int64_t> slice = layout->sliceOf(Axis::Lane, lane, d);
    auto found = std::find(slice.begin(), slice.end(), index[static_cast<size_t>(d)]);
    XT_CHECK(found != slice.end(), "an owner holds the element");
    own.push_back(found - slice.begin());
  }
  return own;
}

bool isWhole(const Layout *layout, int dim) {
  return std::none_of(layout->factors(dim).begin(), layout->factors(dim).end(),
                      [](const Factor &f) { return f.axis == Axis::Lane; });
}

} // namespace

void LaneMove::add(const Layout *from, std::span<const int64_t> index) {
  auto self = static_cast<int64_t>(lane.size());
  std::vector<int64_t> owners = from->owners(index, Axis::Lane);
  bool itself = std::find(owners.begin(), owners.end(), self) != owners.end();
  lane.push_back(itself ? self : owners[0]);
  registers.push_back(registerOf(from, lane.back(), index));
}

void LaneMove::addNone() {
  lane.push_back(-1);
  registers.emplace_back();
}

std::vector<LaneMove::Source> LaneMove::sources() const {
  std::vector<Source> all;
  std::vector<bool> done(lane.size());
  for (size_t first = 0; first < lane.size(); ++first) {
    if (lane[first] < 0 || done[first]) continue;
    Source source{registers[first], std::vector<bool>(lane.size()), std::vector<bool>(lane.size())};
    for (size_t i = first; i < lane.size(); ++i) {
      if (lane[i] < 0 || registers[i] != source.registers) continue;
      source.lanes[i] = done[i] = true;
      source.from[static_cast<size_t>(lane[i])] = true;
    }
    all.push_back(std::move(source));
  }
  return all;
}

std::vector<LaneMove::Shuffle> LaneMove::shuffles() const {
  std::vector<Shuffle> all;
  std::vector<std::vector<bool>> read; // by shuffle, the lanes that are read
  for (Source &source : sources()) {
    bool stays = true;
    for (size_t i = 0; i < lane.size(); ++i) stays &= !source.lanes[i] || lane[i] == static_cast<int64_t>(i);
    auto fits = [&](size_t k) {
      if (stays || all[k].stays) return false;
      for (size_t i = 0; i < lane.size(); ++i)
        if (source.from[i] && read[k][i]) return false;
      return true;
    };
    size_t k = 0;
    while (k < all.size() && !fits(k)) ++k;
    if (k == all.size()) {
      all.push_back({{}, std::vector<bool>(lane.size()), stays});
      read.emplace_back(lane.size());
    }
    for (size_t i = 0; i < lane.size(); ++i) {
      if (source.lanes[i]) all[k].lanes[i] = true;
      if (source.from[i]) read[k][i] = true;
    }
    all[k].sources.push_back(std::move(source));
  }
  return all;
}

void forEachMove(const Layout *from, const Layout *to,
                 const std::function<void(const std::vector<int64_t> &at, const LaneMove &move)> &visit) {
  std::vector<int64_t> together;
  for (int d = 0; d < from->rank(); ++d)
    together.push_back(isWhole(from, d) && isWhole(to, d) ? from->shape()[static_cast<size_t>(d)] : 1);
  std::vector<int64_t> steps = to->ownerShape(Axis::Lane);
  for (size_t d = 0; d < steps.size(); ++d) steps[d] /= together[d];
  forEachIndex(steps, [&](const std::vector<int64_t> &step) {
    LaneMove move;
    for (int64_t lane = 0; lane < to->axisSize(Axis::Lane); ++lane) {
      std::vector<int64_t> index;
      for (int d = 0; d < to->rank(); ++d) {
        auto i = static_cast<size_t>(d);
        index.push_back(to->sliceOf(Axis::Lane, lane, d)[static_cast<size_t>(step[i] * together[i])]);
      }
      move.add(from, index);
    }
    move.shape = together;
    std::vector<int64_t> at = step;
    for (size_t d = 0; d < at.size(); ++d) at[d] *= together[d];
    visit(at, move);
  });
}

std::string text(const ShuffleCost &cost) {
  return str(counted(cost.shuffles, "shuffle"), " and ", counted(cost.selects, "select"));
}

ShuffleCost shuffleCost(const Layout *from, const Layout *to) {
  ShuffleCost cost;
  forEachMove(from, to, [&](const std::vector<int64_t> &, const LaneMove &move) {
    int64_t size = productOf(move.shape);
    int64_t sources = 0;
    for (const LaneMove::Shuffle &shuffle : move.shuffles()) {
      cost.shuffles += shuffle.stays ? 0 : size;
      sources += static_cast<int64_t>(shuffle.sources.size());
    }
    cost.selects += (sources - 1) * size;
  });
  return cost;
}

} // namespace xt
