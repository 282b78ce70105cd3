#include "targets/llvm/lane/barrier_events.h"

#include "ir/base/text.h"
#include "ir/op_kinds.h"
#include "ir/views/xegpu.h"
#include "targets/llvm/lane/subgroup_scalars.h"

namespace xt {
namespace {

bool isEvent(const Op &op) {
  return op.kind() == OpKind::NbarrierArrive || op.kind() == OpKind::NbarrierWait || op.kind() == OpKind::Barrier;
}

bool hasEvents(const Op &op) {
  bool found = false;
  for (size_t i = 0; i < op.regionCount(); ++i)
    walk(std::as_const(*op.region(i)), [&](const Op &inner) { found |= isEvent(inner); });
  return found;
}
bool hasWhile(const Op &op) {
  bool found = op.kind() == OpKind::While;
  for (size_t i = 0; i < op.regionCount(); ++i)
    walk(std::as_const(*op.region(i)), [&](const Op &inner) { found |= inner.kind() == OpKind::While; });
  return found;
}

class Collector {
public:
  explicit Collector(int64_t subgroup) : subgroup_(subgroup), values_(subgroup) {}

  BarrierSteps collect(const Block &body) {
    BarrierSteps result;
    result.steps = paired(events(body));
    result.unknown = unknown_;
    return result;
  }

private:
  void giveUp(std::string why) {
    if (unknown_.empty()) unknown_ = std::move(why);
  }

  // The events of a block in order; each arrive and wait is one of its own.
  std::vector<BarrierStep> events(const Block &block) {
    std::vector<BarrierStep> found;
    for (const Op &op : block) {
      if (op.kind() == OpKind::Barrier)
        found.push_back({{.barrier = BarrierEvent::kWorkgroup, .arrive = &op, .wait = &op}, {}});
      if (op.kind() == OpKind::NbarrierArrive || op.kind() == OpKind::NbarrierWait) found.push_back({eventOf(op), {}});
      if (op.kind() == OpKind::While || (!hasEvents(op) && hasWhile(op)))
        found.push_back({{.barrier = BarrierEvent::kLoop, .arrive = &op, .wait = &op}, {}});
      if (!hasEvents(op)) continue;
      if (op.kind() == OpKind::If) {
        for (BarrierStep &step : branch(op)) found.push_back(std::move(step));
        continue;
      }
      BarrierStep loop;
      for (size_t i = 0; i < op.regionCount(); ++i)
        for (BarrierStep &step : paired(events(*op.region(i)))) loop.steps.push_back(std::move(step));
      if (!loop.steps.empty()) found.push_back(std::move(loop)); // other subgroups have events there
    }
    return found;
  }
  std::vector<BarrierStep> branch(const Op &op) {
    std::optional<Number> condition = values_.of(*op.operand(0));
    if (!condition) {
      giveUp("which subgroups take part depends on more than their numbers");
      return {};
    }
    size_t taken = condition->i ? 0 : 1;
    return taken < op.regionCount() ? events(*op.region(taken)) : std::vector<BarrierStep>();
  }
  BarrierEvent eventOf(const Op &op) {
    BarrierEvent event;
    (op.kind() == OpKind::NbarrierArrive ? event.arrive : event.wait) = &op;
    const Op *create = op.operand(0)->definingOp();
    if (!create || create->kind() != OpKind::CreateNbarrier) return giveUp("a loop or a branch chooses among barriers"), event;
    std::optional<Number> id = values_.of(*create->operand(0)), role = values_.of(*create->operand(1));
    if (!id || !role)
      return giveUp("the number of a barrier or the role of a subgroup depends on more than the subgroup's number"), event;
    event.barrier = id->i;
    event.role = role->i;
    event.producers = CreateNbarrierOp(*create).numProducers();
    event.consumers = CreateNbarrierOp(*create).numConsumers();
    return event;
  }

  // Makes one event of an arrival and the wait behind it.
  std::vector<BarrierStep> paired(std::vector<BarrierStep> events) {
    std::vector<BarrierStep> result;
    for (BarrierStep &step : events) {
      bool waits = step.steps.empty() && step.event.wait && !step.event.arrive;
      if (!waits) {
        result.push_back(std::move(step));
        continue;
      }
      BarrierEvent *before = result.empty() || !result.back().steps.empty() ? nullptr : &result.back().event;
      bool alike = before && !before->wait && before->barrier == step.event.barrier && before->role == step.event.role;
      if (alike)
        before->wait = step.event.wait;
      else
        giveUp(whyApart(step.event, before));
    }
    return result;
  }
  std::string whyApart(const BarrierEvent &wait, const BarrierEvent *before) const {
    std::string who = str("subgroup ", subgroup_);
    if (!before || before->barrier == wait.barrier)
      return str(who, " waits at barrier ", wait.barrier, " without arriving there directly before, in the same loop and role");
    if (before->barrier == BarrierEvent::kLoop)
      return str(who, " may wait in a loop between its arrival at barrier ", wait.barrier, " and its wait there");
    return str(who, " does something at other barriers between its arrival at one and its wait there");
  }

  int64_t subgroup_;
  SubgroupScalars values_;
  std::string unknown_;
};

} // namespace

BarrierSteps barrierSteps(const Kernel &kernel, int64_t subgroup) { return Collector(subgroup).collect(kernel.body); }

} // namespace xt
