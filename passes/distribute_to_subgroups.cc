#include "passes/distribute_to_subgroups.h"

#include "ir/atomic_update.h"
#include "ir/gpu/code_size.h"
#include "ir/gpu/slm_layout.h"
#include "ir/op_kinds.h"
#include "ir/verify/matrix_limits.h"
#include "ir/verify/target_limits.h"
#include "passes/facts.h"
#include "passes/fewer_exchanges.h"
#include "passes/layout_conversion.h"
#include "passes/masked_loads.h"
#include "passes/nest_loops.h"
#include "passes/piecewise_ops.h"
#include "passes/subgroup_movement.h"
#include "passes/subgroup_output.h"
#include "passes/subgroup_reduction.h"
#include "passes/subgroup_scan.h"

namespace xt {
namespace {

// Walks a kernel and passes each op to the class that knows how subgroups perform it. Handles structure ops itself.
class Distribution {
public:
  // `slmLimit`: maximum number of bytes of shared local memory that one exchange may use; 0: unlimited. `matrixLoads`: whether
  // instructions load rows of 16 bytes from there.
  Distribution(Kernel &kernel, Context &context, int64_t slmLimit, bool matrixLoads)
      : kernel_(kernel), b_(context, kernel.body), prologue_(kernel, context), values_(b_),
        places_(b_, prologue_, kernel.subgroups), barriers_(b_),
        slm_(b_, prologue_, values_, places_, barriers_, matrixLoads ? slmLimit : 0), elements_(b_, values_, places_, slm_),
        piecewise_(b_, values_, places_), conversion_(b_, values_, places_, slm_, elements_, slmLimit),
        reduction_(b_, values_, places_, slm_), scan_(b_, values_, places_, slm_),
        movement_(b_, values_, places_, slm_, elements_), output_(b_, values_, places_, slm_, elements_, barriers_) {}
  void run();

private:
  void op(const Op &op);
  void atomic(const Op &op);
  void structure(const Op &op);
  void region(const Block &from, Block &to);
  void yield(const Op &op);

