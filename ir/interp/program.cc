#include "ir/interp/program.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/interp/vector_ops.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {
namespace {

// The layout that gives parts of a vector or a tile to the subgroups; null if each subgroup holds all of it. A layout of one
// subgroup only describes lanes, which the interpreter runs together.
const Layout *distributed(Type type) { return type.layout() && type.layout()->subgroups() > 1 ? type.layout() : nullptr; }

// What a value of this type counts for kMostHeldElements, where each of `workers` (subgroups, or lanes) holds all that it has no
// layout to share.
double heldByWorkers(Type type, double workers) {
  if (type.isTile()) return workers * static_cast<double>(std::ranges::max(type.shape()));
  if (!type.isVector()) return 0;
  auto elements = static_cast<double>(type.elementCount());
  const Layout *layout = distributed(type);
  if (!layout) return workers * elements;
  for (const Factor &copy : layout->replication())
    if (copy.axis == Axis::Subgroup) elements *= static_cast<double>(copy.extent);
  return elements;
}

// The elements that the values of a kernel have in a workgroup. Approximate, so that no sum overflows.
struct HeldElements {
  double sum = 0, most = 0;
  const Value *largest = nullptr; // the value with the most of them

  explicit HeldElements(const Kernel &kernel) {
    double lanes = kernel.scope == Scope::Lane ? static_cast<double>(kernel.lanes) : 1;
    double workers = static_cast<double>(kernel.subgroups) * lanes;
    walk(kernel.body, [&](const Op &op) {
      for (size_t i = 0; i < op.resultCount(); ++i) add(*op.result(i), workers);
      for (size_t r = 0; r < op.regionCount(); ++r)
        for (const auto &param : op.region(r)->params()) add(*param, workers);
    });
  }
  bool fit() const { return sum <= static_cast<double>(kMostHeldElements); }
  std::string text(const Kernel &kernel) const {
    return str("the vectors and tiles of `@", kernel.name, "` have ", rounded(sum),
               " elements in a workgroup; the interpreter's limit is ", kMostHeldElements);
  }
  static int64_t rounded(double count) { return static_cast<int64_t>(std::min(count, 9e18)); }

private:
  void add(const Value &value, double workers) {
    double held = heldByWorkers(value.type(), workers);
    sum += held;
    if (held <= most) return;
    most = held;
    largest = &value;
  }
};

} // namespace

bool fitsInterpreter(const Kernel &kernel, Diagnostics &diagnostics) {
  HeldElements held(kernel);
  if (held.fit()) return true;
  Diagnostic &diagnostic = diagnostics.report(DiagCode::ScratchTooLarge, kernel.nameRange, held.text(kernel));
  diagnostic.at(held.largest->range(),
                str("the largest: ", shapedText(held.largest->type()), ", ", HeldElements::rounded(held.most)));
  return false;
}

Result<Program> Program::of(const Kernel &kernel) {
  if (HeldElements held(kernel); !held.fit()) return Error::kernel(held.text(kernel), kernel.nameRange);
  auto subgroups = static_cast<size_t>(kernel.subgroups), lanes = static_cast<size_t>(kernel.lanes);
  return kernel.scope == Scope::Lane ? Program(kernel.body, subgroups * lanes, lanes) : Program(kernel.body, subgroups);
}

Program::Program(const Block &entry, size_t subgroups, size_t lanes)
    : entry_(entry), subgroups_(subgroups), lanes_(lanes), context_(std::make_unique<Context>()) {
  // Regions are appended when they are encountered, so nesting needs no recursion.
  std::vector<const Block *> pending = {&entry};
  for (size_t index = 0; index < pending.size(); ++index) {
    BlockPlan plan;
    for (const auto &param : pending[index]->params()) plan.params.push_back(addSlot(param.get()));
    for (const Op &op : *pending[index]) plan.steps.push_back(makeStep(op, pending));
    blocks_.push_back(std::move(plan));
  }
}

size_t Program::slotOf(const Value *value) const {
  auto slot = slots_.find(value);
  XT_CHECK(slot != slots_.end(), "a value that no op or block of the program defines");
  return slot->second;
}

const Holding &Program::holding(Type type) const {
  auto holding = holdings_.find(&type.data());
  XT_CHECK(holding != holdings_.end(), "a type that the program does not hold");
  return *holding->second;
}

size_t Program::addSlot(const Value *value) {
  addHolding(value->type());
  return slots_.emplace(value, slots_.size()).first->second;
}

