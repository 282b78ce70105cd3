#include "passes/stage_products.h"

#include "ir/base/text.h"
#include "ir/builder.h"
#include "ir/constants.h"
#include "ir/context.h"
#include "ir/gpu/slm_layout.h"
#include "ir/layout/layout_pieces.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/tile.h"
#include "passes/facts.h"
#include "passes/staged_loads.h"

#include <algorithm>
#include <set>

namespace xt {
namespace {

// More buffers would not hide more of the latency of memory, and cost workgroups that a GPU could run at the same time.
constexpr int64_t kMostBuffers = 4, kMostRingBytes = 96 << 10;
// What is left where subgroups exchange elements.
constexpr int64_t kExchangeBytes = 64 << 10;

bool hasVector(const Op &op) {
  auto isVector = [](const Value *value) { return value->type().isVector(); };
  return std::ranges::any_of(op.operands(), isVector) || std::ranges::any_of(resultsOf(op), isVector);
}

// Whether a broadcast along a dimension of one element copies what each subgroup has (SubgroupMovement::broadcast).
bool copiesOwnElements(const Op &broadcast) {
  Type from = broadcast.operand(0)->type(), to = broadcast.result()->type();
  auto dim = static_cast<int>(dimensionOf(broadcast));
  return from.extent(dim) == 1 && dimPieces(*from.layout(), 1 - dim) == dimPieces(*to.layout(), 1 - dim);
}

// Whether subgroups may exchange elements for an op of a kernel that stages these loads.
bool mayExchange(const Op &op, const StagedLoads &staged) {
  auto isWhole = [&](size_t place) { return isWholeAlongK(*op.operand(place), place, staged.loads); };
  switch (op.kind()) {
  case OpKind::LoadTile:
  case OpKind::StoreTile:
  case OpKind::Constant:
  case OpKind::For:
  case OpKind::If:
  case OpKind::Yield: return false;
  case OpKind::TileMma: return !isWhole(0) || !isWhole(1);
  case OpKind::Broadcast: return !copiesOwnElements(op);
  case OpKind::Transpose:
  case OpKind::ConvertLayout:
    return std::ranges::none_of(
        staged.loads, [&](const StagedLoad &load) { return std::ranges::find(load.folded, &op) != load.folded.end(); });
  default: return hasVector(op) && !isElementwise(op);
  }
}

bool exchanges(const Kernel &kernel, const StagedLoads &staged) {
  bool found = false;
  walk(kernel.body, [&](const Op &op) { found = found || mayExchange(op, staged); });
  return found;
}

class Stager {
public:
  Stager(Kernel &kernel, Context &context, const TargetInfo &target, Diagnostics &diagnostics)
      : kernel_(kernel), context_(context), target_(target), diagnostics_(diagnostics), b_(context, kernel.body) {}

  void run() {
    findWrites();
    std::vector<Op *> loops;
    walk(kernel_.body, [&](Op &op) {
      if (op.kind() == OpKind::For) loops.push_back(&op);
    });
    for (Op *loop : loops) stage(*loop);
  }

private:
  void findWrites();
  void stage(Op &loop);
  int64_t buffersFor(const StagedLoads &found, int64_t left) const;
  Value *ring(const StagedLoad &load);
  Value *slot(Value *ring, Value *number, Type tile);
  Value *copies(const std::vector<StagedLoad> &loads, const std::vector<Value *> &rings, const std::vector<Value *> &tiles,
                Value *number);
  std::vector<Value *> advanced(const std::vector<StagedLoad> &loads, const std::vector<Value *> &tiles);
  Value *firstTile(const Op &loop, const StagedLoad &load);
  void giveOperand(const StagedLoad &load);
  void rewrite(Op &loop, const std::vector<StagedLoad> &loads);

