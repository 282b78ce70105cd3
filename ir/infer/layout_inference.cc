#include "ir/infer/layout_inference.h"

#include "ir/base/text.h"
#include "ir/gpu/subgroup_size.h"
#include "ir/infer/layout_fixes.h"
#include "ir/infer/layout_rules.h"
#include "ir/op_kinds.h"

#include <algorithm>
#include <unordered_set>

namespace xt {
namespace {

class Inference {
public:
  Inference(Kernel &kernel, Context &context, const WrittenLayouts &written, Diagnostics &diagnostics)
      : kernel_(kernel), context_(context), diagnostics_(diagnostics), origins_(context, written.aliases, written.sources) {
    walk(kernel_.body, [&](Op &op) { ops_.push_back(&op); });
    for (Op *op : ops_) {
      for (size_t i = 0; i < op->resultCount(); ++i) note(op->result(i));
      for (size_t r = 0; r < op->regionCount(); ++r)
        for (const auto &param : op->region(r)->params()) note(param.get());
    }
  }

  bool anyLayout() const {
    for (Value *value : values_)
      if (value->type().layout()) return true;
    return false;
  }

  bool run(const WrittenLayouts &written) {
    for (Value *value : values_)
      if (value->type().layout()) origins_.set(value, {value->range(), "declared"});
    for (const DeclaredLayout &declared : written.declared) origins_.addPlace(declared.value, declared.place);
    origins_.setCalls(&written.calls);
    written_ = written.operands;
    for (const LayoutPair &pair : written.pairs) pairs_[pair.op] = &pair;
    do {
      for (bool changed = true; changed;) {
        while (forward()) {}
        changed = backward();
      }
    } while (decidePair() || takeWritten() || assume());
    copyFreeValues();
    return allKnown() && sameSubgroups() && rulesHold() && attributesHold();
  }

  bool rulesHold() {
    // The ops of a loop's condition, and those of a function's body, may occur several times in the kernel with the same
    // range. A mistake in them is reported once.
    std::vector<SourceRange> broken;
    bool ok = true;
    auto check = [&](Op *op) {
      bool told = op->range().file != 0 && std::find(broken.begin(), broken.end(), op->range()) != broken.end();
      if (told) return;
      if (follows(*op)) {
        Diagnostics untold;
        if (!checkLayoutRule(context_, *op, origins_, untold)) diagnostics_.noteConsequence();
        return;
      }
      if (checkLayoutRule(context_, *op, origins_, diagnostics_)) return;
      ok = false;
      broken.push_back(op->range());
      for (size_t i = 0; i < op->resultCount(); ++i) doubt(op->result(i));
    };
    // Loops and branches are checked last, because the values that they carry are computed inside.
    for (Op *op : ops_)
      if (op->regionCount() == 0) check(op);
    for (Op *op : ops_)
      if (op->regionCount() != 0) check(op);
    return ok;
  }

  // Marks a value as doubtful if its layout is not written: the layout results from a mistake, so mistakes that follow from it
  // are not reported.
  void doubt(const Value *value) {
    const LayoutOrigin *origin = origins_.find(value);
    if (!origin || origin->written.empty()) doubtful_.insert(value);
  }

  // Whether `op` uses a doubtful value, or one of its regions yields one. If so, the results of `op` become doubtful too; for
  // a yield, those of the enclosing op.
  bool follows(const Op &op) {
    auto anyDoubtful = [&](const Op &at) {
      for (size_t i = 0; i < at.operandCount(); ++i)
        if (doubtful_.contains(at.operand(i))) return true;
      return false;
    };
    bool doubtful = anyDoubtful(op);
    for (size_t r = 0; r < op.regionCount(); ++r)
      if (const Op *yield = op.region(r)->last()) doubtful |= anyDoubtful(*yield);
    if (!doubtful) return false;
    for (size_t i = 0; i < op.resultCount(); ++i) doubt(op.result(i));
    const Op *parent = op.kind() == OpKind::Yield ? op.block()->parentOp() : nullptr;
    for (size_t i = 0; parent && i < parent->resultCount(); ++i) doubt(parent->result(i));
    return true;
  }

