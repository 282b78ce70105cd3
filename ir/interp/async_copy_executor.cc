#include "ir/interp/async_copy_executor.h"

#include "ir/interp/async_copies.h"
#include "ir/views/tile.h"

#include <utility>

namespace xt {

// Begins a copy. Reads the source already here and ignores its elements: an element outside of a buffer is then an error at
// the async_copy, and the checks learn that the source must not change from now on.
Result<void> AsyncCopyExecutor::begin(const Step &step) {
  auto copy = std::make_shared<AsyncCopyState>();
  copy->step = &step;
  copy->from = values_.get<TileValue>(step, 0);
  copy->to = values_.get<TileValue>(step, 1);
  const Holding::Part &part = worker_.held(step);
  const AccessSite begins = worker_.site(step, CopyPhase::Begins);
  Fragment ignored(part.count);
  if (auto element = loadTile(copy->from, part.slices[0], part.slices[1], Number{}, ignored.data(), begins))
    return worker_.reachesOutside(step, copy->from, *element);
  if (auto element = poisonTile(copy->to, part.slices[0], part.slices[1], kSlmPoison, begins))
    return worker_.reachesOutside(step, copy->to, *element);
  auto group = std::make_shared<CopyGroup>();
  group->copies.push_back(std::move(copy));
  values_.setResult(step, std::move(group));
  return {};
}

void AsyncCopyExecutor::commit(const Step &step) {
  auto group = std::make_shared<CopyGroup>();
  for (size_t slot : step.operands) {
    const auto &copies = std::get<CopyGroupRef>(values_.at(slot))->copies;
    group->copies.insert(group->copies.end(), copies.begin(), copies.end());
  }
  values_.setResult(step, std::move(group));
}

void AsyncCopyExecutor::wait(const Step &step) {
  for (const auto &copy : values_.get<CopyGroupRef>(step, 0)->copies) {
    if (std::exchange(copy->landed, true)) continue;
    const Step &begun = *copy->step;
    const Holding::Part &part = worker_.held(begun);
    const AccessSite lands = worker_.site(begun, CopyPhase::Lands);
    Number padding = worker_.arithmetic().padding(copy->from.elem, AsyncCopyOp(*begun.op).padding());
    Fragment elements(part.count);
    // The results of these calls need no check: begin() has found no element outside of the buffers.
    loadTile(copy->from, part.slices[0], part.slices[1], padding, elements.data(), lands);
    storeTile(copy->to, part.slices[0], part.slices[1], elements.data(), lands);
  }
}

} // namespace xt
