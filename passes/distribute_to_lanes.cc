#include "passes/distribute_to_lanes.h"

#include "ir/atomic_update.h"
#include "ir/base/text.h"
#include "ir/gpu/code_size.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "ir/verify/target_limits.h"
#include "passes/conditional_ops.h"
#include "passes/expand_async_copies.h"
#include "passes/fragment_memory.h"
#include "passes/lane_elements.h"
#include "passes/lane_math.h"
#include "passes/lane_messages.h"
#include "passes/lane_products.h"
#include "passes/xegpu_to_tiles.h"

#include <map>
#include <optional>

namespace xt {
namespace {

// Walks a kernel and passes each op to the class that knows how lanes perform it. Handles structure ops and prints itself.
class LaneDistribution {
public:
  LaneDistribution(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes, Diagnostics &diagnostics)
      : kernel_(kernel), diagnostics_(diagnostics), layouts_(kernel, context, target, lanes), b_(context, kernel.body),
        prologue_(kernel, context), values_(b_, layouts_), places_(b_, prologue_, lanes), exchange_(b_, places_),
        elements_(b_, values_, layouts_, places_, exchange_),
        memory_(b_, values_, layouts_, places_, exchange_, hazards_, target), messages_(b_, values_, layouts_, exchange_),
        math_(b_, values_, layouts_, exchange_, lanes) {}
  void run();

private:
  void op(const Op &op);
  void distribute(const Op &op);
  void remarkOnExchange(const Op &op, const ShuffleCost &before);
  void structure(const Op &op);
  void region(const Block &from, Block &to);
  void print(const Op &op);
  void fence(const Op &op);
  void xegpu(const Op &op);