  bool sameSubgroups() {
    const Value *first = nullptr;
    for (const Value *value : values_) {
      const Layout *layout = value->type().layout();
      if (!first) {
        first = value;
        if (layout->subgroups() > kMostSubgroups) {
          diagnostics_
              .report(DiagCode::AttributeValue, value->range(),
                      str("a workgroup has 1 to ", kMostSubgroups, " subgroups; this layout has ", layout->subgroups()))
              .withLabel(layout->text());
          return false;
        }
        kernel_.subgroups = layout->subgroups();
      } else if (layout->subgroups() != first->type().layout()->subgroups()) {
        Diagnostic &diagnostic = diagnostics_
                                     .report(DiagCode::SubgroupCounts, value->range(),
                                             str("this layout has ", layout->subgroups(), " subgroups, an earlier one has ",
                                                 first->type().layout()->subgroups()))
                                     .withLabel(layout->text())
                                     .at(first->range(), first->type().layout()->text())
                                     .note("the product of sg_layout is the number of subgroups in a workgroup, which must be "
                                           "the same in all layouts of a kernel");
        fixSubgroupCounts(diagnostic, value, first, origins_);
        return false;
      }
    }
    return true;
  }

private:
  void note(Value *value) {
    if (holdsLayout(value->type())) values_.push_back(value);
  }

  void set(Value *value, const Layout *layout, const Op &from) {
    setAlone(value, layout, from);
    if (Value *other = sameInLoop(value); other && open(other)) setAlone(other, layout, from);
  }
  void setAlone(Value *value, const Layout *layout, const Op &from) {
    value->setType(context_.withLayout(value->type(), layout));
    origins_.set(value, {from.range(), str("inferred from `", origins_.nameOf(from), "`")});
  }

  // A parameter of a loop's body and the corresponding result of the loop are one variable. Returns the result for the
  // parameter, and the parameter for the result; null for other values.
  static Value *sameInLoop(const Value *value) {
    const Op *loop = value->definingOp() ? value->definingOp() : value->definingBlock()->parentOp();
    if (!loop || loop->regionCount() == 0 || !carriedAt(*loop).loops) return nullptr;
    CarriedAt at = carriedAt(*loop);
    if (value->definingOp()) return loop->region()->param(value->index() + at.param);
    return value->index() < at.param ? nullptr : loop->result(value->index() - at.param);
  }

  static bool open(const Value *value) { return holdsLayout(value->type()) && !value->type().layout(); }

  bool forward() {
    bool changed = false;
    for (Op *op : ops_) {
      if (CarriedAt at = carriedAt(*op); at.loops)
        for (size_t i = 0; i < op->resultCount(); ++i) {
          Value *param = op->region()->param(i + at.param), *init = op->operand(i + at.operand);
          if (open(param) && !open(init)) set(param, init->type().layout(), *op);
        }
      if (auto pair = pairs_.find(op); pair != pairs_.end()) {
        if (open(op->operand(pair->second->operand))) continue; // it is not yet known which attribute is for the result
        decide(*pair->second);
        changed = true;
      }
      for (size_t i = 0; i < op->resultCount(); ++i) {
        if (!open(op->result(i))) continue;
        if (const Layout *layout = givenToResult(context_, *op, i)) set(op->result(i), layout, *op), changed = true;
      }
    }
    return changed;
  }

  // Visits the ops in reverse program order, so that one visit completes a chain of ops. Returns whether a layout was set.
  bool backward() {
    bool changed = false;
    for (size_t k = ops_.size(); k-- > 0;) {
      Op *op = ops_[k];
      for (size_t i = 0; i < op->operandCount(); ++i) {
        Value *operand = op->operand(i);
        // A constant is not tied to its first consumer: it is cloned per consumer at the end.
        if (!open(operand) || isFree(operand)) continue;
        // The operand's layout comes from a pair of attributes on the op that defines it, which is decided later.
        if (operand->definingOp() && pairs_.contains(operand->definingOp())) continue;
        if (const Layout *layout = wantedForOperand(context_, *op, i)) set(operand, layout, *op), changed = true;
      }
    }
    return changed;
  }

  // Decides which attribute of a pair is the layout of the result, and sets it. The other attribute is kept in written_, to be
  // compared with the layout of the operand.
  void decide(const LayoutPair &pair) {
    const Layout *known = pair.op->operand(pair.operand)->type().layout();
    bool fits[2], matches[2];
    for (size_t k = 0; k < 2; ++k) {
      fits[k] = pair.asOperand[k] && pair.asResult[1 - k];
      matches[k] = fits[k] && pair.asOperand[k] == known;
    }
    size_t usual = pair.op->info().layoutRule == LayoutRule::Convert ? 1 : 0;
    size_t from = matches[0] != matches[1] ? (matches[0] ? 0 : 1) : fits[usual] ? usual : 1 - usual;
    Value *result = pair.op->result();
    result->setType(context_.withLayout(result->type(), pair.asResult[1 - from]));
    origins_.set(result, {pair.ranges[1 - from], "declared", {{pair.ranges[1 - from]}}});
    written_.push_back({pair.op, pair.operand, pair.asOperand[from], {pair.ranges[from]}});
    pairs_.erase(pair.op);
  }

