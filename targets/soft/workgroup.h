// Runs one workgroup at a time on the calling thread, with a fiber for each work-item. Deadlocks between work-items
// and other errors of the kernel are detected and reported.
#pragma once
#include "targets/fibers/fiber.h"
#include "targets/soft/collective.h"
#include "targets/soft/memory.h"
#include "targets/soft/named_barriers.h"

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace xt::soft {

// Compiled code reads these by offset (lower_ids.cc). There are four entries, so that a computed dimension needs no
// branch; the fourth is the value that OpenCL specifies for dimensions beyond the third.
struct WorkItemIds {
  int64_t localId[4], groupId[4], localSize[4], groupCount[4], globalId[4], globalSize[4], globalOffset[4];
  int64_t localLinear, globalLinear, subgroup, lane, subgroupSize, subgroupMaxSize, subgroupCount, dimensions;
};

// Compiled code reads and writes these directly, so that most accesses and loop iterations need no call
// (lower_accesses.cc).
struct CodeState {
  static constexpr size_t kSlots = 16;
  struct {
    uint64_t begin, bytes; // memory that accesses from the sites of this slot may touch
  } slots[kSlots];
  uint64_t rounds; // loop iterations
};

// A variable in shared local memory.
struct LocalVariable {
  std::string name;
  size_t offset = 0, bytes = 0;
};

// A place in a kernel that reports refer to.
struct Site {
  std::string function; // the called function; empty: a memory access
  std::string place;    // " at file.cl:7:3"; empty: unknown
  int call = 0;         // number of this call among the calls of that function, from 1
};

using Dimensions = std::array<uint32_t, 3>;

// The state shared by all workgroups of a launch. The creator of the launch owns the objects that are pointed to.
struct Launch {
  std::string kernel;
  void (*entry)(void *const *arguments) = nullptr;
  std::vector<void *> arguments; // addresses of the values
  Dimensions groupSize{1, 1, 1}, groupCount{1, 1, 1}, globalOffset{0, 0, 0};
  size_t subgroupSize = 16;
  size_t localBytes = 0; // including the gaps between variables
  std::vector<LocalVariable> locals;
  std::vector<size_t> localArguments; // by argument: 1 + index of its variable in `locals`; 0: not a local pointer
  size_t stackBytes = 1 << 16;
  const std::vector<Site> *sites = nullptr;
  std::shared_ptr<const MemoryMap> memory;
  const std::vector<Allocation> *programData = nullptr; // the program's variables in global memory
  const std::atomic<bool> *stop = nullptr;              // set: give up
  const std::atomic<size_t> *firstFailed = nullptr;     // the first group that has failed; later ones give up
  size_t items() const { return size_t{groupSize[0]} * groupSize[1] * groupSize[2]; }
  bool inProgram(uint64_t address) const {
    for (const Allocation &each : programData ? std::span(*programData) : std::span<const Allocation>())
      if (each.contains(address, 1)) return true;
    return false;
  }
  size_t groups() const { return size_t{groupCount[0]} * groupCount[1] * groupCount[2]; }
};

class Workgroup {
public:
  explicit Workgroup(const Launch &launch);
  ~Workgroup();
  Workgroup(const Workgroup &) = delete;
  Workgroup &operator=(const Workgroup &) = delete;

  // Runs group number `linear` (x varies fastest); returns a report of a failure. The object must not be used for
  // another run after a report.
  std::optional<std::string> run(size_t linear);

  // The report after a fault has interrupted run(). The object must not be used for another run.
  std::optional<std::string> giveUp();

  // The workgroup that runs on this thread; null if there is none.
  static Workgroup *running();

  // ---- for compiled code, on a work-item's stack
  const WorkItemIds &ids() const { return current_->ids; }
  CodeState &codeState() { return state_; }
  std::byte *localMemory() const { return local_; }
  std::byte *localArgument(size_t argument) const;
  void arrive(const Collective &collective, int32_t site, const Arrival &arrival);
  // Ends the run with a report and does not return.
  [[noreturn]] void failHere(std::string text, int32_t site);
  // Lets other work-items run; does not return if the launch is given up.
  void pause();
  // Called around a loop that only waits for a change in shared local memory, and in each iteration (polling.cc). If
  // no change can come, the run ends with a report.
  void enterPoll();
  void leavePoll();
  void poll(const void *address, uint64_t bytes, int32_t site);

  // ---- for collective functions
  void fail(std::string text, int32_t site);
  bool failed() const { return failure_.has_value(); }
  const Launch &launch() const { return launch_; }
  void release(size_t first, size_t count);
  size_t subgroupOf(size_t item) const { return item / launch_.subgroupSize; }
  size_t subgroupCount() const { return subgroups_.size(); }
  NamedBarrierTable &namedBarriers() { return named_; }
  // The variable that contains all these bytes; null if there is no such variable.
  const LocalVariable *localVariable(uint64_t address, uint64_t bytes) const;
  bool inLocalMemory(uint64_t address) const;
  bool onOwnStack(uint64_t address) const { return current_->stack->contains(reinterpret_cast<const void *>(address)); }
  const Allocation *allocationOf(uint64_t address, uint64_t bytes); // caches the most recent ones
  std::string who(size_t item) const;                               // "lane 3 of subgroup 1"

private:
  enum class State : uint8_t { Fresh, Ready, Waiting, Finished };
  struct Item {
    WorkItemIds ids;
    std::unique_ptr<FiberStack> stack;
    FiberContext context;
    State state = State::Fresh;
    int32_t site = -1; // site of the collective operation that it waits in
    const Collective *collective = nullptr;
    size_t index = 0;
    bool polling = false; // in a loop that waits for a change
    uint64_t polls = 0, pollEpoch = 0; // polls in epoch pollEpoch
    uint64_t polled = 0, polledBytes = 0; // address and size of the polled memory
  };
  // The work-items that have arrived at a collective operation so far.
  struct Gathering {
    size_t first = 0, members = 0; // work-items
    size_t arrived = 0, finished = 0;
    const Collective *collective = nullptr;
    int32_t site = -1;
    size_t firstArrived = 0;
  };
  static void enterItem(void *group);
  bool prepare(size_t linear);
  bool givenUp();
  void setIds(Item &item, size_t index, const Dimensions &group) const;
  void finish();
  void runFrom(Item &item);
  void leave(Item &item); // switches to a ready work-item, or to the caller of run()
  [[noreturn]] void leaveForEver(Item &item);
  FiberContext &contextAfter(); // the context to switch to from the running one
  void complete(Gathering &gathering, const Collective &collective);
  void push(size_t item);
  Item *pop();
  std::string divergence() const;
  std::string waitsAt(const Item &item) const;
  std::string where(int32_t site) const;
  void beginEpoch();
  bool allStuck() const;
  std::string polledText(const Item &item) const;
  std::string stuckText() const;

  const Launch &launch_;
  std::vector<Item> items_;
  std::vector<Arrival> arrivals_; // by work-item
  std::vector<Gathering> subgroups_;
  Gathering whole_;
  std::vector<size_t> ready_; // a ring buffer
  size_t readyFirst_ = 0, readyCount_ = 0;
  FiberContext caller_;
  Item *current_ = nullptr;
  std::byte *local_ = nullptr;
  NamedBarrierTable named_;
  Allocation lastAllocations_[2];
  CodeState state_{};
  std::optional<std::string> failure_;
  size_t finished_ = 0;
  size_t linear_ = 0;
  uint64_t epoch_ = 0;               // a new one begins when a work-item does anything but poll
  size_t polling_ = 0, quiet_ = 0;   // number of work-items that poll, and of those that have polled twice in this epoch
  uint64_t pausesAfterFailure_ = 0; // pauses since a later group has failed
  Dimensions group_{};
};

} // namespace xt::soft
