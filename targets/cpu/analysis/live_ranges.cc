#include "targets/cpu/analysis/live_ranges.h"

#include "ir/nest_rows.h"
#include "ir/op_kinds.h"
#include "targets/cpu/analysis/vector_values.h"

#include <algorithm>

namespace xt {

void LiveRange::startAt(Moment from, Moment later) {
  bool found = false;
  for (LiveSegment &segment : segments_)
    if (segment.from == from) segment.from = later, found = true;
  if (!found) segments_.push_back({later, later});
  sorted_ = false;
}

void LiveRange::merge(const LiveRange &other) {
  segments_.insert(segments_.end(), other.segments_.begin(), other.segments_.end());
  sorted_ = false;
}

void LiveRange::sort() const {
  if (sorted_) return;
  sorted_ = true;
  std::sort(segments_.begin(), segments_.end(), [](const LiveSegment &a, const LiveSegment &b) { return a.from < b.from; });
  size_t kept = 0;
  for (size_t i = 1; i < segments_.size(); ++i) {
    if (segments_[i].from <= segments_[kept].to + 1)
      segments_[kept].to = std::max(segments_[kept].to, segments_[i].to);
    else
      segments_[++kept] = segments_[i];
  }
  if (!segments_.empty()) segments_.resize(kept + 1);
}

bool LiveRange::intersects(const LiveRange &other) const {
  const std::vector<LiveSegment> &a = segments(), &b = other.segments();
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].to < b[j].from)
      ++i;
    else if (b[j].to < a[i].from)
      ++j;
    else
      return true;
  }
  return false;
}

Moment LiveRange::first() const { return segments().empty() ? 0 : segments().front().from; }

LiveRanges::LiveRanges(const Kernel &kernel, const FusionPlan &fusion) : fusion_(fusion) {
  number(kernel.body);
  ranges_.resize(values_.size());
  std::set<int> live;
  visit(kernel.body, live);
}

int LiveRanges::numberOf(const Value *value) const {
  auto found = numbers_.find(value);
  return found == numbers_.end() ? -1 : found->second;
}

void LiveRanges::addValue(Value *value) {
  if (!livesInBuffer(value->type()) || fusion_.isInline(value)) return;
  numbers_[value] = static_cast<int>(values_.size());
  values_.push_back(value);
}

void LiveRanges::number(const Block &block) {
  blockBegin_[&block] = next_++;
  for (const auto &param : block.params()) addValue(param.get());
  for (Op &op : block) {
    begin_[&op] = next_++;
    for (size_t r = 0; r < op.regionCount(); ++r) number(*op.region(r));
    end_[&op] = op.regionCount() ? next_++ : begin_[&op];
    for (size_t i = 0; i < op.resultCount(); ++i) addValue(op.result(i));
  }
  blockEnd_[&block] = next_++;
}

void LiveRanges::define(const Value *value, Moment blockBegin, Moment at, std::set<int> &live) {
  int number = numberOf(value);
  if (number < 0) return;
  range(number).startAt(blockBegin, at);
  live.erase(number);
}

void LiveRanges::use(const Value *value, Moment blockBegin, Moment at, std::set<int> &live) {
  int number = numberOf(value);
  if (number < 0) return;
  range(number).add(blockBegin, at);
  live.insert(number);
}

void LiveRanges::read(const Op &op, Moment blockBegin, std::set<int> &live) {
  if (isPointwise(op) || isPlainLoad(op)) {
    if (op.result()->type().isVector() && !fusion_.isInline(op.result()) && !fusion_.fillerOf(op.result()))
      for (Value *leaf : fusion_.leavesOf(op)) use(leaf, blockBegin, readAt(&op), live);
    return;
  }
  if (isGenerated(op) || (op.kind() == OpKind::Broadcast && fusion_.isInline(op.result()))) return;
  if (op.kind() == OpKind::Nest && fusion_.isInline(op.result())) return; // its store reads its rows
  if (const Op *nest = op.kind() == OpKind::StoreTile ? fusion_.nestInto(op) : nullptr)
    if (Value *rows = nestRows(*nest))
      for (Value *leaf : fusion_.leaves(rows)) use(leaf, blockBegin, readAt(&op) + 1, live);
  bool mma = op.kind() == OpKind::TileMma, nest = op.kind() == OpKind::Nest;
  const Value *filled = fusion_.filledBy(op);
  for (size_t i = 0; i < op.operandCount(); ++i) {
    // Operands of a product, and operands accessed by index, are read while the result is written.
    bool toTheEnd = mma ? i < 2 : nest ? i != 2 : op.regionCount() == 0 && op.resultCount() > 0 && !worksInPlace(op) && !filled;
    for (Value *leaf : fusion_.leaves(op.operand(i), filled))
      use(leaf, blockBegin, toTheEnd ? readAt(&op) + 1 : readAt(&op), live);
  }
}

void LiveRanges::visitRegions(const Op &op, Moment blockBegin, std::set<int> &live) {
  std::set<int> before = live;
  for (size_t r = 0; r < op.regionCount(); ++r) {
    const Block &region = *op.region(r);
    std::set<int> in = live;
    visit(region, in);
    if (carriedAt(op).loops) // values that the next iteration reads are live throughout this one
      for (int number : in) range(number).add(2 * blockBegin_[&region], endOf(&region));
    before.insert(in.begin(), in.end());
  }
  for (int number : before)
    if (!live.contains(number)) range(number).add(blockBegin, readAt(&op));
  live = std::move(before);
}

void LiveRanges::visit(const Block &block, std::set<int> &live) {
  Moment begin = 2 * blockBegin_[&block];
  for (int number : live) range(number).add(begin, endOf(&block));
  for (Op *op = block.last(); op; op = op->previous()) {
    for (size_t i = 0; i < op->resultCount(); ++i)
      if (!fusion_.fillerOf(op->result(i))) define(op->result(i), begin, writeAt(op), live);
    // The value that a loop fills may share memory with the operands of the loop; the result of a reduction may not.
    if (Value *filled = fusion_.filledBy(*op)) {
      define(filled, begin, writeAt(op), live);
      if (!isPointwise(*op)) range(numberOf(op->result())).add(readAt(op), writeAt(op));
    }
    if (op->regionCount()) visitRegions(*op, begin, live);
    read(*op, begin, live);
  }
  for (const auto &param : block.params()) define(param.get(), begin, begin + 1, live);
}

} // namespace xt