  Kernel &kernel_;
  Diagnostics &diagnostics_;
  LaneLayouts layouts_;
  Builder b_;
  KernelPrologue prologue_;
  LaneHazards hazards_;
  FragmentValues values_;
  LanePlaces places_;
  FragmentExchange exchange_;
  LaneElements elements_;
  FragmentMemory memory_;
  LaneMessages messages_;
  LaneMath math_;
};

void LaneDistribution::run() {
  std::vector<Op *> olds;
  for (Op &op : kernel_.body) olds.push_back(&op);
  for (const auto &param : kernel_.body.params()) values_.bind(param.get(), param.get());
  // New ops follow the old ones, which are erased at the end.
  for (Op *old : olds) {
    b_.setEnd(kernel_.body);
    op(*old);
  }
  for (size_t k = olds.size(); k-- > 0;) kernel_.body.erase(olds[k]);
  kernel_.scope = Scope::Lane;
  kernel_.lanes = places_.lanes();
  kernel_.subgroupsWritten = true;
}

void LaneDistribution::op(const Op &op) {
  b_.setRange(op.range());
  ShuffleCost before = exchange_.cost();
  distribute(op);
  if (op.regionCount() == 0) remarkOnExchange(op, before);
}

// Reports what an op costs because the kernel states the layout of an operand or a result.
void LaneDistribution::remarkOnExchange(const Op &op, const ShuffleCost &before) {
  ShuffleCost own{exchange_.cost().shuffles - before.shuffles, exchange_.cost().selects - before.selects};
  bool stated = op.resultCount() > 0 && op.result()->type().isVector() && layouts_.isStated(op.result());
  for (const Value *operand : op.operands()) stated |= operand->type().isVector() && layouts_.isStated(operand);
  if (!stated || own.shuffles + own.selects == 0) return;
  diagnostics_.report(DiagCode::LaneMovement, op.range(),
                      str("elements move between lanes, as the layouts state: ", text(own), " in each lane"));
}

void LaneDistribution::distribute(const Op &op) {
  switch (op.info().typeRule) {
  case TypeRule::For:
  case TypeRule::While:
  case TypeRule::If: return structure(op);
  case TypeRule::Iota: return elements_.iota(op);
  case TypeRule::CreateMask: return elements_.createMask(op);
  case TypeRule::Insert: return elements_.insert(op);
  case TypeRule::Extract: return elements_.extract(op);
  case TypeRule::InitTile:
  case TypeRule::UpdateTileOffset: return values_.repeat(op);
  case TypeRule::LoadTile: return memory_.loadTile(op);
  case TypeRule::StoreTile: return memory_.storeTile(op);
  case TypeRule::PrefetchTile: return; // a hint; every lane would repeat it
  case TypeRule::AsyncCopy: return memory_.asyncCopy(op);
  case TypeRule::AsyncCommit: return memory_.asyncCommit(op);
  case TypeRule::AsyncWait: return memory_.asyncWait(op);
  case TypeRule::LoadGather: return memory_.gather(op);
  case TypeRule::StoreScatter: return memory_.scatter(op);
  case TypeRule::AtomicUpdate: return memory_.atomic(op);
  case TypeRule::MemRefStore: return memory_.storeScalar(op);
  case TypeRule::TileMma: return math_.tileMma(op);
  case TypeRule::Dpas: return math_.dpas(op);
  case TypeRule::ConvertLayout: return math_.convertLayout(op);
  case TypeRule::Transpose: return math_.transpose(op);
  case TypeRule::Reduction: return math_.reduction(op);
  case TypeRule::Broadcast: return math_.broadcast(op);
  case TypeRule::Reshape: return math_.reshape(op);
  case TypeRule::ExtractStridedSlice: return math_.extractSlice(op);
  case TypeRule::InsertStridedSlice: return math_.insertSlice(op);
  case TypeRule::Print: return print(op);
  default: break;
  }
  if (op.info().dialect == Dialect::XeGpu) return xegpu(op);
  if (isFence(op)) return fence(op);
  if (op.kind() == OpKind::Barrier) hazards_.clear();
  memory_.before(op, nullptr);
  values_.repeat(op);
}

// A fence of a lane orders the accesses of this lane. That of a subgroup orders those of all its lanes, whichever of them makes
// the atomic access before or behind it, so the lanes meet on both sides.
void LaneDistribution::fence(const Op &op) {
  b_.create(OpKind::SubgroupBarrier, {}, {});
  values_.repeat(op);
  b_.create(OpKind::SubgroupBarrier, {}, {});
  hazards_.clear();
}

void LaneDistribution::xegpu(const Op &op) {
  // The lanes meet around a store_nd, but around a load_nd only where the block that it reads needs it.
  if (op.kind() == OpKind::StoreNd || op.kind() == OpKind::NbarrierWait) hazards_.clear();
  if (op.kind() == OpKind::LoadNd) return messages_.load(op);
  if (op.kind() == OpKind::StoreNd) return messages_.store(op);
  values_.repeat(op);
}

void LaneDistribution::structure(const Op &op) {
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) types.push_back(values_.typeOf(op.result(i)));
  Op *made = b_.create(op.kind(), values_.ofAll(op.operands()), types, op.regionCount());
  Block &outer = b_.block();
  LaneHazards::State before = hazards_.enter(op), ends;
  LaneHazards entered = hazards_;
  for (size_t r = 0; r < op.regionCount(); ++r) {
    hazards_ = entered;
    region(*op.region(r), *made->region(r));
    ends.insert(ends.end(), hazards_.state().begin(), hazards_.state().end());
  }
  hazards_.leave(ends);
  hazards_.leave(before);
  b_.setEnd(outer);
  for (size_t i = 0; i < op.resultCount(); ++i) values_.bind(op.result(i), made->result(i));
}

// Distributes the ops of the old op's region into the region of the new op.
void LaneDistribution::region(const Block &from, Block &to) {
  for (const auto &param : from.params()) values_.bind(param.get(), to.addParam(values_.typeOf(param.get())));
  b_.setEnd(to);
  for (Op &old : from) op(old);
}

// A print collects the whole vector in every lane, and one lane prints it.
void LaneDistribution::print(const Op &op) {
  std::vector<Value *> operands;
  for (const Value *operand : op.operands()) {
    Value *value = values_.of(operand);
    if (operand->type().isVector())
      value = exchange_.converted(value, layouts_.of(operand), layouts_.replicated(operand->type().shape()));
    operands.push_back(value);
  }
  if (op.kind() == OpKind::Assert) {
    values_.copy(op, std::move(operands), {});
    return;
  }
  onlyWhere(b_, places_.isFirst(), [&] { values_.copy(op, std::move(operands), {}); });
}

// Replaces XeGPU ops by tile ops, before the distribution, if lanes of this hardware cannot hold their blocks or operands.
void replaceOddBlocks(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes) {
  LaneLayouts layouts(kernel, context, target, lanes);
  xegpuToTiles(context, kernel, [&](const Op &op) {
    if (op.kind() == OpKind::Dpas) return !layouts.ofProduct(op, 0);
    for (const Value *operand : op.operands())
      if (operand->type().isTensorDesc()) return !layouts.ofBlock(operand);
    return op.resultCount() > 0 && op.result()->type().isTensorDesc() && !layouts.ofBlock(op.result());
  });
}

// Replaces asynchronous copies that block-tiles has not shared between lanes by loads and stores.
void replaceWholeCopies(Kernel &kernel, Context &context) {
  bool whole = false;
  walk(kernel.body, [&](const Op &op) { whole |= op.kind() == OpKind::AsyncCopy && !op.operand(0)->type().layout(); });
  if (whole) expandAsyncCopies(kernel, context);
}

// Counts the operations of each lane that bring it the operands of products: each element that moves is shuffled and inserted.
class ProductExchanges {
public:
  ProductExchanges(Kernel &kernel, Context &context, const TargetInfo &target, int64_t lanes)
      : kernel_(kernel), context_(context), target_(target), lanes_(lanes) {}