  Kernel &kernel_;
  Context &context_;
  const TargetInfo &target_;
  Diagnostics &diagnostics_;
  Builder b_;
  int64_t buffers_ = 0;
  std::set<const Op *> beforeWrites_; // loops at the kernel's top up to whose end it writes no global memory; for lookup only
};

void Stager::findWrites() {
  for (const Op &op : kernel_.body) {
    bool writes = writesGlobalMemory(op);
    for (size_t i = 0; i < op.regionCount(); ++i)
      walk(*op.region(i), [&](const Op &inner) { writes = writes || writesGlobalMemory(inner); });
    if (writes) return;
    if (op.kind() == OpKind::For) beforeWrites_.insert(&op);
  }
}

// The number of buffers of a ring where `left` bytes are left for exchanges; 0 if two do not fit.
int64_t Stager::buffersFor(const StagedLoads &found, int64_t left) const {
  int64_t room = target_.slmBytes - left - slmLayout(kernel_).bytes;
  int64_t count = std::min(kMostBuffers, std::min(std::max(kMostRingBytes, 2 * found.bytes()), room) / found.bytes());
  return count < 2 ? 0 : count;
}

void Stager::stage(Op &loop) {
  StagedLoads found = stagedLoads(loop, kernel_, context_, target_, beforeWrites_.contains(&loop));
  auto remark = [&](std::string text) { diagnostics_.report(DiagCode::PassRemark, loop.range(), std::move(text)); };
  if (!found.reason.empty()) remark(str("this loop loads an operand of a product where it needs it: ", found.reason));
  if (found.loads.empty()) return;
  const int64_t all = buffersFor(found, 0);
  buffers_ = buffersFor(found, kExchangeBytes);
  const bool leaves = buffers_ < all && exchanges(kernel_, found);
  if (!leaves) buffers_ = all;
  if (!buffers_)
    return remark(str("this loop loads the operands of a product where it needs them: two buffers of ", found.bytes(),
                      " bytes do not fit into the ", target_.slmBytes, " bytes of shared local memory",
                      leaves ? str(", of which ", kExchangeBytes, " are left for exchanges") : ""));
  rewrite(loop, found.loads);
  remark(str("the operands of a product are copied to shared local memory ", buffers_ - 1,
             buffers_ == 2 ? " iteration ahead, into " : " iterations ahead, into ", buffers_, " buffers of ", found.bytes(),
             " bytes"));
}

// The buffers of one operand, at the top of the kernel.
Value *Stager::ring(const StagedLoad &load) {
  TypeData data = load.buffer.data();
  data.shape.insert(data.shape.begin(), buffers_);
  Builder top(context_, kernel_.body);
  top.setBefore(kernel_.body.first());
  top.setRange(load.load->range());
  return top.value(OpKind::AllocSlm, {}, context_.intern(std::move(data)));
}

// The window onto a buffer of a ring through which a tile is accessed.
Value *Stager::slot(Value *ring, Value *number, Type tile) {
  TypeData data = tile.data();
  data.space = MemorySpace::Slm;
  return b_.value(OpKind::InitTile, {ring, number, b_.index(0), b_.index(0)}, context_.intern(std::move(data)));
}

// Begins the copies of one iteration; returns their group.
Value *Stager::copies(const std::vector<StagedLoad> &loads, const std::vector<Value *> &rings,
                      const std::vector<Value *> &tiles, Value *number) {
  Type token = context_.ofKind(TypeKind::Token);
  std::vector<Value *> begun;
  for (size_t i = 0; i < loads.size(); ++i)
    begun.push_back(b_.value(OpKind::AsyncCopy, {tiles[i], slot(rings[i], number, loads[i].copied)}, token));
  return b_.value(OpKind::AsyncCommit, std::move(begun), token);
}

std::vector<Value *> Stager::advanced(const std::vector<StagedLoad> &loads, const std::vector<Value *> &tiles) {
  std::vector<Value *> moved;
  for (size_t i = 0; i < loads.size(); ++i) {
    std::vector<Value *> operands = {tiles[i]};
    for (size_t k = 1; k < loads[i].update->operandCount(); ++k) {
      Value *delta = loads[i].update->operand(k);
      const AttrValue *constant = constantValue(*delta);
      operands.push_back(constant ? b_.index(std::get<int64_t>(*constant)) : delta);
    }
    moved.push_back(b_.value(OpKind::UpdateTileOffset, std::move(operands), tiles[i]->type()));
  }
  return moved;
}

// The tile with which the loop begins, in the layout in which it is copied.
Value *Stager::firstTile(const Op &loop, const StagedLoad &load) {
  const Op &init = *loop.operand(carriedAt(loop).operand + load.carried)->definingOp();
  Op *made = b_.create(OpKind::InitTile, init.operands(), {load.copied});
  copyAttrs(init, *made);
  return made->result();
}

// Lets the load give the operand of the product, in the layout that was found for it.
void Stager::giveOperand(const StagedLoad &load) {
  Value *operand = load.operand(), *result = load.load->result();
  Type given = load.given ? context_.withLayout(operand->type(), load.given) : operand->type();
  const bool turned = load.turned();
  load.load->removeAttr(attr_names::kTranspose);
  if (turned) LoadTileOp(*load.load).setTranspose({1, 0});
  if (!load.folded.empty()) operand->replaceAllUsesWith(result);
  result->setType(given);
  for (auto op = load.folded.rbegin(); op != load.folded.rend(); ++op) (*op)->block()->erase(*op);
}

void Stager::rewrite(Op &loop, const std::vector<StagedLoad> &loads) {
  CarriedAt at = carriedAt(loop);
  Block &body = *loop.region();
  Op *yield = body.last();
  std::vector<Value *> rings, tiles, groups;
  for (const StagedLoad &load : loads) rings.push_back(ring(load));
  b_.setBefore(&loop);
  b_.setRange(loop.range());
  for (const StagedLoad &load : loads) tiles.push_back(firstTile(loop, load));
  for (int64_t ahead = 0; ahead + 1 < buffers_; ++ahead) {
    groups.push_back(copies(loads, rings, tiles, b_.index(ahead)));
    tiles = advanced(loads, tiles);
  }
  // The loop carries the buffer of an iteration and that of the one before, then the groups on their way.
  std::vector<Value *> inits = {b_.index(0), b_.index(buffers_ - 1)}, params;
  inits.insert(inits.end(), groups.begin(), groups.end());
  for (Value *init : inits) {
    loop.addOperand(init);
    params.push_back(body.addParam(init->type()));
    loop.addResult(init->type());
  }
  std::vector<Value *> carried;
  for (size_t i = 0; i < loads.size(); ++i) {
    size_t number = loads[i].carried;
    loop.setOperand(at.operand + number, tiles[i]);
    carried.push_back(body.param(at.param + number));
    for (Value *tile : {carried.back(), loads[i].update->result(), loop.result(number)}) tile->setType(loads[i].copied);
  }
  b_.setBefore(body.first());
  b_.create(OpKind::AsyncWait, {params[2]}, {});
  b_.create(OpKind::Barrier, {}, {});
  Value *group = copies(loads, rings, carried, params[1]);
  for (size_t i = 0; i < loads.size(); ++i) {
    b_.setBefore(loads[i].load);
    loads[i].load->setOperand(0, slot(rings[i], params[0], loads[i].loaded));
    loads[i].load->removeAttr(attr_names::kPadding);
    giveOperand(loads[i]);
  }
  b_.setBefore(yield);
  Value *next = b_.value(OpKind::AddI, {params[0], b_.index(1)}, context_.index());
  yield->addOperand(b_.value(OpKind::RemUI, {next, b_.index(buffers_)}, context_.index()));
  yield->addOperand(params[0]);
  for (size_t i = 3; i < params.size(); ++i) yield->addOperand(params[i]);
  yield->addOperand(group);
  // Copies beyond the last iteration are on their way too.
  Builder behind(context_, *loop.block());
  if (loop.next()) behind.setBefore(loop.next());
  behind.setRange(loop.range());
  behind.create(OpKind::AsyncWait, {loop.result(loop.resultCount() - 1)}, {});
  if (loop.block()->parentOp()) behind.create(OpKind::Barrier, {}, {}); // another run of the loop uses the same buffers
}

} // namespace

Result<void> stageProducts(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  if (target.asyncCopyBytes.empty()) return {};
  for (const auto &kernel : module.kernels)
    if (kernel->scope == Scope::Workgroup) Stager(*kernel, module.context(), target, diagnostics).run();
  return {};
}

} // namespace xt
