// Asynchronous copies.
#include "ir/interp/async_copies.h"
#include "ir/interp/subgroup.h"
#include "ir/views/tile.h"

#include <utility>

namespace xt {

// Reads the source as well, so that an element outside of a buffer is an error at the copy, and the checks know from when on the
// source must not change.
Result<void> Subgroup::beginCopy(const Step &step) {
  auto copy = std::make_shared<AsyncCopyState>();
  copy->step = &step;
  copy->from = std::get<TileValue>(slots_[step.operands[0]]);
  copy->to = std::get<TileValue>(slots_[step.operands[1]]);
  const Holding::Part &part = held(step);
  const AccessSite begins = site(step, CopyPhase::Begins);
  Fragment ignored(part.count);
  if (auto element = xt::loadTile(copy->from, part.slices[0], part.slices[1], Number{}, ignored.data(), begins))
    return reachesOutside(step, copy->from, *element);
  if (auto element = poisonTile(copy->to, part.slices[0], part.slices[1], kSlmPoison, begins))
    return reachesOutside(step, copy->to, *element);
  auto group = std::make_shared<CopyGroup>();
  group->copies.push_back(std::move(copy));
  slots_[step.results[0]] = std::move(group);
  return {};
}

void Subgroup::commitCopies(const Step &step) {
  auto group = std::make_shared<CopyGroup>();
  for (size_t slot : step.operands) {
    const auto &copies = std::get<CopyGroupRef>(slots_[slot])->copies;
    group->copies.insert(group->copies.end(), copies.begin(), copies.end());
  }
  slots_[step.results[0]] = std::move(group);
}

void Subgroup::waitForCopies(const Step &step) {
  for (const auto &copy : std::get<CopyGroupRef>(slots_[step.operands[0]])->copies) {
    if (std::exchange(copy->landed, true)) continue;
    const Step &begun = *copy->step;
    const Holding::Part &part = held(begun);
    const AccessSite lands = site(begun, CopyPhase::Lands);
    Number padding = paddingOf(copy->from.elem, AsyncCopyOp(*begun.op).padding());
    Fragment elements(part.count);
    // Both were in bounds when the copy began.
    xt::loadTile(copy->from, part.slices[0], part.slices[1], padding, elements.data(), lands);
    xt::storeTile(copy->to, part.slices[0], part.slices[1], elements.data(), lands);
  }
}

} // namespace xt
