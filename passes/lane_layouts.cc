#include "passes/lane_layouts.h"

#include "ir/base/check.h"
#include "ir/context.h"
#include "ir/gpu/operand_layout.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace xt {
namespace {

bool isDealt(Type type) { return type.isVector() || type.isTile() || type.isTensorDesc(); }

int64_t bitsInMemory(Type type) { return 8 * elemInfo(type.elem()).storageBytes; }

// Whether the op moves elements from one vector to another, so that the layout of one may follow from that of the other.
bool movesElements(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::InsertStridedSlice:
  case TypeRule::ExtractStridedSlice:
  case TypeRule::Transpose:
  case TypeRule::Reshape:
  case TypeRule::Reduction:
  case TypeRule::Broadcast:
  case TypeRule::ConvertLayout: break;
  default: return false;
  }
  return op.resultCount() == 1 && op.result()->type().isVector() && op.operand(0)->type().isVector();
}

const Layout *fromFactors(Context &context, FactorMap map, std::span<const int64_t> shape) {
  LayoutSpec spec;
  spec.factors = std::move(map);
  return layoutOrNull(context, spec, shape);
}

} // namespace

LaneLayouts::LaneLayouts(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes)
    : context_(context), target_(target), lanes_(lanes), members_(kernel, isDealt) {
  classes_.resize(members_.count());
  for (size_t i = 0; i < members_.count(); ++i) classes_[i].type = members_.values()[members_.classOf(i)]->type();
  for (const Value *value : members_.values())
    if (value->type().isVector() && value->type().layout())
      demand(value, withCopies(context_, value->type().layout(), lanes_), kStated);
  std::vector<Op *> movers;
  walk(kernel.body, [&](Op &op) {
    demandAround(op);
    if (movesElements(op)) movers.push_back(&op);
  });
  moversAt_.resize(members_.count());
  for (size_t i = 0; i < movers.size(); ++i)
    for (const Value *value : {movers[i]->operand(0), movers[i]->result()}) moversAt_[members_.classOf(value)].push_back(i);
  std::vector<size_t> all(movers.size());
  std::iota(all.begin(), all.end(), 0);
  spread(movers, all);
  std::vector<size_t> open;
  for (size_t i = 0; i < members_.count(); ++i)
    if (members_.classOf(i) == i && !classes_[i].type.isTensorDesc()) open.push_back(i);
  std::stable_sort(open.begin(), open.end(),
                   [&](size_t a, size_t b) { return classes_[a].type.elementCount() > classes_[b].type.elementCount(); });
  for (size_t i : open) {
    if (classes_[i].layout) continue;
    classes_[i].layout = ownLayout(classes_[i].type);
    spread(movers, moversAt_[i]);
  }
}

// Has the effect of visiting all movers in program order until nothing changes, but visits a mover again only if a vector next
// to it has got a layout since the last visit. Each class gets its layout once, so that each mover is visited only a few
// times.
void LaneLayouts::spread(const std::vector<Op *> &movers, std::span<const size_t> first) {
  using Visit = std::pair<size_t, size_t>; // the round, and the number of a mover
  std::priority_queue<Visit, std::vector<Visit>, std::greater<>> visits;
  for (size_t mover : first) visits.push({0, mover});
  Visit last = {0, SIZE_MAX};
  while (!visits.empty()) {
    Visit visit = visits.top();
    visits.pop();
    if (visit == last) continue;
    last = visit;
    auto [round, mover] = visit;
    ++visited_;
    const Value *given = handOn(*movers[mover]);
    if (!given) continue;
    for (size_t next : moversAt_[members_.classOf(given)]) visits.push({next > mover ? round : round + 1, next});
  }
}

