// One subgroup of a workgroup: an independent thread of execution with explicit frames, holding its own values.
#pragma once
#include "ir/interp/region_stack.h"
#include "ir/interp/worker.h"

namespace xt {

// Runs the steps of one worker. Each kind of op has a class that executes it (`*_executor.h`) and has access to the worker and
// its values. At lane scope a Subgroup is a single lane, and its id is the lane's number among the lanes of all subgroups.
class Subgroup {
public:
  enum class State : uint8_t { Ready, Waiting, Finished };

  Subgroup(const WorkgroupEnvironment &environment, size_t id);

  // Runs at most `budget` steps; stops earlier when it has to wait, has finished, or the arithmetic wants to free values.
  // Returns an Error if the program does something undefined.
  Result<void> run(uint64_t budget);

  State state() const { return state_; }
  // The step at which the subgroup waits; null if it does not wait.
  const Step *waitsAt() const { return waitsAt_; }
  const Worker &worker() const { return worker_; }
  const SlotValues &values() const { return values_; }
  std::vector<LoopIteration> iterations() const { return regions_.iterations(); }

  bool waitsAtNamedBarrier() const;
  bool passesNamedBarrier(); // whether a subgroup that waits at one may continue; if so, notifies the monitor
  // Executes the op at which the subgroup waits; the wait goes on.
  Result<void> executeWaiting() { return execute(*waitsAt_); }
  // Ends the wait; `result` is the result of the op, if it has one.
  void resume(RuntimeValue result);
  void resumeWith(std::vector<RuntimeValue> results); // like resume(), with one value per result of the op

private:
  Result<void> execute(const Step &step);

  Worker worker_;
  SlotValues values_;
  RegionStack regions_;
  State state_ = State::Ready;
  const Step *waitsAt_ = nullptr;
};

} // namespace xt
