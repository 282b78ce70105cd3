// Checks for divergence, at the ops at which the subgroups of a workgroup wait for each other: whether all subgroups arrive
// there, in the same iterations of loops and, at named barriers, with the same counts of participants.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/interp/launch_history.h"
#include "ir/interp/standings.h"

#include <map>

namespace xt {

class MeetingChecks {
public:
  // `history` must outlive the object. Whenever an op is checked, the workgroup must be the current one of `history`.
  explicit MeetingChecks(const LaunchHistory &history) : history_(history) {}

  void enter() { sides_.clear(); } // must be called before each workgroup
  // These three have the contracts of the functions of MemoryMonitor with the same names.
  void meeting(const Step &place, std::span<const Subgroup> subgroups);
  void takesPart(const Op &op, size_t worker, const NamedBarrierPart &part, uint64_t round);
  void neverMeet(std::span<const Subgroup> subgroups);
  void report(Diagnostics &diagnostics) const;

private:
  struct Way { // two subgroups that arrived at the same op in different iterations of a loop
    const Op *place = nullptr, *loop = nullptr;
    uint64_t iterations[2] = {};
    size_t subgroups[2] = {};
    std::vector<int64_t> workgroup;
    uint64_t count = 0;
  };
  struct Side { // the first participant in a round of a named barrier
    const Op *op;
    size_t worker;
    NamedBarrierPart part;
  };
  Diagnostic disagreement(const Side &one, const Side &other) const;
  void reportWay(const Way &way, Diagnostics &diagnostics) const;

  const LaunchHistory &history_;
  std::map<std::pair<size_t, uint64_t>, Side> sides_; // by barrier and round
  std::map<uint32_t, Diagnostic> disagreements_; // participants that state different counts at a named barrier, by the later op
  std::map<uint32_t, Way> ways_; // by the number of the op
  Diagnostics stuck_; // reports of neverMeet
};

} // namespace xt
