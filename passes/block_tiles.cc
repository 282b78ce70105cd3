#include "passes/block_tiles.h"

#include "ir/gpu/code_size.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/op_kinds.h"
#include "ir/verify/matrix_limits.h"
#include "ir/verify/target_limits.h"
#include "passes/block_copies.h"
#include "passes/block_loads.h"
#include "passes/block_movement.h"
#include "passes/block_products.h"
#include "passes/block_stores.h"
#include "passes/blockwise_ops.h"
#include "passes/nest_loops.h"
#include "passes/product_loops.h"
#include "passes/sweep_loops.h"
#include "passes/turned_loads.h"

namespace xt {
namespace {

// Walks a kernel and passes each op to the class that knows how it is performed on blocks. Handles structure ops itself.
class Blocking {
public:
  Blocking(Kernel &kernel, const TargetInfo &target, Context &context, Diagnostics &diagnostics)
      : kernel_(kernel), classes_(kernel, target, context), roots_(kernel), b_(context, kernel.body),
        conversion_(kernel, target, b_, diagnostics, classes_.lanes()), values_(b_, classes_, roots_, conversion_),
        parts_(b_, values_, classes_), windows_(kernel, b_, values_, classes_, roots_),
        messages_(kernel, target, b_, diagnostics, classes_, roots_, windows_), blockwise_(b_, values_, classes_, parts_),
        loads_(target, b_, values_, classes_, roots_, parts_, windows_, messages_),
        stores_(target, b_, values_, classes_, roots_, parts_, windows_, messages_),
        copies_(target, b_, values_, classes_, roots_, windows_), products_(target, b_, diagnostics, values_, classes_, parts_),
        movement_(b_, values_, classes_, parts_, conversion_) {}
  void run();

private:
  void op(const Op &op);
  void structure(const Op &op);
  void region(const Block &from, Block &to);
  void yield(const Op &op);

  Kernel &kernel_;
  BlockClasses classes_;
  TileRoots roots_;
  Builder b_;
  LaneConversion conversion_;
  BlockValues values_;
  BlockParts parts_;
  BlockWindows windows_;
  BlockMessages messages_;
  BlockwiseOps blockwise_;
  BlockLoads loads_;
  BlockStores stores_;
  BlockCopies copies_;
  BlockProducts products_;
  BlockMovement movement_;
};

void Blocking::run() {
  std::vector<Op *> olds;
  for (Op &op : kernel_.body) olds.push_back(&op);
  for (const auto &param : kernel_.body.params()) values_.bind(param.get(), {param.get()});
  // New ops follow the old ones, which are erased at the end.
  b_.setEnd(kernel_.body);
  for (Op *old : olds) op(*old);
  for (size_t k = olds.size(); k-- > 0;) kernel_.body.erase(olds[k]);
}

void Blocking::op(const Op &op) {
  b_.setRange(op.range());
  bool vectorResult = op.resultCount() && op.result()->type().isVector();
  switch (op.info().typeRule) {
  case TypeRule::For:
  case TypeRule::While:
  case TypeRule::If: return structure(op);
  case TypeRule::Yield: return yield(op);
  case TypeRule::Constant:
  case TypeRule::Splat: return vectorResult ? blockwise_.constantLike(op) : blockwise_.plain(op);
  case TypeRule::Compare:
  case TypeRule::Select:
  case TypeRule::Cast: return vectorResult ? blockwise_.eachBlock(op) : blockwise_.plain(op);
  case TypeRule::Iota: return blockwise_.iota(op);
  case TypeRule::CreateMask: return blockwise_.createMask(op);
  case TypeRule::Insert: return blockwise_.insert(op);
  case TypeRule::Extract: return blockwise_.extract(op);
  case TypeRule::Print: {
    bool checks = op.kind() == OpKind::Assert && op.operand(0)->type().isVector();
    return checks ? blockwise_.check(op) : blockwise_.print(op);
  }
  case TypeRule::InitTile: return windows_.initTile(op);
  case TypeRule::UpdateTileOffset: return windows_.updateTile(op);
  case TypeRule::LoadTile: return loads_.loadTile(op);
  case TypeRule::PrefetchTile: return loads_.prefetchTile(op);
  case TypeRule::StoreTile: return stores_.storeTile(op);
  case TypeRule::AsyncCopy: return copies_.asyncCopy(op);
  case TypeRule::LoadGather:
  case TypeRule::StoreScatter:
  case TypeRule::AtomicUpdate: return windows_.eachWindow(op);
  case TypeRule::TileMma: return products_.tileMma(op);
  case TypeRule::ConvertLayout: return movement_.convertLayout(op);
  case TypeRule::ExtractStridedSlice: return movement_.extractSlice(op);
  case TypeRule::InsertStridedSlice: return movement_.insertSlice(op);
  case TypeRule::Transpose: return movement_.transpose(op);
  case TypeRule::Reduction: return movement_.reduction(op);
  case TypeRule::Broadcast: return movement_.broadcast(op);
  case TypeRule::Reshape: return movement_.reshape(op);
  default: break;
  }
  return vectorResult && op.info().elementwise ? blockwise_.eachBlock(op) : blockwise_.plain(op);
}

void Blocking::structure(const Op &op) {
  std::vector<Value *> oldResults;
  std::vector<Type> types;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    oldResults.push_back(op.result(i));
    for (Type type : values_.typesOf(op.result(i))) types.push_back(type);
  }
  Op *made = b_.create(op.kind(), values_.ofAll(op.operands()), types, op.regionCount());
  Block &outer = b_.block();
  for (size_t r = 0; r < op.regionCount(); ++r) region(*op.region(r), *made->region(r));
  b_.setEnd(outer);
  Values results;
  for (size_t i = 0; i < made->resultCount(); ++i) results.push_back(made->result(i));
  values_.bindAll(oldResults, results);
}

// Cuts the ops of the old op's region into blocks, in the region of the new op.
void Blocking::region(const Block &from, Block &to) {
  std::vector<Value *> oldParams;
  Values params;
  for (const auto &param : from.params()) {
    oldParams.push_back(param.get());
    for (Type type : values_.typesOf(param.get())) params.push_back(to.addParam(type));
  }
  values_.bindAll(oldParams, params);
  b_.setEnd(to);
  for (const Op &old : from) op(old);
}

void Blocking::yield(const Op &op) { b_.create(OpKind::Yield, values_.ofAll(op.operands()), {}); }

} // namespace

Result<void> blockTiles(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) {
    if (kernel->scope == Scope::Lane) { // such kernels already work on blocks and per-lane tiles
      keepAsyncCopies(*kernel, module.context(), target, 1, diagnostics);
      continue;
    }
    if (!checkStatedLanes(*kernel, target, diagnostics).ok() || !checkMatrixCombinations(*kernel, target, diagnostics).ok())
      return Error::diagnosed();
    if (!expandNests(*kernel, module.context(), diagnostics).ok()) return Error::diagnosed();
    foldTransposesIntoLoads(*kernel, module.context());
    formSweepLoops(*kernel, target, module.context());
    if (!tilesFit(*kernel, target, diagnostics)) return Error::diagnosed();
    formProductLoops(*kernel, target, module.context(), diagnostics);
    if (!expandNests(*kernel, module.context(), diagnostics).ok()) return Error::diagnosed();
    keepAsyncCopies(*kernel, module.context(), target, subgroupSizeFor(target, *kernel), diagnostics);
    Blocking(*kernel, target, module.context(), diagnostics).run();
  }
  return {};
}

} // namespace xt
