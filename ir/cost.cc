#include "ir/cost.h"

#include "ir/effects.h"
#include "ir/op_kinds.h"
#include "ir/views/nest.h"
#include "ir/views/scalar.h"

#include <algorithm>
#include <cmath>

namespace xt {
namespace {

// The maximum depth of the tree of ops that computes a bound of a loop; bounds of deeper trees count as unknown.
constexpr int kMaxBoundDepth = 32;

std::optional<int64_t> constantOf(const Value *value, int depth = 0) {
  const Op *op = value->definingOp();
  if (!op || depth > kMaxBoundDepth) return std::nullopt;
  if (op->kind() == OpKind::Constant) {
    const auto *integer = std::get_if<int64_t>(&ConstantOp(*op).value());
    return integer ? std::optional(*integer) : std::nullopt;
  }
  if (op->operandCount() == 0) return std::nullopt;
  if (op->kind() == OpKind::IndexCast) return constantOf(op->operand(0), depth + 1);
  if (op->operandCount() != 2) return std::nullopt;
  std::optional<int64_t> b = constantOf(op->operand(1), depth + 1);
  if (!b) return std::nullopt;
  if (op->kind() == OpKind::Dim) {
    Type type = op->operand(0)->type();
    bool known = *b >= 0 && *b < type.rank() && type.extent(static_cast<int>(*b)) != kDynamic;
    return known ? std::optional(type.extent(static_cast<int>(*b))) : std::nullopt;
  }
  std::optional<int64_t> a = constantOf(op->operand(0), depth + 1);
  if (!a) return std::nullopt;
  int64_t result = 0;
  switch (op->kind()) {
  case OpKind::AddI: return __builtin_add_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case OpKind::SubI: return __builtin_sub_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case OpKind::MulI: return __builtin_mul_overflow(*a, *b, &result) ? std::nullopt : std::optional(result);
  case OpKind::MinSI: return std::min(*a, *b);
  case OpKind::MaxSI: return std::max(*a, *b);
  case OpKind::DivSI: return *b > 0 ? std::optional(*a / *b) : std::nullopt;
  case OpKind::RemSI: return *b > 0 ? std::optional(*a % *b) : std::nullopt;
  case OpKind::CeilDivSI: return *a >= 0 && *b > 0 ? std::optional(*a / *b + (*a % *b != 0)) : std::nullopt;
  default: return std::nullopt;
  }
}

// The number of iterations of a loop; nullopt if it is not known.
std::optional<double> stepsOf(const Op &loop) {
  if (loop.kind() != OpKind::For && loop.kind() != OpKind::Nest) return std::nullopt;
  size_t first = loop.kind() == OpKind::Nest ? 3 : 0;
  auto lower = constantOf(loop.operand(first)), upper = constantOf(loop.operand(first + 1)),
       step = constantOf(loop.operand(first + 2));
  if (!lower || !upper || !step || *step <= 0) return std::nullopt;
  if (*upper <= *lower) return 0.0;
  auto span = static_cast<unsigned __int128>(static_cast<__int128>(*upper) - *lower);
  unsigned __int128 trips = (span + static_cast<uint64_t>(*step) - 1) / static_cast<uint64_t>(*step);
  return static_cast<double>(trips);
}

template <class F> OpCounts combine(const OpCounts &a, const OpCounts &b, F f) {
  return {f(a.mma, b.mma),
          f(a.elementwise, b.elementwise),
          f(a.bytesRead, b.bytesRead),
          f(a.bytesWritten, b.bytesWritten),
          f(a.slmBytesRead, b.slmBytesRead),
          f(a.slmBytesWritten, b.slmBytesWritten)};
}

struct BlockCost {
  OpCounts once;
  std::vector<LoopCost> loops;

  void add(BlockCost inner, double times) {
    once = combine(once, inner.once, [times](double a, double b) { return a + b * times; });
    for (LoopCost &loop : inner.loops) {
      loop.entered *= times;
      loops.push_back(std::move(loop));
    }
  }
};

class Counter {
public:
  explicit Counter(int64_t lanes) : lanes_(static_cast<double>(lanes)) {}
  bool branches = false;
  int64_t slmBytes = 0;

