#include "passes/fragment_exchange.h"

#include "ir/base/check.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/part_values.h"
#include "passes/vector_slices.h"

#include <algorithm>

namespace xt {

Value *FragmentExchange::shuffled(Value *value, Value *lane) {
  cost_.shuffles += value->type().isVector() ? value->type().elementCount() : 1;
  Op *shuffle = b_.create(OpKind::Shuffle, {value, lane, b_.index(places_.lanes())}, {value->type(), b_.context().i1()});
  ShuffleOp(*shuffle).setMode(ShuffleMode::Idx);
  return shuffle->result();
}

Value *FragmentExchange::converted(Value *fragment, const Layout *from, const Layout *to) {
  if (from == to) return fragment;
  std::vector<int64_t> own = to->ownerShape(Axis::Lane);
  Value *result = nullptr;
  forEachMove(from, to, [&](const std::vector<int64_t> &at, const LaneMove &move) {
    Value *part = moved(fragment, move, nullptr);
    if (move.shape == own) {
      result = part;
      return;
    }
    if (!result) result = zerosOf(b_, b_.context().vector(own, fragment->type().elem()));
    result = withSlice(b_, part, result, at);
  });
  return result;
}

Value *FragmentExchange::exchanged(Value *fragment, const Layout *from, const Layout *to, const Source &source,
                                   Value *otherwise) {
  std::vector<int64_t> own = to->ownerShape(Axis::Lane), one(own.size(), 1);
  Value *result = otherwise ? otherwise : zerosOf(b_, b_.context().vector(own, fragment->type().elem()));
  forEachIndex(own, [&](const std::vector<int64_t> &at) {
    LaneMove move;
    bool any = false;
    for (int64_t lane = 0; lane < places_.lanes(); ++lane) {
      std::vector<int64_t> index;
      for (int d = 0; d < to->rank(); ++d)
        index.push_back(to->sliceOf(Axis::Lane, lane, d)[static_cast<size_t>(at[static_cast<size_t>(d)])]);
      std::optional<std::vector<int64_t>> place = source(index);
      if (place)
        move.add(from, *place);
      else
        move.addNone();
      any |= place.has_value();
    }
    if (!any) return;
    move.shape.assign(static_cast<size_t>(from->rank()), 1);
    bool all = std::none_of(move.lane.begin(), move.lane.end(), [](int64_t lane) { return lane < 0; });
    Value *part = moved(fragment, move, all ? nullptr : withShape(b_, sliceOf(b_, result, at, one), move.shape));
    result = withSlice(b_, withShape(b_, part, one), result, at);
  });
  return result;
}

// `value` in these lanes, and `otherwise` in the others.
Value *FragmentExchange::chosen(const std::vector<bool> &lanes, Value *value, Value *otherwise) {
  if (!otherwise) return value;
  cost_.selects += value->type().elementCount();
  return b_.value(OpKind::Select, {splatOf(b_, places_.among(lanes), value->type()), value, otherwise}, value->type());
}

Value *FragmentExchange::moved(Value *fragment, const LaneMove &move, Value *otherwise) {
  Value *result = otherwise;
  for (const LaneMove::Shuffle &shuffle : move.shuffles()) {
    Value *part = nullptr;
    for (const LaneMove::Source &source : shuffle.sources)
      part = chosen(source.from, sliceOf(b_, fragment, source.registers, move.shape), part);
    if (!shuffle.stays) part = shuffled(part, places_.entryOf(move.lane, shuffle.lanes));
    result = chosen(shuffle.lanes, part, result);
  }
  return result;
}

} // namespace xt