  int64_t opsOf(const Op &tileMma) {
    if (!layouts_) layouts_.emplace(kernel_, context_, target_, lanes_); // most kernels have no such product
    std::array<const Layout *, 2> wanted = operandsOfLanes(tileMma, *layouts_, context_);
    int64_t ops = 0;
    for (size_t i = 0; i < wanted.size(); ++i)
      if (!isAlikeInLanes(tileMma.operand(i))) ops += opsOf(layouts_->of(tileMma.operand(i)), wanted[i]);
    return ops;
  }

private:
  // Whether all elements have one value, which no lane needs from another one.
  static bool isAlikeInLanes(const Value *operand) {
    const Op *op = operand->definingOp();
    return op && (op->info().typeRule == TypeRule::Constant || op->info().typeRule == TypeRule::Splat);
  }
  int64_t opsOf(const Layout *from, const Layout *to) {
    if (from == to) return 0;
    auto [at, isNew] = known_.try_emplace({from, to}, 0);
    if (!isNew) return at->second;
    ShuffleCost cost = shuffleCost(from, to);
    return at->second = 2 * cost.shuffles + cost.selects;
  }

  Kernel &kernel_;
  Context &context_;
  const TargetInfo &target_;
  int64_t lanes_;
  std::optional<LaneLayouts> layouts_;
  std::map<std::pair<const Layout *, const Layout *>, int64_t> known_; // for lookup only; its order is not deterministic
};

// Whether the kernel can be distributed. All kernels are checked before the first one is: large code takes seconds to make.
bool fitsLanes(const Module &module, Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics) {
  if (!checkStatedLanes(kernel, target, diagnostics).ok()) return false;
  int64_t lanes = subgroupSizeFor(target, kernel);
  // A larger workgroup is an error at lane scope, so the printed result could not be parsed again.
  if (!checkWorkgroupSize(module, kernel, lanes, false, target, diagnostics)) return false;
  ProductExchanges exchanges(kernel, module.context(), target, lanes);
  return blocksFit(kernel, lanes, [&](const Op &tileMma) { return exchanges.opsOf(tileMma); }, diagnostics);
}

} // namespace

Result<void> distributeToLanes(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  bool fits = true;
  for (const auto &kernel : module.kernels)
    fits &= kernel->scope == Scope::Lane || fitsLanes(module, *kernel, target, diagnostics);
  if (!fits) return Error::diagnosed();
  for (const auto &kernel : module.kernels) {
    if (kernel->scope == Scope::Lane) {
      if (target.mma.empty()) expandLaneProducts(*kernel, module.context(), target, diagnostics);
      continue;
    }
    int64_t lanes = subgroupSizeFor(target, *kernel);
    replaceWholeCopies(*kernel, module.context());
    replaceOddBlocks(*kernel, module.context(), target, lanes);
    LaneDistribution(*kernel, module.context(), target, lanes, diagnostics).run();
  }
  return {};
}

} // namespace xt