  // The recursion is limited, because the parser limits the nesting of the text.
  BlockCost count(const Block &block) {
    BlockCost cost;
    for (const Op &op : block) {
      if (op.kind() == OpKind::If)
        cost.add(branch(op), 1);
      else if (op.kind() == OpKind::Nest)
        steps(op, {countOp(op), {}}, cost);
      else if (op.regionCount() > 0)
        loop(op, cost);
      else
        cost.add({countOp(op), {}}, 1);
    }
    return cost;
  }

private:
  void loop(const Op &op, BlockCost &around) { steps(op, count(*op.region(0)), around); }

  void steps(const Op &op, BlockCost body, BlockCost &around) {
    if (std::optional<double> known = stepsOf(op)) return around.add(std::move(body), *known);
    around.loops.push_back({&op, 1, body.once, std::move(body.loops)});
  }

  BlockCost branch(const Op &op) {
    BlockCost larger;
    for (size_t r = 0; r < op.regionCount(); ++r) {
      BlockCost side = count(*op.region(r));
      larger.once = combine(larger.once, side.once, [](double a, double b) { return std::max(a, b); });
      branches |= side.once != OpCounts() || !side.loops.empty();
      for (LoopCost &inner : side.loops) larger.loops.push_back(std::move(inner));
    }
    return larger;
  }

  OpCounts countOp(const Op &op) {
    OpCounts counts;
    if (op.kind() == OpKind::AllocSlm) slmBytes += op.result()->type().byteCount();
    bool vector = op.resultCount() == 1 && op.result()->type().isVector();
    auto elements = [](const Value *value) { return static_cast<double>(value->type().elementCount()); };
    switch (op.kind()) {
    case OpKind::TileMma: counts.mma = 2 * elements(op.result()) * static_cast<double>(op.operand(0)->type().extent(1)); break;
    case OpKind::Nest: // per iteration
      counts.mma =
          2 * elements(op.result()) * static_cast<double>(op.operand(0)->type().extent(NestOp(op).transposeA() ? 0 : 1));
      break;
    case OpKind::Dpas: // each lane holds its share of MxK, KxN and MxN elements, and computes that of 2*M*N*K
      counts.mma = 2 * std::sqrt(elements(op.result()) * elements(op.operand(0)) * elements(op.operand(1)) * lanes_);
      break;
    case OpKind::Scan:
    case OpKind::Reduction: counts.elementwise = elements(op.operand(0)); break;
    case OpKind::AtomicRmw:
    case OpKind::AtomicCas:
    case OpKind::AtomicTdesc: counts.elementwise = vector ? elements(op.result()) : 1; break;
    default:
      if (op.info().elementwise && vector) counts.elementwise = elements(op.result()) * (op.kind() == OpKind::Fma ? 2 : 1);
    }
    TypeRule rule = op.info().typeRule;
    if (rule != TypeRule::PrefetchTile && rule != TypeRule::PrefetchNd && rule != TypeRule::PrefetchTdesc)
      countBytes(op, counts);
    return counts;
  }

  void countBytes(const Op &op, OpCounts &counts) {
    for (size_t k = 0; k < op.operandCount(); ++k) {
      Effect on = effectsOn(op, k);
      if (on == Effect::None) continue;
      Type type = op.operand(k)->type();
      bool slm = type.data().space == MemorySpace::Slm;
      double bytes = type.isWindow() ? static_cast<double>(type.byteCount()) : elemInfo(type.elem()).storageBytes;
      if (type.isTensorDesc() && type.layout()) bytes /= static_cast<double>(type.layout()->axisSize(Axis::Lane)); // per lane
      if (has(on, Effect::Reads)) (slm ? counts.slmBytesRead : counts.bytesRead) += bytes;
      if (has(on, Effect::Writes)) (slm ? counts.slmBytesWritten : counts.bytesWritten) += bytes;
    }
  }

  const double lanes_; // of a subgroup at lane scope, else 1
};

} // namespace

KernelCost kernelCost(const Kernel &kernel) {
  Counter counter(kernel.lanes);
  BlockCost body;
  body.add(counter.count(kernel.body),
           kernel.scope == Scope::Workgroup ? 1.0 : static_cast<double>(kernel.subgroups * kernel.lanes));
  return {body.once, std::move(body.loops), counter.branches, counter.slmBytes};
}

} // namespace xt