  // Decides the first undecided pair in program order. The layout of its operand is unknown, so the order of the attributes
  // counts.
  bool decidePair() {
    for (Op *op : ops_)
      if (auto pair = pairs_.find(op); pair != pairs_.end()) return decide(*pair->second), true;
    return false;
  }

  // If nothing else determines the layout of an operand, the layout that is written for it counts as its declaration.
  bool takeWritten() {
    bool changed = false;
    for (const OperandLayout &w : written_) {
      Value *operand = w.op->operand(w.operand);
      if (!open(operand)) continue;
      operand->setType(context_.withLayout(operand->type(), w.layout));
      origins_.set(operand, {w.place.range, "declared", {w.place}});
      changed = true;
    }
    return changed;
  }

  // Assumes a layout for one result that neither operands nor users determine. Layouts of other values may follow from it.
  bool assume() {
    for (Op *op : ops_)
      if (op->resultCount() == 1 && open(op->result()))
        if (const Layout *layout = assumedForResult(context_, *op)) return set(op->result(), layout, *op), true;
    for (Op *op : ops_)
      if (op->resultCount() == 1 && open(op->result()) && isOneElement(op->result()->type()) && !isFree(op->result()))
        return adoptAny(op->result()), !open(op->result());
    // The slice of a dimension that subgroups share, of an extent that they cannot share, is held by all of them. So are the
    // slice and the reshape of a constant or another value that is copied for each of its users.
    for (Op *op : ops_)
      if (op->kind() == OpKind::ExtractStridedSlice && open(op->result()) && (!open(op->operand(0)) || isFree(op->operand(0))))
        return adoptAny(op->result()), !open(op->result());
    for (Op *op : ops_)
      if (op->kind() == OpKind::Reshape && open(op->result()) && isFree(op->operand(0)))
        return adoptAny(op->result()), !open(op->result());
    return false;
  }

  // A value of one element whose layout nothing decides is held by all subgroups.
  static bool isOneElement(Type type) {
    return std::ranges::all_of(type.shape(), [](int64_t extent) { return extent == 1; });
  }

  void copyFreeValues() {
    for (size_t k = 0; k < ops_.size(); ++k) {
      Op *op = ops_[k];
      if (op->info().layoutRule != LayoutRule::Free || !open(op->result())) continue;
      std::vector<Use> uses(op->result()->uses().begin(), op->result()->uses().end());
      std::vector<Op *> copies;
      for (const Use &use : uses) {
        const Layout *layout = wantedForOperand(context_, *use.user, use.operand);
        // A slice takes elements from any layout, but without an exchange only from subgroups that hold all of them.
        if (!layout && use.user->kind() == OpKind::ExtractStridedSlice) layout = heldByAll(op->result()->type().shape());
        if (!layout) continue;
        if (open(op->result())) set(op->result(), layout, *use.user);
        if (op->result()->type().layout() == layout) continue;
        Op *copy = nullptr;
        for (Op *other : copies)
          if (other->result()->type().layout() == layout) copy = other;
        if (!copy) {
          copy = cloneFree(*op, layout, *use.user);
          copies.push_back(copy);
        }
        use.user->setOperand(use.operand, copy->result());
      }
      for (Op *copy : copies) ops_.push_back(copy), note(copy->result());
    }
  }

  Op *cloneFree(Op &op, const Layout *layout, const Op &user) {
    std::unique_ptr<Op> copy = makeOp(op.kind(), op.operands(), {op.result()->type()}, op.range());
    copyAttrs(op, *copy);
    copy->result()->setName(op.result()->name());
    Op *placed = op.block()->insertBefore(op.next(), std::move(copy));
    set(placed->result(), layout, user);
    return placed;
  }

  bool allKnown() {
    bool ok = true;
    for (Value *value : values_) {
      // Reports only the first value without a layout, because layouts of the others may follow from it.
      if (!open(value) || !ok) continue;
      if (isFree(value)) {
        adoptAny(value);
        continue;
      }
      ok = false;
      Diagnostic &diagnostic =
          diagnostics_.report(DiagCode::LayoutUnknown, value->range(),
                              str("the layout of ", value->name().empty() ? "this value" : "`%" + value->name() + "`", " (",
                                  shapedText(value->type()), ") is not declared and cannot be inferred"));
      const Op *op = value->definingOp();
      std::string divided = op ? dividedBlocks(*op, origins_) : std::string();
      if (!divided.empty()) {
        diagnostic.note(divided);
        continue;
      }
      diagnostic.note("other values of this kernel have layouts, so it is at workgroup scope");
      if (const Layout *example = exampleFor(value->type().shape()))
        diagnostic.note(str("state it in the value's type, for example `", withLayoutNamed(value->type(), "#l"),
                            "`, where `#l = ", example->text(), "`"));
    }
    return ok;
  }

