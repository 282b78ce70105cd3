#include "ir/async_copies.h"
#include "ir/base/text.h"
#include "ir/block_mask.h"
#include "ir/gpu/block_rules.h"
#include "ir/infer/layout_inference.h"
#include "ir/infer/layout_rules.h"
#include "ir/op_kinds.h"
#include "ir/print.h"
#include "ir/verify/verify.h"
#include "ir/views/tile.h"

namespace xt {
namespace {

// Checks the promise of one form for one kernel, and reports the first violation.
class FormCheck {
public:
  FormCheck(Form form, const Kernel &kernel, Context &context, Diagnostics &diagnostics)
      : form_(form), kernel_(kernel), context_(context), diagnostics_(diagnostics) {}

  bool run() {
    switch (form_) {
    case Form::Disjoint:
    case Form::DisjointOrSame: return true; // of arguments (ir/interp/disjoint_arguments.h)
    case Form::Blocks: return belowWorkgroup() && blocks();
    case Form::Lanes: return lanes();
    case Form::LayoutsKnown: return layoutsKnown();
    case Form::Nests: return withoutXegpuData() && nests();
    case Form::SlmPlanned: return slmPlanned();
    case Form::SubgroupTiles: return belowWorkgroup();
    case Form::Synchronous: return synchronous();
    case Form::TileOps: return withoutXegpuData() && withoutMasks();
    }
    XT_UNREACHABLE("form");
  }

private:
  Diagnostic &report(SourceRange range, std::string_view what) {
    return diagnostics_.report(DiagCode::InvalidIr, range.file ? range : kernel_.nameRange, std::string(what));
  }
  bool lies(std::string_view what) { return report(kernel_.nameRange, what), false; }
  bool lies(const Op &op, std::string_view what) { return report(op.range(), what).note(str("in `", print(op), "`")), false; }
  bool lies(const Value &value, std::string_view what) {
    report(value.range(), what)
        .note(value.definingOp() ? str("in `", print(*value.definingOp()), "`") : "in a parameter of a block");
    return false;
  }

  // The results of all ops and the parameters of all regions.
  std::vector<const Value *> values() const {
    std::vector<const Value *> values;
    walk(kernel_.body, [&](const Op &op) {
      for (size_t i = 0; i < op.resultCount(); ++i) values.push_back(op.result(i));
      for (size_t r = 0; r < op.regionCount(); ++r)
        for (const auto &param : op.region(r)->params()) values.push_back(param.get());
    });
    return values;
  }
  // The first op that satisfies the condition; null if none does.
  template <class F> const Op *findOp(F condition) const {
    const Op *found = nullptr;
    walk(kernel_.body, [&](const Op &op) {
      if (!found && condition(op)) found = &op;
    });
    return found;
  }

  bool belowWorkgroup() { return kernel_.scope != Scope::Workgroup || lies("it is at workgroup scope"); }
  bool lanes() { return kernel_.scope == Scope::Lane || lies("it is not at lane scope"); }

  bool layoutsKnown() {
    if (kernel_.scope != Scope::Workgroup) return true;
    for (const Value *value : values()) {
      if (!holdsLayout(value->type())) continue;
      const Layout *layout = value->type().layout();
      if (!layout) return lies(*value, str("this ", shapedText(value->type()), " has no layout"));
      if (layout->subgroups() != kernel_.subgroups)
        return lies(*value, str("a layout of ", layout->subgroups(), " subgroups in a kernel of ", kernel_.subgroups));
    }
    return checkLayouts(kernel_, context_, diagnostics_);
  }

  bool blocks() {
    for (const Value *value : values())
      if (value->type().isWindow() && !(value->type().isTile() && value->type().layout()) &&
          value->type().byteCount() > kMostMessageBytes)
        return lies(*value, str("this ", shapedText(value->type()), " is larger than 2 KiB"));
    return true;
  }

  bool slmPlanned() {
    const Op *open = findOp([](const Op &op) { return op.kind() == OpKind::AllocSlm && !AllocSlmOp(op).offset(); });
    return !open || lies(*open, "this buffer has no offset");
  }

  bool synchronous() {
    const Op *async = firstAsyncOp(kernel_.body);
    return !async || lies(*async, "this is an asynchronous op");
  }

  bool withoutXegpuData() {
    const Op *block = findOp([](const Op &op) { return isXegpuData(op.info()); });
    return !block || lies(*block, "this is an XeGPU op");
  }

  bool withoutMasks() {
    const Op *masked = findOp([](const Op &op) { return op.kind() == OpKind::LoadTile && blockMaskOf(op); });
    return !masked || lies(*masked, "this load has a mask");
  }

  bool nests() {
    if (kernel_.scope != Scope::Lane) return true;
    const Op *nest = findOp([](const Op &op) { return op.kind() == OpKind::Nest; });
    return !nest || lies(*nest, "a nest is the product of a subgroup or a workgroup, and this kernel is at lane scope");
  }

  Form form_;
  const Kernel &kernel_;
  Context &context_;
  Diagnostics &diagnostics_;
};

} // namespace

Result<void> verifyForm(Form form, const Kernel &kernel, Context &context, Diagnostics &diagnostics) {
  if (!FormCheck(form, kernel, context, diagnostics).run()) return Error::diagnosed();
  return {};
}

} // namespace xt