void Program::addHolding(Type type) {
  if (!type.isVector() && !type.isTile()) return;
  std::unique_ptr<Holding> &holding = holdings_[&type.data()];
  if (holding) return;
  holding = std::make_unique<Holding>();
  const Layout *layout = distributed(type);
  XT_CHECK(!layout || static_cast<size_t>(layout->subgroups()) == subgroups_,
           "a layout for another number of subgroups than the kernel has");
  for (size_t s = 0; s < (layout ? subgroups_ : 1); ++s) {
    Holding::Part part;
    if (layout) {
      for (int d = 0; d < type.rank(); ++d) part.slices.push_back(layout->sliceOf(static_cast<int64_t>(s), d));
      for (const auto &slice : part.slices) part.count *= slice.size();
      for (const Factor &copy : layout->replication())
        if (copy.axis == Axis::Subgroup && static_cast<int64_t>(s) / copy.stride % copy.extent != 0) part.isFirst = false;
    } else {
      part = wholePart(type.shape());
    }
    holding->parts.push_back(std::move(part));
  }
}

Step Program::makeStep(const Op &op, std::vector<const Block *> &pending) {
  Step step;
  step.op = &op;
  for (const Value *operand : op.operands()) step.operands.push_back(slotOf(operand));
  for (size_t i = 0; i < op.resultCount(); ++i) step.results.push_back(addSlot(op.result(i)));
  for (size_t i = 0; i < op.regionCount(); ++i) {
    step.regions.push_back(pending.size());
    pending.push_back(op.region(i));
  }
  if (op.info().elementwise) step.elementwise = elementwiseOp(op);
  auto consider = [&](Type type) {
    if (!step.holding && (type.isVector() || type.isTile())) step.holding = &holding(type);
  };
  for (size_t i = 0; i < op.resultCount(); ++i) consider(op.result(i)->type());
  for (const Value *operand : op.operands()) consider(operand->type());
  step.meets = subgroupsMeet(op);
  if (lanes_ && op.kind() == OpKind::Dpas) {
    auto found = dpasFragments(*context_, op.operand(0)->type(), op.operand(1)->type(), op.result()->type(),
                               static_cast<int64_t>(lanes_));
    XT_CHECK(std::holds_alternative<DpasFragments>(found), "the type rule has found these fragments");
    dpas_.emplace(&op, std::get<DpasFragments>(found));
  }
  return step;
}

bool Program::subgroupsMeet(const Op &op) const {
  if (op.kind() == OpKind::Barrier || op.kind() == OpKind::NbarrierWait) return true;
  if (lanes_) return op.info().collective;
  if (subgroups_ == 1) return false;
  TypeRule rule = op.info().typeRule;
  if (rule == TypeRule::TileMma) return mmaNeedsExchange(op);
  if (rule == TypeRule::Extract) return !heldByAll(op.operand(0)->type());
  if (rule == TypeRule::Print)
    return std::any_of(op.operands().begin(), op.operands().end(),
                       [](const Value *operand) { return operand->type().isVector() && distributed(operand->type()); });
  if (rule == TypeRule::InsertStridedSlice) return !heldByAll(op.operand(0)->type()) || !heldByAll(op.operand(1)->type());
  if (rule == TypeRule::AtomicUpdate)
    return !op.result()->uses().empty() && !std::ranges::all_of(holding(op.result()->type()).parts, &Holding::Part::isFirst);
  return movesElements(rule) && vectorNeedsExchange(op);
}

bool Program::heldByAll(Type type) const {
  const Holding &held = holding(type);
  return std::all_of(held.parts.begin(), held.parts.end(),
                     [&](const Holding::Part &part) { return part.count == static_cast<size_t>(type.elementCount()); });
}

bool Program::vectorNeedsExchange(const Op &op) const {
  const Holding &source = holding(op.operand(0)->type()), &target = holding(op.result()->type());
  for (size_t s = 0; s < std::max(source.parts.size(), target.parts.size()); ++s)
    if (!computableFrom(op, source.of(s), target.of(s))) return true;
  return false;
}

bool Program::mmaNeedsExchange(const Op &op) const {
  const Holding &result = holding(op.result()->type());
  const Holding &a = holding(op.operand(0)->type()), &b = holding(op.operand(1)->type());
  auto depth = static_cast<size_t>(op.operand(0)->type().extent(1));
  for (size_t s = 0; s < subgroups_; ++s) {
    const auto &own = result.of(s).slices;
    bool local = a.of(s).slices[0] == own[0] && a.of(s).slices[1].size() == depth && b.of(s).slices[1] == own[1] &&
                 b.of(s).slices[0].size() == depth;
    if (op.operandCount() > 2) local = local && holding(op.operand(2)->type()).of(s).slices == own;
    if (!local) return true;
  }
  return false;
}

} // namespace xt
