// Exchanges between subgroups that need each other's elements: the whole operands are gathered, the result is computed, and
// each subgroup continues with its part.
#include "ir/base/check.h"
#include "ir/interp/mma.h"
#include "ir/interp/print_executor.h"
#include "ir/interp/print_value.h"
#include "ir/interp/vector_ops.h"
#include "ir/interp/workgroup.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

// Selects rows x columns of a whole matrix, row-major.
Fragment pick(const Fragment &whole, size_t width, std::span<const int64_t> rows, std::span<const int64_t> columns) {
  Fragment part;
  part.reserve(rows.size() * columns.size());
  for (int64_t r : rows)
    for (int64_t c : columns) part.push_back(whole[static_cast<size_t>(r) * width + static_cast<size_t>(c)]);
  return part;
}
std::vector<int64_t> upTo(int64_t count) {
  std::vector<int64_t> indices(static_cast<size_t>(count));
  for (size_t k = 0; k < indices.size(); ++k) indices[k] = static_cast<int64_t>(k);
  return indices;
}

} // namespace

Result<void> Workgroup::exchange(const Step &step) {
  TypeRule rule = step.op->info().typeRule;
  if (rule == TypeRule::Print) return printOrAssert(step);
  if (rule == TypeRule::AtomicUpdate) return updateOnce(step);
  if (rule == TypeRule::TileMma)
    exchangeMma(step);
  else if (rule == TypeRule::Extract)
    extractForAll(step);
  else if (rule == TypeRule::InsertStridedSlice)
    giveParts(step, insertedSlice(*step.op, gather(step, 0), gather(step, 1)));
  else
    exchangeVector(step);
  return {};
}

Fragment Workgroup::gather(const Step &step, size_t operand) const {
  Type type = step.op->operand(operand)->type();
  if (type.isScalar()) return {subgroups_[0].values().get<Number>(step, operand)};
  const Holding &holding = environment_.program.holding(type);
  Fragment whole(static_cast<size_t>(type.elementCount()));
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    const Fragment &part = *subgroups_[s].values().fragment(step, operand);
    size_t k = 0;
    forEachHeld(holding.of(s), [&](std::span<const int64_t> index) { whole[*linearIndex(type.shape(), index)] = part[k++]; });
  }
  return whole;
}

// Computes the op on the whole vector.
void Workgroup::exchangeVector(const Step &step) {
  std::span<const int64_t> from = step.op->operand(0)->type().shape(), shape = step.op->result()->type().shape();
  giveParts(step, evaluateVectorOp(*step.op, gather(step, 0), wholePart(from), wholePart(shape), *environment_.arithmetic));
}

// Gives each subgroup its part of the result.
void Workgroup::giveParts(const Step &step, const Fragment &whole) {
  std::span<const int64_t> shape = step.op->result()->type().shape();
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    Fragment part;
    part.reserve(step.holding->of(s).count);
    forEachHeld(step.holding->of(s),
                [&](std::span<const int64_t> index) { part.push_back(whole[*linearIndex(shape, index)]); });
    subgroups_[s].resume(std::make_shared<const Fragment>(std::move(part)));
  }
}

// The first of the subgroups that hold an element updates it; all of them get the old value.
Result<void> Workgroup::updateOnce(const Step &step) {
  std::span<const int64_t> shape = step.op->result()->type().shape();
  Fragment whole(static_cast<size_t>(step.op->result()->type().elementCount()));
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    const Holding::Part &part = step.holding->of(s);
    if (!part.isFirst) continue;
    if (Result<void> done = subgroups_[s].executeWaiting(); !done) return done;
    FragmentRef old = subgroups_[s].values().result(step);
    if (!old) continue; // a trace of writers computes no values
    size_t k = 0;
    forEachHeld(part, [&](std::span<const int64_t> index) { whole[*linearIndex(shape, index)] = (*old)[k++]; });
  }
  giveParts(step, whole);
  return {};
}

void Workgroup::extractForAll(const Step &step) {
  Fragment whole = gather(step, 0);
  std::vector<int64_t> index;
  for (size_t i = 1; i < step.operands.size(); ++i) index.push_back(subgroups_[0].values().get<Number>(step, i).i);
  std::optional<size_t> place = linearIndex(step.op->operand(0)->type().shape(), index);
  for (Subgroup &subgroup : subgroups_) subgroup.resume(place ? whole[*place] : Number());
}

Result<void> Workgroup::printOrAssert(const Step &step) {
  if (step.op->kind() == OpKind::Assert) {
    if (Result<void> holds = checkAssertion(*step.op, gather(step, 0), {}, environment_, 0); !holds) return holds;
  } else if (environment_.print && *environment_.print) {
    for (size_t i = 0; i < step.operands.size(); ++i) {
      Type type = step.op->operand(i)->type();
      Fragment numbers = printedNumbers(type.elem(), gather(step, i), *environment_.arithmetic);
      (*environment_.print)(printedValue(PrintOp(*step.op).text(), type, numbers));
    }
  }
  for (Subgroup &subgroup : subgroups_) subgroup.resume({});
  return {};
}

void Workgroup::exchangeMma(const Step &step) {
  const Op &op = *step.op;
  Type a = op.operand(0)->type(), b = op.operand(1)->type(), d = op.result()->type();
  Fragment wholeA = gather(step, 0), wholeB = gather(step, 1);
  Fragment wholeC = step.operands.size() > 2 ? gather(step, 2)
                                             : Fragment(static_cast<size_t>(d.elementCount()),
                                                        environment_.arithmetic->constant(d.elem(), int64_t{0}));
  std::vector<int64_t> depth = upTo(a.extent(1));
  auto k = static_cast<size_t>(a.extent(1)), n = static_cast<size_t>(b.extent(1));
  for (size_t s = 0; s < subgroups_.size(); ++s) {
    const auto &own = step.holding->of(s).slices;
    Fragment result = pick(wholeC, n, own[0], own[1]);
    Fragment rows = pick(wholeA, k, own[0], depth), columns = pick(wholeB, n, depth, own[1]);
    environment_.arithmetic->multiplyAccumulate(a.elem(), d.elem(), {own[0].size(), own[1].size(), k}, rows.data(),
                                                columns.data(), result.data());
    subgroups_[s].resume(std::make_shared<const Fragment>(std::move(result)));
  }
}

} // namespace xt
