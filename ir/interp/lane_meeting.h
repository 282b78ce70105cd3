// Executes a collective op at lane scope, after all lanes of one subgroup have reached it.
#pragma once
#include "ir/interp/subgroup.h"

namespace xt {

class LaneMeeting {
public:
  // `lanes` are all lanes of one subgroup, in order; all of them wait at `step`. `ordering` is the number of times that
  // accesses of lanes have been ordered in this workgroup (order()).
  LaneMeeting(const WorkgroupEnvironment &environment, const Step &step, std::span<Subgroup> lanes, uint64_t &ordering)
      : environment_(environment), step_(step), op_(*step.op), lanes_(lanes), ordering_(ordering) {}
  // Executes the op, and resumes the lanes with their results.
  Result<void> run();

private:
  Result<void> load();
  Result<void> store();
  Result<void> sameBlock(size_t operand) const;
  Holding::Part partOf(Type desc, size_t lane) const;
  void multiply();
  void shuffle();
  void reduce();
  void arrive();
  void order();
  void resumeAll();
  size_t subgroup() const { return lanes_[0].worker().subgroup(); }
  const Kernel &kernel() const { return environment_.kernel; }
  const RuntimeValue &operand(size_t lane, size_t i) const { return lanes_[lane].values().operand(step_, i); }
  Arithmetic &arithmetic() const { return *environment_.arithmetic; }
  // The site of an access that the subgroup makes as a whole.
  AccessSite site() const {
    return {&op_, subgroupWorker(kernel(), subgroup()), environment_.monitor, environment_.ranges, environment_.arithmetic};
  }

  const WorkgroupEnvironment &environment_;
  const Step &step_;
  const Op &op_;
  std::span<Subgroup> lanes_;
  uint64_t &ordering_;
};

} // namespace xt