const Layout *LaneLayouts::ownLayout(Type type) const {
  FactorMap map;
  map.dims.resize(static_cast<size_t>(type.rank()));
  int64_t free = lanes_, stride = 1;
  for (int d = type.rank(); d-- > 0;) {
    int64_t here = std::gcd(type.extent(d), free);
    map.dims[static_cast<size_t>(d)] = {{type.extent(d) / here, Axis::Register, 1}, {here, Axis::Lane, stride}};
    free /= here;
    stride *= here;
  }
  if (free > 1) map.replication = {{free, Axis::Lane, stride}};
  const Layout *layout = fromFactors(context_, std::move(map), type.shape());
  XT_CHECK(layout, "the lanes that divide extents, and copies, are a layout");
  return layout;
}

const Layout *LaneLayouts::replicated(std::span<const int64_t> shape) const {
  return replicatedOverLanes(context_, shape, lanes_);
}

// --- what hardware decides -------------------------------------------------------------------------------------------

// cl_intel_subgroups distributes the elements of a line to the lanes round-robin.
const Layout *LaneLayouts::blockLayout(const Value *desc) const {
  Type type = desc->type();
  std::span<const int64_t> shape = type.shape();
  if (type.data().scatter) return nullptr;
  if (type.rank() == 1) return shape[0] % lanes_ == 0 ? dealtToLanes(context_, {lanes_}, {1}, shape) : nullptr;
  bool swaps = false, packs = false;
  for (Use use : desc->uses()) {
    bool loads = use.user->kind() == OpKind::LoadNd;
    swaps |= loads && transposes(*use.user);
    packs |= loads && LoadNdOp(*use.user).vnniAxis() == 0;
  }
  return blockMessageLayout(context_, shape, bitsInMemory(type), lanes_, swaps, packs);
}

const Layout *LaneLayouts::loaded(const Op &load, const Layout *block) const {
  if (block && transposes(load) && block->rank() == 2) block = transposed(context_, block, std::vector<int64_t>{1, 0});
  std::optional<int64_t> axis = LoadNdOp(load).vnniAxis();
  if (!block || !axis) return block;
  int64_t f = load.result()->type().extent(2);
  if (*axis == 0) return packedLayout(context_, block, f);
  return reshaped(context_, block, std::vector<int64_t>{block->shape()[0], block->shape()[1] / f, f});
}

const Layout *LaneLayouts::ofProduct(const Op &dpas, size_t operand) const {
  Type a = dpas.operand(0)->type(), b = dpas.operand(1)->type(), c = dpas.result()->type();
  int64_t f = vnniFactorOf(a.elem()), depth = a.extent(1) * (a.rank() == 3 ? a.extent(2) : 1);
  MmaShape sizes{a.elem(), b.elem(), c.elem(), c.extent(0), c.extent(1), depth};
  auto known = std::ranges::find(products_, sizes, &std::pair<MmaShape, DpasFragments>::first);
  if (known == products_.end())
    known = products_.insert(known, {sizes, instructionFragments(context_, target_, sizes, lanes_)});
  const DpasFragments &found = known->second;
  if (!found.a || !found.b || !found.c) return nullptr;
  if (operand == 0 && a.rank() == 3) return reshaped(context_, found.a, a.shape());
  if (operand == 1 && b.rank() == 3) return packedLayout(context_, found.b, f);
  return operand == 0 ? found.a : operand == 1 ? found.b : found.c;
}

void LaneLayouts::demand(const Value *value, const Layout *layout, int strength) {
  Class &own = classes_[members_.classOf(value)];
  bool fits =
      layout && std::equal(layout->shape().begin(), layout->shape().end(), own.type.shape().begin(), own.type.shape().end());
  if (!fits || strength <= own.strength) return;
  own.layout = layout;
  own.strength = strength;
}

