#include "targets/xe/emit/block_plan.h"

#include "ir/base/text.h"
#include "ir/gpu/block_rules.h"
#include "ir/gpu/line_reads.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"

#include <algorithm>

namespace xt {
namespace {

class Planner {
public:
  Planner(const Kernel &kernel, const TargetInfo &target, const XeEmitOptions &options, const WindowOrigins &origins,
          Diagnostics &diagnostics)
      : kernel_(kernel), target_(target), options_(options), origins_(origins), diagnostics_(diagnostics) {}

  MessagePlan run() {
    walk(kernel_.body, [&](const Op &op) { visit(op); });
    for (const GpuBlockUse &use : plan_.uses) {
      int64_t bytes = elemInfo(kernel_.param(use.param)->type().elem()).storageBytes;
      const BlockRules &rules = target_.blocks;
      Interval height{1, rules.maximalExtent}, width{(rules.minimalWidth + bytes - 1) / bytes, rules.maximalExtent / bytes};
      plan_.facts.push_back({use.param, use.turned ? width : height, use.turned ? height : width});
    }
    return std::move(plan_);
  }

private:
  void visit(const Op &op) {
    switch (op.info().typeRule) {
    case TypeRule::LoadNd: {
      if (options_.blockMessages && lineRead(target_, op.operand(0)->type())) return; // its rows are loaded by 1D messages
      // If users of the block need adjacent elements of a column in one word, a message that packs them (VNNI) is tried
      // first.
      bool packs = LoadNdOp(op).vnniAxis() == 0;
      for (Use use : op.result()->uses()) packs |= use.user->kind() == OpKind::Dpas && use.operand == 1;
      BlockUse first = packs ? BlockUse::LoadVnni : BlockUse::Load, second = packs ? BlockUse::Load : BlockUse::LoadVnni;
      return plan(op, op.operand(0), {first, second, BlockUse::LoadTransposed});
    }
    case TypeRule::StoreNd: return plan(op, op.operand(1), {BlockUse::Store});
    case TypeRule::PrefetchNd: return plan(op, op.operand(0), {BlockUse::Prefetch});
    default: return;
    }
  }

  void plan(const Op &op, const Value *desc, std::initializer_list<BlockUse> uses) {
    std::string why = whyNoBlocks(desc->type());
    std::vector<GpuBlockUse> matrices;
    bool tested = false;
    for (const Op *maker : origins_.of(desc)) {
      if (!why.empty()) break;
      if (isUnchecked(*maker)) {
        tested = true;
        continue;
      }
      std::optional<GpuBlockUse> matrix = checkedBase(*maker, why);
      if (matrix) matrices.push_back(*matrix);
    }
    std::optional<BlockCall> call;
    for (BlockUse use : uses)
      if (why.empty() && !call) call = findBlockCall(target_, use, desc->type(), kernel_.lanes);
    if (!call) {
      if (why.empty()) why = "no message distributes such a block to the lanes as its sg_map requires";
      bool prefetch = op.kind() == OpKind::PrefetchNd;
      diagnostics_.report(DiagCode::BlockRemark, op.range(),
                          str("`", op.info().name, prefetch ? "` is removed: " : "` moves element by element: ", why));
      return;
    }
    for (GpuBlockUse matrix : matrices)
      if (std::find(plan_.uses.begin(), plan_.uses.end(), matrix) == plan_.uses.end()) plan_.uses.push_back(matrix);
    plan_.calls.emplace(&op, std::move(*call));
    if (tested) plan_.tested.insert(&op);
  }

  std::string whyNoBlocks(Type desc) const {
    if (!options_.blockMessages) return "this version of the kernel is for matrices that break the rules of block messages";
    if (!target_.blocks.any()) return str(target_.name, " has no 2D block messages");
    if (kernel_.lanes != target_.subgroupSizes[0])
      return str("block messages need subgroups of ", target_.subgroupSizes[0], " lanes");
    if (desc.rank() != 2) return "it does not have two dimensions";
    if (desc.data().space == MemorySpace::Slm) return "block messages cannot access shared local memory";
    if (elemInfo(desc.elem()).bits < 8) return "elements of less than 8 bits are widened when they are read";
    return "";
  }

  // Whether the base of a descriptor is an address or has an explicit shape, which a launch cannot check.
  static bool isUnchecked(const Op &maker) {
    Type base = maker.operand(0)->type();
    return !base.isMemRef() || maker.operandCount() != 1 + static_cast<size_t>(base.rank());
  }

  // Returns the parameter that is the base of a descriptor, if a launch can check that its matrix obeys the rules of block
  // messages. Otherwise returns nullopt and sets `why`.
  std::optional<GpuBlockUse> checkedBase(const Op &maker, std::string &why) const {
    const Value *base = maker.operand(0);
    why = whyNoBlockBase(target_.blocks, blockBaseOf(base->type()));
    if (!why.empty()) return std::nullopt;
    bool turned = false;
    for (const Op *cast = base->definingOp(); cast && cast->kind() == OpKind::Cast; cast = base->definingOp()) {
      const Value *source = cast->operand(0);
      std::vector<int> dims = *memrefCastDims(source->type(), cast->result()->type());
      int rank = source->type().rank();
      if (static_cast<int>(dims.size()) != rank || std::find(dims.begin(), dims.end(), -1) != dims.end())
        break; // the cast adds or drops dimensions
      turned ^= dims.back() == rank - 2;
      base = source;
    }
    for (size_t i = 0; i < kernel_.paramCount; ++i)
      if (kernel_.param(i) == base) return GpuBlockUse{i, turned};
    why = "its base is not a parameter of the kernel";
    return std::nullopt;
  }

  const Kernel &kernel_;
  const TargetInfo &target_;
  const XeEmitOptions &options_;
  const WindowOrigins &origins_;
  Diagnostics &diagnostics_;
  MessagePlan plan_;
};

} // namespace

MessagePlan planBlocks(const Kernel &kernel, const TargetInfo &target, const XeEmitOptions &options,
                       const WindowOrigins &origins, Diagnostics &diagnostics) {
  return Planner(kernel, target, options, origins, diagnostics).run();
}

} // namespace xt
