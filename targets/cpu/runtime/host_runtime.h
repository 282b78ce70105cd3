// The functions that compiled kernels call, and the results that a launch collects from them.
#pragma once
#include "ir/base/source.h"
#include "ir/launch.h"
#include "targets/cpu/analysis/buffer_assignment.h"
#include "targets/cpu/runtime/fibers.h"
#include "targets/cpu/runtime/panel_pool.h"
#include "targets/faults/fault_guard.h"

#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace xt {

inline constexpr const char *kPrintSymbol = "xt_print", *kAssertSymbol = "xt_assert_failed", *kBarrierSymbol = "xt_barrier",
                            *kNamedAllocSymbol = "xt_nbarrier_alloc", *kNamedCountSymbol = "xt_nbarrier_count",
                            *kNamedArriveSymbol = "xt_nbarrier_arrive", *kNamedWaitSymbol = "xt_nbarrier_wait",
                            *kLaneMeetSymbol = "xt_lane_meet", *kPanelTakeSymbol = "xt_panel_take",
                            *kPanelReadySymbol = "xt_panel_ready", *kLaneExchangeSymbol = "xt_lane_exchange",
                            *kLaneGivenSymbol = "xt_lane_given";

struct Failure { // a failure at run time; its number is its index in KernelOutput::failures
  SourceRange range;
  std::string message;
  bool asserted = false;
  std::vector<int64_t> shape = {}; // the shape in which an assert counts its elements
};
struct PrintPlace { // one value of one print
  std::string text;
  Type type; // null: text only
  BufferShape shape;
};

// Facts about a kernel's function that the launch needs.
struct KernelOutput {
  std::vector<Failure> failures;
  std::vector<PrintPlace> prints;
  struct Barrier {
    SourceRange range;
    std::string_view op; // "barrier"
  };
  std::vector<Barrier> barriers;
  bool usesFibers = false; // each subgroup, or each lane, runs on its own stack
  bool divides = false;    // workgroups may be divided into parts that run separately, …
  int64_t mostParts = 1;   // … at most this many
  bool partsAreCheap = false; // no part repeats work of another part
  // The table that the function reads: the numbers in which it may differ from the function of the same kernel with other tile
  // sizes.
  std::vector<int64_t> numbers;
  // The grid dimensions that the data shared by workgroups depends on; empty: they share nothing, or little.
  std::vector<bool> sharedDims;
};

// The output of one launch, collected from all threads: prints, failed asserts, deadlocks and faults.
class LaunchOutput {
public:
  explicit LaunchOutput(const KernelOutput &kernel, PanelPool *panels = nullptr) : kernel_(kernel), panels_(panels) {}
  PanelPool *panels() const { return panels_; } // null: nothing is shared
  void print(int64_t place, int64_t workgroup, int64_t subgroup, const void *data);
  void assertFailed(int64_t workgroup, int64_t subgroup, int64_t element);
  void diverged(int64_t workgroup, const FiberGroup::Divergence &divergence);
  // Records a fault in one of the workgroups [workgroup, end).
  void faulted(int64_t workgroup, int64_t end, const MemoryFault &fault);

  // Must be called after the launch. Passes the prints of all workgroups up to `lastWorkgroup` to the sink, in workgroup order;
  // `prefix` returns the text that names the printing worker.
  using Prefix = std::function<std::string(int64_t workgroup, int64_t subgroup)>;
  void flush(const PrintSink &sink, int64_t lastWorkgroup, const Prefix &prefix) const;
  // The assert that ended the workgroup, with the lowest element (row-major) for which it failed.
  struct FailedAssert {
    int64_t element = 0, subgroup = 0;
  };
  FailedAssert failedAssert(int64_t workgroup) const;
  const FiberGroup::Divergence *divergence(int64_t workgroup) const;
  struct Fault {
    MemoryFault what;
    int64_t workgroups = 1; // the fault is in one of this many workgroups, from the one under which it is recorded
  };
  const Fault *fault(int64_t workgroup) const;

private:
  const KernelOutput &kernel_;
  PanelPool *const panels_;
  std::mutex mutex_;
  struct Printed {
    int64_t subgroup;
    std::string text;
  };
  std::map<int64_t, std::vector<Printed>> printed_; // the keys of all maps are workgroups
  std::map<int64_t, FailedAssert> failedAsserts_;
  std::map<int64_t, FiberGroup::Divergence> divergences_;
  std::map<int64_t, Fault> faults_;
};

} // namespace xt

// Called by name from compiled kernels (runtime_symbols.cc).
extern "C" {
void xt_print(void *launch, int64_t place, int64_t workgroup, int64_t subgroup, const void *data);
void xt_assert_failed(void *launch, int64_t workgroup, int64_t subgroup, int64_t element);
void xt_barrier(void *fibers, int64_t place);
void xt_nbarrier_alloc(void *fibers, int64_t count);
int64_t xt_nbarrier_count(void *fibers);
void xt_nbarrier_arrive(void *fibers, int64_t id, int64_t role, int64_t producers, int64_t consumers);
void xt_nbarrier_wait(void *fibers, int64_t id, int64_t place);
// Functions that call meet(), exchange() and given() of FiberGroup.
void xt_lane_meet(void *fibers, int64_t place);
void xt_lane_exchange(void *fibers, int64_t place, const void *own, int64_t bytes);
const void *xt_lane_given(void *fibers, int64_t lane);
}