  Kernel &kernel_;
  Builder b_;
  KernelPrologue prologue_;
  SubgroupValues values_;
  SubgroupPlaces places_;
  ExchangeBarriers barriers_;
  SlmExchange slm_;
  ElementExchange elements_;
  PiecewiseOps piecewise_;
  LayoutConversion conversion_;
  SubgroupReduction reduction_;
  SubgroupScan scan_;
  SubgroupMovement movement_;
  SubgroupOutput output_;
};

void Distribution::run() {
  std::vector<Op *> olds;
  for (Op &op : kernel_.body) olds.push_back(&op);
  for (const auto &param : kernel_.body.params()) values_.bind(param.get(), {param.get()});
  places_.id(); // creates the kernel's first op, before the buffers
  // New ops follow the old ones, which are erased at the end.
  for (Op *old : olds) {
    b_.setEnd(kernel_.body);
    op(*old);
  }
  for (size_t k = olds.size(); k-- > 0;) kernel_.body.erase(olds[k]);
  barriers_.dropNeedlessWaits();
  kernel_.scope = Scope::Subgroup;
  kernel_.subgroupsWritten = true;
}

void Distribution::op(const Op &op) {
  b_.setRange(op.range());
  switch (op.info().typeRule) {
  case TypeRule::For:
  case TypeRule::While:
  case TypeRule::If: return structure(op);
  case TypeRule::Yield: return yield(op);
  case TypeRule::InitTile: return piecewise_.initTile(op);
  case TypeRule::LoadTile: return transposes(op) ? movement_.loadTransposed(op) : piecewise_.eachPiece(op);
  case TypeRule::TileMma: return movement_.tileMma(op);
  case TypeRule::Transpose: return movement_.transpose(op);
  case TypeRule::Reduction: return reduction_.reduce(op);
  case TypeRule::Scan: return scan_.scan(op);
  case TypeRule::Broadcast: return movement_.broadcast(op);
  case TypeRule::ConvertLayout: return conversion_.convert(op);
  case TypeRule::Reshape: return movement_.reshape(op);
  case TypeRule::Extract: return movement_.extract(op);
  case TypeRule::ExtractStridedSlice: return movement_.extractSlice(op);
  case TypeRule::InsertStridedSlice: return movement_.insertSlice(op);
  case TypeRule::Insert: return piecewise_.insert(op);
  case TypeRule::Iota: return piecewise_.iota(op);
  case TypeRule::CreateMask: return piecewise_.createMask(op);
  case TypeRule::Print: return op.kind() == OpKind::Assert ? output_.check(op) : output_.print(op);
  case TypeRule::MemRefStore: return piecewise_.memoryStore(op);
  case TypeRule::AsyncCopy: return piecewise_.eachPiece(op);
  default: break;
  }
  bool pieces = false;
  for (size_t i = 0; i < op.resultCount(); ++i) pieces |= hasPieces(op.result(i)->type());
  for (const Value *operand : op.operands()) pieces |= hasPieces(operand->type());
  if (!pieces) return piecewise_.plain(op);
  if (!has(op.info().effects, Effect::Writes)) return piecewise_.eachPiece(op);
  if (AtomicUpdate::is(op)) return atomic(op);
  piecewise_.writeOnce(op);
}

// If several subgroups hold an element, the first of them updates it and gives the old value to the others.
void Distribution::atomic(const Op &op) {
  Type type = op.result()->type();
  if (op.result()->uses().empty()) return piecewise_.writeOnce(op);
  if (copyDigits(*type.layout()).empty()) return piecewise_.eachPiece(op);
  Pieces pieces(type);
  auto row = [&](size_t k) { return places_.indexOf(pieces.dims[0], pieces.at(k)[0]); };
  auto column = [&](size_t k) { return places_.indexOf(pieces.dims[1], pieces.at(k)[1]); };
  Value *buffer = slm_.buffer(shapeOf(type), type.elem());
  slm_.write(*type.layout(), [&] {
    piecewise_.eachPiece(op);
    for (size_t k = 0; k < pieces.count(); ++k) slm_.store(values_.of(op.result())[k], buffer, row(k), column(k));
  });
  Values olds;
  for (size_t k = 0; k < pieces.count(); ++k) olds.push_back(slm_.load(buffer, row(k), column(k), pieces.lengths()));
  values_.bind(op.result(), std::move(olds));
}

void Distribution::structure(const Op &op) {
  std::vector<Type> types;
  std::vector<Value *> oldResults;
  for (size_t i = 0; i < op.resultCount(); ++i) {
    types.push_back(op.result(i)->type());
    oldResults.push_back(op.result(i));
  }
  Op *made = b_.create(op.kind(), values_.ofAll(op.operands()), subgroupTypes(b_.context(), types), op.regionCount());
  Block &outer = b_.block();
  if (isLoop(op)) barriers_.enterLoop();
  for (size_t r = 0; r < op.regionCount(); ++r) region(*op.region(r), *made->region(r));
  if (isLoop(op)) barriers_.leaveLoop();
  b_.setEnd(outer);
  Values results;
  for (size_t i = 0; i < made->resultCount(); ++i) results.push_back(made->result(i));
  values_.bindAll(oldResults, results);
}

// Distributes the ops of the old op's region into the region of the new op.
void Distribution::region(const Block &from, Block &to) {
  std::vector<Value *> oldParams;
  Values params;
  for (const auto &param : from.params()) {
    oldParams.push_back(param.get());
    for (Type type : subgroupTypes(b_.context(), std::array{param->type()})) params.push_back(to.addParam(type));
  }
  values_.bindAll(oldParams, params);
  b_.setEnd(to);
  for (Op &old : from) op(old);
}

void Distribution::yield(const Op &op) { b_.create(OpKind::Yield, values_.ofAll(op.operands()), {}); }

void distribute(Module &module, int64_t slmBytes, bool matrixLoads) {
  for (const auto &kernel : module.kernels) {
    if (kernel->scope != Scope::Workgroup) continue;
    // An exchange may use half of the memory that the user's own buffers leave, because two may be active in one loop.
    int64_t limit = slmBytes == 0 ? 0 : std::max<int64_t>(1, (slmBytes - slmLayout(*kernel).bytes) / 2);
    Distribution(*kernel, module.context(), limit, matrixLoads).run();
  }
}

// Reports an error and returns false if the lanes of a layout do not share each piece of a subgroup, but hold whole pieces.
bool lanesSharePieces(const Kernel &kernel, Context &context, Diagnostics &diagnostics) {
  const Value *apart = nullptr;
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount() && !apart; ++i) {
      Type type = op.result(i)->type();
      bool lanes = type.isVector() && type.layout() && type.layout()->axisSize(Axis::Lane) > 1;
      if (lanes && !lanesOfPiece(context, *type.layout())) apart = op.result(i);
    }
  });
  if (!apart) return true;
  diagnostics
      .report(DiagCode::LaneLayout, apart->range(), "the lanes of this layout hold whole pieces of a subgroup's elements")
      .withLabel(apart->type().layout()->text())
      .note("write the digits of subgroups before those of lanes");
  return false;
}

} // namespace

Result<void> distributeToSubgroups(Module &module, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) {
    expandMaskedLoads(*kernel, module.context());
    if (!lanesSharePieces(*kernel, module.context(), diagnostics)) return Error::diagnosed();
    if (kernel->scope == Scope::Workgroup && !expandNests(*kernel, module.context(), diagnostics).ok())
      return Error::diagnosed();
  }
  distribute(module, 0, false);
  return {};
}

Result<void> distributeToSubgroupsFor(Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  for (const auto &kernel : module.kernels) expandMaskedLoads(*kernel, module.context());
  for (const auto &kernel : module.kernels)
    if (kernel->scope == Scope::Workgroup &&
        !(checkStatedLanes(*kernel, target, diagnostics).ok() && lanesSharePieces(*kernel, module.context(), diagnostics) &&
          checkMmaKinds(*kernel, target, module.context(), diagnostics).ok() && tilesFit(*kernel, target, diagnostics)))
      return Error::diagnosed();
  for (const auto &kernel : module.kernels) {
    if (kernel->scope != Scope::Workgroup) continue;
    if (!expandNests(*kernel, module.context(), diagnostics).ok()) return Error::diagnosed();
    loadWhatIsUsed(*kernel, target, module.context(), diagnostics);
    reduceBeforeConversions(*kernel, target, diagnostics);
  }
  distribute(module, target.slmBytes, target.matrixLoads);
  return {};
}

} // namespace xt
