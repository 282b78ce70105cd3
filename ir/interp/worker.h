// A worker of a workgroup: a subgroup or, at lane scope, one lane.
#pragma once
#include "ir/interp/workgroup_environment.h"

namespace xt {

// The identity of a worker while it executes ops: its number, the parts of vectors and tiles that it holds, and its name in
// messages.
class Worker {
public:
  // At lane scope, `id` is the lane's number among the lanes of all subgroups.
  Worker(const WorkgroupEnvironment &environment, size_t id) : environment_(environment), id_(id) {}

  const WorkgroupEnvironment &environment() const { return environment_; }
  Arithmetic &arithmetic() const { return *environment_.arithmetic; }
  // Whether stores are observed instead of executed.
  bool tracing() const { return environment_.observer != nullptr; }

  size_t id() const { return id_; }
  size_t subgroup() const { return environment_.lanes() ? id_ / environment_.lanes() : id_; }
  size_t lane() const { return environment_.lanes() ? id_ % environment_.lanes() : 0; }
  const Holding::Part &held(const Step &step) const { return step.holding->of(id_); }
  AccessSite site(const Step &step, CopyPhase phase = CopyPhase::None) const {
    return {step.op, id_, environment_.monitor, environment_.ranges, environment_.arithmetic, phase};
  }

  // The worker's name in messages: "subgroup 3 of workgroup (1, 0)".
  std::string whereabouts() const;
  // The Error for an element that an explicit shape and strides place outside of the tile's buffer (Overreach).
  Error reachesOutside(const Step &step, const TileValue &tile, const Overreach &element) const;
  // Returns an Error if a block whose descriptor has no boundary check contains elements that are out of bounds of the base.
  Result<void> staysInside(const Step &step, Type desc, const TileValue &block) const;

private:
  const WorkgroupEnvironment &environment_;
  size_t id_;
};

// The name of worker number `worker`: "subgroup 3"; at lane scope "lane 5 of subgroup 3". At lane scope, the numbers after
// those of the lanes stand for the subgroups as a whole, which access blocks: "subgroup 3".
std::string workerText(const Kernel &kernel, size_t worker);
// The number of workers, including the subgroups as a whole, and the worker number of a subgroup as a whole.
size_t workerCount(const Kernel &kernel);
size_t subgroupWorker(const Kernel &kernel, size_t subgroup);

} // namespace xt