void LaneLayouts::demandAround(Op &op) {
  if (op.kind() == OpKind::Dpas) {
    demand(op.result(), ofProduct(op, 2), kAccumulator);
    if (op.operandCount() > 2) demand(op.operand(2), ofProduct(op, 2), kAccumulator);
    demand(op.operand(0), ofProduct(op, 0), kOperandA);
    demand(op.operand(1), ofProduct(op, 1), kOperandB);
    return;
  }
  for (size_t i = 0; i < op.resultCount(); ++i)
    if (op.result(i)->type().isTensorDesc() && !op.regionCount()) demand(op.result(i), blockLayout(op.result(i)), kMessage);
  if (op.kind() == OpKind::LoadNd) demand(op.result(), loaded(op, blockLayout(op.operand(0))), kMessage);
  if (op.kind() == OpKind::StoreNd) demand(op.operand(0), blockLayout(op.operand(1)), kMessage);
}

// --- layouts that ops pass on ------------------------------------------------------------------------------------

const Value *LaneLayouts::give(const Value *from, const Value *to, const Layout *layout) {
  if (!known(from) || known(to) || !layout) return nullptr;
  demand(to, layout, kHandedOn);
  return known(to) ? to : nullptr;
}

// Passes the layout of one side of the op to the other side. Returns the value that got a layout, null if none did.
const Value *LaneLayouts::handOn(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  const Layout *a = of(from), *b = of(to);
  if (op.kind() == OpKind::InsertStridedSlice) return b ? give(to, from, sliced(context_, b, from->type().shape())) : nullptr;
  if (!a == !b) return nullptr;
  switch (op.info().typeRule) {
  case TypeRule::Transpose: {
    std::vector<int64_t> permutation = permutationOf(op), back(permutation.size());
    for (size_t d = 0; d < permutation.size(); ++d) back[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
    return a ? give(from, to, transposed(context_, a, permutation)) : give(to, from, transposed(context_, b, back));
  }
  case TypeRule::Reshape:
    return a ? give(from, to, reshaped(context_, a, to->type().shape()))
             : give(to, from, reshaped(context_, b, from->type().shape()));
  case TypeRule::ConvertLayout: return a ? give(from, to, a) : give(to, from, b);
  case TypeRule::ExtractStridedSlice: return a ? give(from, to, sliced(context_, a, to->type().shape())) : nullptr;
  case TypeRule::Reduction: {
    int dim = static_cast<int>(dimensionOf(op));
    return a ? give(from, to, grouped(context_, a, dim, from->type().extent(dim) / to->type().extent(dim))) : nullptr;
  }
  case TypeRule::Broadcast: {
    int dim = static_cast<int>(dimensionOf(op));
    return b ? give(to, from, grouped(context_, b, dim, to->type().extent(dim) / from->type().extent(dim))) : nullptr;
  }
  default: return nullptr;
  }
}

std::optional<std::vector<int64_t>> ownOffsets(const Layout *whole, std::span<const int64_t> offsets, const Layout *part,
                                               bool exactly) {
  std::vector<int64_t> own;
  for (int d = 0; d < whole->rank(); ++d) {
    int64_t at = -1, offset = offsets[static_cast<size_t>(d)], extent = part->shape()[static_cast<size_t>(d)];
    for (int64_t lane = 0; lane < whole->axisSize(Axis::Lane); ++lane) {
      std::vector<int64_t> all = whole->sliceOf(Axis::Lane, lane, d), some = part->sliceOf(Axis::Lane, lane, d);
      auto first = std::find(all.begin(), all.end(), some[0] + offset);
      int64_t here = first - all.begin();
      if (at < 0) at = here;
      if (here != at || all.size() - static_cast<size_t>(here) < some.size()) return std::nullopt;
      for (size_t i = 0; i < some.size(); ++i)
        if (first[static_cast<std::ptrdiff_t>(i)] != some[i] + offset) return std::nullopt;
      auto inside =
          std::count_if(all.begin(), all.end(), [&](int64_t index) { return index >= offset && index < offset + extent; });
      if (exactly && inside != static_cast<std::ptrdiff_t>(some.size())) return std::nullopt;
    }
    own.push_back(at);
  }
  return own;
}

} // namespace xt
