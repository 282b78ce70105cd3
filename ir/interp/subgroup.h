// One subgroup of a workgroup: an independent thread of execution with explicit frames, holding its own values.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/address_slice.h"
#include "ir/interp/monitor.h"
#include "ir/interp/program.h"
#include "ir/interp/tile_access.h"
#include "ir/launch.h"
#include "ir/named_barriers.h"

#include <map>

namespace xt {

// Observes the stores of a kernel, which are not executed.
class StoreObserver {
public:
  virtual ~StoreObserver() = default;
  // The subgroup would write the part `held` (rows and columns) of the tile.
  virtual void stores(const TileValue &tile, const Holding::Part &held, size_t subgroup) = 0;
  virtual void storesElement(const unsigned char *p, size_t subgroup) = 0;
};

// The shared local memory of a workgroup: a range for each alloc_slm, filled with kSlmPoison.
inline constexpr unsigned char kSlmPoison = 0xFF; // NaN as a float, -1 as an integer
class SlmMemory {
public:
  explicit SlmMemory(const Kernel &kernel);
  // Restores the contents that a workgroup starts with.
  void poison();
  MemRefValue at(const Op &alloc);

private:
  std::vector<unsigned char> memory_;
  std::unordered_map<const Op *, std::pair<size_t, size_t>> places_; // offset and bytes; used for lookup only
};

// The data that all subgroups of a workgroup share.
struct WorkgroupEnvironment {
  const Kernel &kernel;
  const Program &program;
  const std::vector<RuntimeValue> &args; // values of the entry block's parameters
  std::vector<int64_t> blockId;          // coordinates, outermost dimension first
  // If not null, only the ops of the slice are executed.
  StoreObserver *observer = nullptr;
  const AddressSlice *slice = nullptr;
  std::span<const MemoryRange> ranges = {}; // the buffers of the launch
  SlmMemory *slm = nullptr;
  NamedBarriers *barriers = nullptr;
  MemoryMonitor *monitor = nullptr;
  const PrintSink *print = nullptr;
  Arithmetic *arithmetic = &ieeeArithmetic();
  bool workgroupScope = false;

  // The number of lanes per subgroup at lane scope; else 0.
  size_t lanes() const { return kernel.scope == Scope::Lane ? static_cast<size_t>(kernel.lanes) : 0; }
};

// The name of a worker, which is numbered as in Subgroup and LaunchChecks: "subgroup 3"; at lane scope "lane 5 of subgroup 3".
// After all lanes come the subgroups as a whole, which access blocks: "subgroup 3".
std::string workerText(const Kernel &kernel, size_t worker);
// The number of workers, and the worker number of a subgroup as a whole.
size_t workerCount(const Kernel &kernel);
size_t subgroupWorker(const Kernel &kernel, size_t subgroup);

// Returns the error of a failed assert for the first false element, if there is one. `first`: the start of the condition in the
// vector that it is a part of; empty if it is not a part.
Result<void> checkAssertion(const Op &op, std::span<const Number> condition, std::span<const int64_t> first,
                            const WorkgroupEnvironment &environment, size_t subgroup);

// The elements as `print` shows them: numbers of IEEE arithmetic, whatever the arithmetic of the run is.
Fragment printedNumbers(Elem elem, std::span<const Number> elements, const Arithmetic &arithmetic);

// Subgroups that wait at the same place.
struct Standing {
  const Step *place = nullptr; // null: they have finished
  std::vector<size_t> subgroups;
  // "subgroups 0–3, 6 wait at `barrier`"; with `lanes`, the lanes per subgroup: "lanes 0–3 of subgroup 1 wait at `dpas`".
  std::string text(size_t lanes = 0) const;
};

// At lane scope an object is one lane, and its id counts the lanes of all subgroups.
class Subgroup {
public:
  enum class State : uint8_t { Ready, Waiting, Finished };

  Subgroup(const WorkgroupEnvironment &environment, size_t id);

  // Runs at most `budget` steps, until it waits, has finished, or the arithmetic wants to free numbers. Returns an Error if the
  // program does something undefined.
  Result<void> run(uint64_t budget);

  State state() const { return state_; }
  // The step at which a waiting subgroup waits.
  const Step *waitsAt() const { return waitsAt_; }
  const RuntimeValue &value(size_t slot) const { return slots_[slot]; }
  // Calls f with each number in the subgroup's scalars and vectors.
  template <class F> void eachNumber(F f) const {
    for (const RuntimeValue &value : slots_) {
      if (const auto *scalar = std::get_if<Number>(&value)) f(*scalar);
      if (const auto *vector = std::get_if<FragmentRef>(&value))
        for (Number number : **vector) f(number);
    }
  }
  const FragmentRef &fragment(size_t slot) const;
  size_t id() const { return id_; }
  size_t subgroup() const { return environment_.lanes() ? id_ / environment_.lanes() : id_; }
  size_t lane() const { return environment_.lanes() ? id_ % environment_.lanes() : 0; }
  // The loops that contain the current position, outermost first, with the number of iterations that each has begun.
  struct Iteration {
    const Op *loop;
    uint64_t number;
    bool operator==(const Iteration &) const = default;
  };
  std::vector<Iteration> iterations() const;
  bool waitsAtNamedBarrier() const;
  bool passesNamedBarrier() const; // whether one that waits there may continue; notifies the monitor
  // Ends the wait; `result` is the result of the op, if it has one.
  void resume(RuntimeValue result);
  void resumeWith(std::vector<RuntimeValue> results); // one per result of the op

private:
  friend class LaneMeeting;
  struct Frame {
    const BlockPlan *block;
    size_t next; // step
    const Step *owner; // the op whose region this is; null: the entry
    int64_t induction = 0, increment = 0;
    uint64_t remaining = 0; // iterations after this one
    uint64_t iteration = 1;
  };

