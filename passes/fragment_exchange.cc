#include "passes/fragment_exchange.h"

#include "ir/base/check.h"
#include "ir/context.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "passes/part_values.h"
#include "passes/vector_slices.h"

#include <algorithm>

namespace xt {
namespace {

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

void FragmentExchange::Move::add(const Layout *from, std::span<const int64_t> index) {
  auto self = static_cast<int64_t>(lane.size());
  std::vector<int64_t> owners = from->owners(index, Axis::Lane);
  bool itself = std::find(owners.begin(), owners.end(), self) != owners.end();
  lane.push_back(itself ? self : owners[0]);
  registers.push_back(registerOf(from, lane.back(), index));
}

void FragmentExchange::Move::addNone() {
  lane.push_back(-1);
  registers.emplace_back();
}

Value *FragmentExchange::shuffled(Value *value, Value *lane) {
  Op *shuffle = b_.create(OpKind::Shuffle, {value, lane, b_.index(places_.lanes())}, {value->type(), b_.context().i1()});
  ShuffleOp(*shuffle).setMode(ShuffleMode::Idx);
  return shuffle->result();
}

Value *FragmentExchange::converted(Value *fragment, const Layout *from, const Layout *to) {
  if (from == to) return fragment;
  // Elements along dimensions that every lane holds completely in both layouts move together.
  std::vector<int64_t> together;
  for (int d = 0; d < from->rank(); ++d)
    together.push_back(isWhole(from, d) && isWhole(to, d) ? from->shape()[static_cast<size_t>(d)] : 1);
  std::vector<int64_t> own = to->ownerShape(Axis::Lane), steps = own;
  for (size_t d = 0; d < own.size(); ++d) steps[d] /= together[d];
  Value *result = nullptr;
  forEachIndex(steps, [&](const std::vector<int64_t> &step) {
    Move move;
    for (int64_t lane = 0; lane < places_.lanes(); ++lane) {
      std::vector<int64_t> index;
      for (int d = 0; d < to->rank(); ++d) {
        auto i = static_cast<size_t>(d);
        index.push_back(to->sliceOf(Axis::Lane, lane, d)[static_cast<size_t>(step[i] * together[i])]);
      }
      move.add(from, index);
    }
    move.shape = together;
    Value *part = moved(fragment, move, nullptr);
    if (together == own) {
      result = part;
      return;
    }
    if (!result) result = zerosOf(b_, b_.context().vector(own, fragment->type().elem()));
    std::vector<int64_t> at = step;
    for (size_t d = 0; d < at.size(); ++d) at[d] *= together[d];
    result = withSlice(b_, part, result, at);
  });
  return result;
}

Value *FragmentExchange::exchanged(Value *fragment, const Layout *from, const Layout *to, const Source &source,
                                   Value *otherwise) {
  std::vector<int64_t> own = to->ownerShape(Axis::Lane), one(own.size(), 1);
  Value *result = otherwise ? otherwise : zerosOf(b_, b_.context().vector(own, fragment->type().elem()));
  forEachIndex(own, [&](const std::vector<int64_t> &at) {
    Move move;
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

// Emits one shuffle for each source register that some lane needs, and selects between the results.
Value *FragmentExchange::moved(Value *fragment, const Move &move, Value *otherwise) {
  Value *result = otherwise;
  std::vector<bool> done(move.lane.size());
  for (size_t first = 0; first < move.lane.size(); ++first) {
    if (move.lane[first] < 0 || done[first]) continue;
    std::vector<bool> wanted(move.lane.size());
    bool stays = true;
    for (size_t lane = first; lane < move.lane.size(); ++lane) {
      if (move.lane[lane] < 0 || move.registers[lane] != move.registers[first]) continue;
      wanted[lane] = done[lane] = true;
      stays &= move.lane[lane] == static_cast<int64_t>(lane);
    }
    Value *part = sliceOf(b_, fragment, move.registers[first], move.shape);
    if (!stays) part = shuffled(part, places_.entryOf(move.lane, wanted));
    result = result ? b_.value(OpKind::Select, {splatOf(b_, places_.among(wanted), part->type()), part, result}, part->type())
                    : part;
  }
  return result;
}

} // namespace xt
