#include "ir/interp/lane_meeting.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/combine.h"
#include "ir/interp/block_forms.h"
#include "ir/interp/mma.h"
#include "ir/interp/vector_ops.h"
#include "ir/interp/workgroup.h"
#include "ir/op_kinds.h"
#include "ir/views/scalar.h"
#include "ir/views/xegpu.h"

#include <algorithm>

namespace xt {

Result<bool> Workgroup::lanesMeet() {
  bool met = false;
  size_t lanes = environment_.lanes();
  for (size_t first = 0; first < subgroups_.size(); first += lanes) {
    std::span<Subgroup> group = std::span(subgroups_).subspan(first, lanes);
    const Step *place = group[0].waitsAt();
    // Named barriers are excluded: each lane passes one separately.
    if (!place || !place->op->info().collective || group[0].waitsAtNamedBarrier()) continue;
    if (std::any_of(group.begin(), group.end(), [&](const Subgroup &lane) { return lane.waitsAt() != place; })) continue;
    if (environment_.monitor) environment_.monitor->meeting(*place, group);
    if (Result<void> done = LaneMeeting(environment_, *place, group, orderings_).run(); !done) return done.error();
    met = true;
  }
  return met;
}

Result<void> LaneMeeting::run() {
  switch (op_.kind()) {
  case OpKind::LoadNd: return load();
  case OpKind::StoreNd: return store();
  case OpKind::PrefetchNd:
    if (Result<void> same = sameBlock(0); !same) return same;
    break;
  case OpKind::Dpas: multiply(); return {};
  case OpKind::Shuffle: shuffle(); return {};
  case OpKind::SubgroupReduce: reduce(); return {};
  case OpKind::NbarrierArrive: arrive(); break;
  case OpKind::SubgroupBarrier: order(); break;
  default: XT_UNREACHABLE("an op that lanes do together");
  }
  resumeAll();
  return {};
}

void LaneMeeting::resumeAll() {
  for (Subgroup &lane : lanes_) lane.resume({});
}

// Informs the checks that all earlier accesses of the lanes and of the subgroup as a whole are ordered before all their later
// ones.
void LaneMeeting::order() {
  if (!environment_.monitor) return;
  std::vector<size_t> workers = {subgroupWorker(kernel(), subgroup())};
  for (const Subgroup &lane : lanes_) workers.push_back(lane.worker().id());
  size_t place = static_cast<size_t>(NamedBarriers::kMost); // a number that no named barrier has
  for (size_t worker : workers) environment_.monitor->arrived(worker, place, ordering_);
  for (size_t worker : workers) environment_.monitor->passed(worker, place, ordering_);
  ++ordering_;
}

// --- blocks ----------------------------------------------------------------------------------------------------------

Result<void> LaneMeeting::sameBlock(size_t i) const {
  const auto &first = std::get<TileValue>(operand(0, i));
  for (size_t l = 1; l < lanes_.size(); ++l) {
    const auto &block = std::get<TileValue>(operand(l, i));
    if (block.matrix == first.matrix && block.sizes == first.sizes && block.strides == first.strides &&
        block.offsets == first.offsets)
      continue;
    return Error::kernel(str("the lanes of subgroup ", subgroup(), " of ", workgroupText(kernel(), environment_.blockId),
                             " access different blocks with one `", op_.info().name, "`: lane 0 the one at offset [",
                             join(first.offsets, ", "), "], lane ", l, " the one at [", join(block.offsets, ", "), "]"),
                         op_.operandRange(i));
  }
  return {};
}

// A one-dimensional descriptor is a block of one row.
Holding::Part LaneMeeting::partOf(Type desc, size_t lane) const {
  Holding::Part part;
  if (desc.rank() == 1) part.slices.push_back({0});
  for (int d = 0; d < desc.rank(); ++d)
    part.slices.push_back(desc.layout()->sliceOf(Axis::Lane, static_cast<int64_t>(lane), d));
  part.count = part.slices[0].size() * part.slices[1].size();
  return part;
}

Result<void> LaneMeeting::load() {
  if (Result<void> same = sameBlock(0); !same) return same;
  Type desc = op_.operand(0)->type();
  const auto &block = std::get<TileValue>(operand(0, 0));
  if (Result<void> inside = lanes_[0].worker().staysInside(step_, desc, block); !inside) return inside;
  order();
  std::vector<RuntimeValue> results;
  for (size_t l = 0; l < lanes_.size(); ++l) {
    Holding::Part part = partOf(desc, l), wanted = part;
    std::vector<int64_t> used = usedOf(op_, rowsOf(desc), columnsOf(desc));
    for (size_t d = 0; d < 2; ++d) std::erase_if(wanted.slices[d], [&](int64_t index) { return index >= used[d]; });
    Number zero = arithmetic().constant(desc.elem(), int64_t{0});
    Fragment some(wanted.slices[0].size() * wanted.slices[1].size()), read(part.count, zero);
    if (auto element = xt::loadTile(block, wanted.slices[0], wanted.slices[1], zero, some.data(), site()))
      return lanes_[l].worker().reachesOutside(step_, block, *element);
    for (size_t r = 0, k = 0; r < part.slices[0].size(); ++r)
      for (size_t c = 0; c < part.slices[1].size(); ++c)
        if (part.slices[0][r] < used[0] && part.slices[1][c] < used[1]) read[r * part.slices[1].size() + c] = some[k++];
    auto rows = static_cast<int64_t>(part.slices[0].size()), columns = static_cast<int64_t>(part.slices[1].size());
    if (transposes(op_) && desc.rank() == 2) {
      read = turned(read, rows, columns);
      std::swap(rows, columns);
    }
    if (LoadNdOp(op_).vnniAxis() == 0) {
      Fragment packed(read.size());
      forEachVnni(rows, columns, op_.result()->type().extent(2),
                  [&](size_t plain, size_t vnni) { packed[vnni] = read[plain]; });
      read = std::move(packed);
    }
    results.push_back(std::make_shared<const Fragment>(std::move(read)));
  }
  order();
  for (size_t l = 0; l < lanes_.size(); ++l) lanes_[l].resume(std::move(results[l]));
  return {};
}

Result<void> LaneMeeting::store() {
  if (Result<void> same = sameBlock(1); !same) return same;
  Type desc = op_.operand(1)->type();
  const auto &block = std::get<TileValue>(operand(0, 1));
  if (environment_.observer) {
    for (size_t l = 0; l < lanes_.size(); ++l) environment_.observer->stores(block, partOf(desc, l), subgroup());
    resumeAll();
    return {};
  }
  if (Result<void> inside = lanes_[0].worker().staysInside(step_, desc, block); !inside) return inside;
  order();
  for (size_t l = 0; l < lanes_.size(); ++l) {
    Holding::Part part = partOf(desc, l);
    const Number *in = lanes_[l].values().fragment(step_, 0)->data();
    if (auto element = xt::storeTile(block, part.slices[0], part.slices[1], in, site()))
      return lanes_[l].worker().reachesOutside(step_, block, *element);
  }
  order();
  resumeAll();
  return {};
}

// --- products --------------------------------------------------------------------------------------------------------

namespace {
// Calls visit(p, r, c, width) for each element of a lane's fragment: p is the element's row-major position in the whole
// matrix, r and c are its row and column in the fragment, and `width` is the number of columns of the fragment.
template <class Visit> void forEachOwn(const Layout &layout, size_t lane, Visit visit) {
  auto l = static_cast<int64_t>(lane);
  std::vector<int64_t> rows = layout.sliceOf(Axis::Lane, l, 0), columns = layout.sliceOf(Axis::Lane, l, 1);
  for (size_t r = 0; r < rows.size(); ++r)
    for (size_t c = 0; c < columns.size(); ++c)
      visit(static_cast<size_t>(rows[r] * layout.shape()[1] + columns[c]), r, c, columns.size());
}
} // namespace

void LaneMeeting::multiply() {
  const DpasFragments &of = environment_.program.fragmentsOf(op_);
  Type a = op_.operand(0)->type(), b = op_.operand(1)->type(), result = op_.result()->type();
  auto whole = [](const Layout &layout) { return Fragment(static_cast<size_t>(layout.shape()[0] * layout.shape()[1])); };
  Fragment left = whole(*of.a), right = whole(*of.b), sum = whole(*of.c);
  std::fill(sum.begin(), sum.end(), arithmetic().constant(result.elem(), int64_t{0}));
  auto f = static_cast<size_t>(b.rank() == 3 ? b.extent(2) : 1);
  for (size_t l = 0; l < lanes_.size(); ++l) {
    const Fragment &ownA = *lanes_[l].values().fragment(step_, 0), &ownB = *lanes_[l].values().fragment(step_, 1);
    forEachOwn(*of.a, l, [&](size_t place, size_t r, size_t c, size_t width) { left[place] = ownA[r * width + c]; });
    forEachOwn(*of.b, l,
               [&](size_t place, size_t r, size_t c, size_t width) { right[place] = ownB[(r / f * width + c) * f + r % f]; });
    if (step_.operands.size() < 3) continue;
    const Fragment &ownC = *lanes_[l].values().fragment(step_, 2);
    forEachOwn(*of.c, l, [&](size_t place, size_t r, size_t c, size_t width) { sum[place] = ownC[r * width + c]; });
  }
  MmaExtents shape{static_cast<size_t>(of.rows), static_cast<size_t>(of.columns), static_cast<size_t>(of.depth)};
  arithmetic().multiplyAccumulate(a.elem(), result.elem(), shape, left.data(), right.data(), sum.data());
  for (size_t l = 0; l < lanes_.size(); ++l) {
    Fragment own(static_cast<size_t>(result.elementCount()));
    forEachOwn(*of.c, l, [&](size_t place, size_t r, size_t c, size_t width) { own[r * width + c] = sum[place]; });
    lanes_[l].resume(std::make_shared<const Fragment>(std::move(own)));
  }
}

// --- exchanges -------------------------------------------------------------------------------------------------------

void LaneMeeting::shuffle() {
  ShuffleMode mode = ShuffleOp(op_).mode();
  std::vector<std::vector<RuntimeValue>> results;
  for (size_t l = 0; l < lanes_.size(); ++l) {
    auto offset = static_cast<uint64_t>(std::get<Number>(operand(l, 1)).i);
    int64_t width = std::get<Number>(operand(l, 2)).i;
    // In unsigned arithmetic, a lane number below 0 becomes larger than every width.
    uint64_t from = offset;
    switch (mode) {
    case ShuffleMode::Xor: from = l ^ offset; break;
    case ShuffleMode::Up: from = l - offset; break;
    case ShuffleMode::Down: from = l + offset; break;
    case ShuffleMode::Idx: break;
    }
    uint64_t taking = std::min<uint64_t>(lanes_.size(), width < 0 ? 0 : static_cast<uint64_t>(width));
    bool valid = from < taking && l < taking;
    results.push_back({operand(valid ? static_cast<size_t>(from) : l, 0), integerNumber(valid)});
  }
  for (size_t l = 0; l < lanes_.size(); ++l) lanes_[l].resumeWith(std::move(results[l]));
}

void LaneMeeting::reduce() {
  Type type = op_.result()->type();
  OpKind combining = *combiningOp(op_);
  Elem within = reductionElem(combining, type.elem());
  Number identity = arithmetic().constant(within, combiningIdentity(combining, within));
  SubgroupReduceOp reduce(op_);
  std::string_view kind = wordText(reduce.kind());
  auto size = static_cast<size_t>(reduce.clusterSize().value_or(static_cast<int64_t>(lanes_.size())));
  auto stride = static_cast<size_t>(reduce.clusterStride().value_or(1));
  auto clusterOf = [&](size_t lane) { return std::pair(lane / (size * stride), lane % stride); };
  std::vector<Fragment> values;
  for (const Subgroup &lane : lanes_) values.push_back(lane.values().elements(step_, 0));
  for (size_t l = 0; l < lanes_.size(); ++l) {
    Fragment sum(values[l].size(), identity);
    for (size_t other = 0; other < lanes_.size(); ++other)
      for (size_t k = 0; clusterOf(other) == clusterOf(l) && k < sum.size(); ++k)
        sum[k] = combine(kind, within, sum[k], values[other][k], arithmetic());
    for (Number &term : sum) term = narrowed(within, type.elem(), term, arithmetic());
    lanes_[l].resume(type.isScalar() ? RuntimeValue(sum[0]) : std::make_shared<const Fragment>(std::move(sum)));
  }
}

// The subgroup arrives at the barrier once, not once for each lane.
void LaneMeeting::arrive() {
  if (environment_.observer) return;
  const auto &part = std::get<NamedBarrierPart>(operand(0, 0));
  environment_.barriers->arrive(part, subgroup());
  if (!environment_.monitor) return;
  uint64_t round = environment_.barriers->roundOf(part, subgroup());
  environment_.monitor->takesPart(op_, subgroupWorker(kernel(), subgroup()), part, round);
  environment_.monitor->arrived(subgroupWorker(kernel(), subgroup()), part.id, round);
  for (const Subgroup &lane : lanes_) environment_.monitor->arrived(lane.worker().id(), part.id, round);
}

} // namespace xt
