// Runs one workgroup at a time on the calling thread, with a fiber for each work-item. Deadlocks between work-items
// and other errors of the kernel are detected and reported.
#pragma once
#include "targets/soft/async_copies.h"
#include "targets/soft/bank_conflicts.h"
#include "targets/soft/collective.h"
#include "targets/soft/counting_barriers.h"
#include "targets/soft/gatherings.h"
#include "targets/soft/group_memory.h"
#include "targets/soft/group_report.h"
#include "targets/soft/memory_watch.h"
#include "targets/soft/named_barriers.h"
#include "targets/soft/poll_watch.h"
#include "targets/soft/work_items.h"

#include <optional>
#include <string>

namespace xt::soft {

class Workgroup {
public:
  explicit Workgroup(const Launch &launch)
      : launch_(launch), items_(launch), gatherings_(launch), memory_(launch), copies_(launch.items()) {
    if (launch.watchesMemory && (launch.watchesGlobal || launch.localBytes)) watch_.emplace(launch);
    if (launch.watchesMemory && launch.bankConflicts) banks_.emplace(launch);
  }
  Workgroup(const Workgroup &) = delete;

  // Runs group number `linear` (x varies fastest). Returns a report if it fails, and "" if it has given up. The object must
  // not be used for another run after a report.
  std::optional<std::string> run(size_t linear);

  // The report after a fault has interrupted run(). The object must not be used for another run.
  std::optional<std::string> giveUp();

  // The workgroup that runs on this thread; null if there is none.
  static Workgroup *running();

  const Launch &launch() const { return launch_; }
  GroupMemory &memory() { return memory_; }

  // ---- for compiled code, on a work-item's stack
  const WorkItem &current() const { return *items_.current(); }
  CodeState &codeState() { return state_; }
  void arrive(const Collective &collective, int32_t site, const Arrival &arrival);
  // Ends the run with a report and does not return.
  [[noreturn]] void failHere(std::string text, int32_t site);
  // Lets other work-items run; does not return if the launch is given up.
  void pause();
  // Called before and after a loop that only waits for a change in shared local memory, and in each iteration. If no change
  // can come, the run ends with a report.
  void enterPoll() { polls_.enter(*items_.current()); }
  void leavePoll() { polls_.leave(*items_.current()); }
  void poll(const void *address, uint64_t bytes, int32_t site);

  // Watches an access to memory of the current work-item, or begins a copy. Ends the run with a report if nothing orders it.
  // `effects`: of an atomic access, to what begins at the pointer; the access may be of no bytes.
  void watch(const void *pointer, WatchedAccess access, const AtomicEffects &effects = {});
  void beginCopy(const CopyInFlight &copy);
  void commitCopies() { copies_[current().index].commit(); }
  void waitForCopies(size_t later); // for those of the current work-item
  void fence() {
    if (watch_) watch_->causality().fence(current().index);
  }
  // Whether the current work-item executes this call of a barrier, wait or fence.
  bool keeps(uint32_t orderingCall) const { return orderingCall != launch_.without; }

  // ---- for collective functions
  // Watches a read of a work-item; false if it is reported.
  bool watchRead(size_t item, const void *pointer, size_t bytes);
  void metAtBarrier(size_t first, size_t count) {
    if (watch_) watch_->causality().meet(first, count);
  }
  // These work-items come to a barrier of some subgroups, and go on behind it.
  void comeToBarrier(size_t first, size_t count, Causality::Clock &barrier) {
    if (watch_) watch_->causality().arrive(first, count, barrier);
  }
  void leaveBarrier(size_t first, size_t count, const Causality::Clock &barrier) {
    if (watch_) watch_->causality().resume(first, count, barrier);
  }
  // Counts conflicts of banks of shared local memory for the rows of an ldmatrix.
  void countBankConflicts(std::span<const std::byte *const> rows) {
    if (banks_) banks_->matrixRows(rows, current().site);
  }
  void fail(std::string_view text, int32_t site);
  bool failed() const { return failure_.has_value(); }
  void release(size_t first, size_t count);
  NamedBarrierTable &namedBarriers() { return named_; }
  CountingBarriers &countingBarriers() { return counting_; }
  std::string who(size_t item) const { return report().who(item); } // "lane 3 of subgroup 1"

private:
  static void enterItem(void *group);
  bool prepare(size_t linear);
  bool givenUp();
  [[noreturn]] void finish();
  void leave(); // called when the current work-item has to wait
  [[noreturn]] void leaveForEver();
  void reportDeadlock(); // reports a failure if no work-item can continue
  void complete(Gathering &gathering, const Collective &collective);
  WatchedAccess placed(const void *pointer, WatchedAccess access);
  std::string placeText(const UnorderedAccess &access) const; // "byte 4 of `ring`"
  std::string unorderedText(const UnorderedAccess &earlier, std::string_view what) const;
  GroupReport report() const { return {launch_, items_, gatherings_, memory_}; }

  const Launch &launch_;
  WorkItems items_;
  Gatherings gatherings_;
  GroupMemory memory_;
  NamedBarrierTable named_;
  CountingBarriers counting_;
  PollWatch polls_;
  std::optional<MemoryWatch> watch_;
  std::optional<BankWatch> banks_;
  std::vector<AsyncCopyQueue> copies_; // of each work-item
  CodeState state_{};
  std::optional<std::string> failure_;
  size_t linear_ = 0;
  uint64_t pausesAfterFailure_ = 0; // pauses since a later group has failed
};

} // namespace xt::soft