  Result<void> execute(const Step &step);
  // subgroup.cc: control flow
  Result<void> enterFor(const Step &step);
  void enterIf(const Step &step);
  void leaveRegion(const Step *yield);
  void enterWhile(const Step &step);
  // subgroup_values.cc: scalars and vectors
  void constant(const Step &step);
  void blockOrSubgroupId(const Step &step);
  void elementwise(const Step &step);
  void tileMma(const Step &step);
  void iota(const Step &step);
  void createMask(const Step &step);
  void vectorOp(const Step &step);
  void extract(const Step &step);
  void insert(const Step &step);
  void insertSlice(const Step &step);
  void print(const Step &step);
  Result<void> assertion(const Step &step);
  // subgroup_memory.cc: memrefs and tiles
  Result<void> dim(const Step &step);
  Result<void> initTile(const Step &step);
  void initScatter(const Step &step, const MemRefValue &base);
  void moveTile(const Step &step);
  Result<void> loadTile(const Step &step);
  // The elements of a tile at `dims` (rows, columns; those of the transposed tile if `transposed`).
  Result<Fragment> elementsOf(const Step &step, const TileValue &tile, std::span<const std::vector<int64_t>> dims,
                              bool transposed, Number padding);
  Result<void> nest(const Step &step);
  Result<void> storeTile(const Step &step);
  Result<void> atomic(const Step &step);
  void loadGather(const Step &step);
  void storeScatter(const Step &step);
  void loadElement(const Step &step);
  void storeElement(const Step &step);
  // The value of elements out of bounds; `written` is the op's attribute, null if it has none.
  Number paddingOf(Elem elem, const AttrValue *written) const {
    return arithmetic().constant(elem, written ? *written : AttrValue(int64_t{0}));
  }
  // subgroup_async.cc
  Result<void> beginCopy(const Step &step);
  void commitCopies(const Step &step);
  void waitForCopies(const Step &step);
  // subgroup_xegpu.cc
  void createNdTdesc(const Step &step);
  Result<void> staysInside(const Step &step, Type desc, const TileValue &block) const;
  Result<void> loadNd(const Step &step);
  Result<void> storeNd(const Step &step);
  void updateNdOffset(const Step &step);
  void dpas(const Step &step);
  void createTdesc(const Step &step);
  void updateTdesc(const Step &step);
  Result<void> outsideOfBuffers(const Step &step, const ScatterTile &lanes, const Fragment &mask) const;
  Result<void> gatherTdesc(const Step &step);
  Result<void> scatterTdesc(const Step &step);
  Result<void> atomicTdesc(const Step &step);
  Result<void> allocNbarrier(const Step &step);
  Result<void> createNbarrier(const Step &step);
  void arriveNbarrier(const Step &step);
  // Null if the element is outside.
  unsigned char *accessElement(const Step &step, const MemRefValue &memref, const std::vector<int64_t> &index,
                               MemoryMonitor::Kind kind) const;
  Error reachesOutside(const Step &step, const TileValue &tile, const Overreach &element) const;
  std::string whereabouts() const;
  AccessSite site(const Step &step, CopyPhase phase = CopyPhase::None) const {
    return {step.op, id_, environment_.monitor, environment_.ranges, environment_.arithmetic, phase};
  }
  Arithmetic &arithmetic() const { return *environment_.arithmetic; }
  std::vector<int64_t> indices(const Step &step, size_t first) const;
  void setVector(const Step &step, Fragment fragment);
  void setResult(const Step &step, Fragment values); // one element if the result is a scalar
  Fragment elements(size_t slot) const; // of a vector, or the single one of a scalar

  Number number(size_t slot) const;
  int64_t index(const Step &step, size_t operand) const { return number(step.operands[operand]).i; }
  const Holding::Part &held(const Step &step) const { return step.holding->of(id_); }
  void traceScatter(const ScatterTile &tile, const Fragment *mask) const;
  bool tracing() const { return environment_.observer != nullptr; }

  const WorkgroupEnvironment &environment_;
  size_t id_;
  State state_ = State::Ready;
  const Step *waitsAt_ = nullptr;
  std::vector<RuntimeValue> slots_;
  std::vector<Frame> frames_;
};

// The places where subgroups wait when none of them is ready, ordered by the first subgroup at each place.
std::vector<Standing> standingsOf(std::span<const Subgroup> subgroups);

} // namespace xt