  static std::string withLayoutNamed(Type type, std::string_view name) {
    std::string text = shapedText(type);
    return str(text.substr(0, text.size() - 1), ", ", name, ">");
  }

  // Sets the layout of a value whose users need no particular one: all subgroups hold all of its elements.
  void adoptAny(Value *value) {
    if (const Layout *layout = heldByAll(value->type().shape())) set(value, layout, *value->definingOp());
  }

  // The number of subgroups that layouts of this kernel have.
  int64_t subgroups() const {
    int64_t count = 1;
    for (Value *value : values_)
      if (value->type().layout()) count = value->type().layout()->subgroups();
    return count;
  }

  const Layout *layoutFrom(WgMap map, std::span<const int64_t> shape) const {
    LayoutOrError made = makeLayout(context_, LayoutSpec::of(map), shape);
    const Layout *const *layout = std::get_if<const Layout *>(&made);
    return layout ? *layout : nullptr;
  }

  // The layout in which all subgroups hold all elements; null if there is none for this shape.
  const Layout *heldByAll(std::span<const int64_t> shape) const {
    WgMap whole;
    whole.sgLayout.assign(shape.size(), 1);
    whole.sgLayout.front() = subgroups();
    whole.sgData.assign(shape.begin(), shape.end());
    return layoutFrom(std::move(whole), shape);
  }

  // A layout that divides the last dimension that has a multiple of the subgroups' number among them, or else heldByAll().
  const Layout *exampleFor(std::span<const int64_t> shape) const {
    size_t d = shape.size();
    while (d > 0 && shape[d - 1] % subgroups() != 0) --d;
    if (d == 0) return heldByAll(shape);
    WgMap divided;
    divided.sgLayout.assign(shape.size(), 1);
    divided.sgLayout[d - 1] = subgroups();
    divided.sgData.assign(shape.begin(), shape.end());
    divided.sgData[d - 1] /= subgroups();
    return layoutFrom(std::move(divided), shape);
  }

  bool attributesHold() {
    bool ok = true;
    for (const OperandLayout &w : written_) {
      const Value *operand = w.op->operand(w.operand);
      if (operand->type().layout() == w.layout) continue;
      ok = false;
      auto &diagnostic = diagnostics_.report(
          DiagCode::LayoutAttribute, w.place.range,
          str("this layout is declared for an operand of `", origins_.nameOf(*w.op), "` that has a different distribution"));
      diagnostic.withLabel(w.layout->text()).at(w.op->operandRange(w.operand), operand->type().layout()->text());
      if (const LayoutOrigin *origin = origins_.find(operand); origin && origin->range.file != 0)
        diagnostic.at(origin->range, str("its distribution comes from here (", origin->how, ")"));
      fixWrittenLayout(diagnostic, w, origins_);
    }
    return ok;
  }

  Kernel &kernel_;
  Context &context_;
  Diagnostics &diagnostics_;
  std::vector<Op *> ops_; // in program order, outer before inner; clones of constants come last
  std::vector<Value *> values_; // the values of vector or tile type, in the order of ops_
  LayoutOrigins origins_;
  std::vector<OperandLayout> written_;
  std::unordered_set<const Value *> doubtful_; // used for lookup only
  std::unordered_map<const Op *, const LayoutPair *> pairs_; // the undecided pairs; used for lookup only
};

} // namespace

bool inferLayouts(Kernel &kernel, Context &context, const WrittenLayouts &written, Diagnostics &diagnostics) {
  Inference inference(kernel, context, written, diagnostics);
  bool ofLanes = kernel.forms.has(Form::SubgroupTiles); // distribute-to-subgroups has left only the layouts of lanes
  if (ofLanes || (!inference.anyLayout() && written.operands.empty() && written.pairs.empty())) {
    kernel.forms.add(Form::LayoutsKnown);
    return true;
  }
  kernel.scope = Scope::Workgroup;
  if (!inference.run(written)) return false;
  kernel.forms.add(Form::LayoutsKnown);
  return true;
}

bool checkLayouts(const Kernel &kernel, Context &context, Diagnostics &diagnostics) {
  if (kernel.scope != Scope::Workgroup) return true;
  bool ok = true;
  walk(kernel.body, [&](const Op &op) {
    for (size_t i = 0; i < op.resultCount(); ++i)
      if (holdsLayout(op.result(i)->type()) && !op.result(i)->type().layout()) {
        ok = false;
        diagnostics.report(DiagCode::LayoutUnknown, op.range(), str("a result of `", op.info().name, "` has no layout"));
      }
    LayoutOrigins origins(context, {}, nullptr);
    if (ok) ok = checkLayoutRule(context, op, origins, diagnostics);
  });
  return ok;
}

} // namespace xt
