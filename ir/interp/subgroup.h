// One subgroup of a workgroup: a thread of its own with explicit frames, holding its own values.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/program.h"
#include "ir/interp/values.h"

namespace xt {

// Sees each store_tile instead of it being done, while nothing else touches memory or computes vectors.
class StoreObserver {
public:
  virtual ~StoreObserver() = default;
  // The subgroup stores the part `held` (rows and columns of the tile).
  virtual void stores(const TileValue &tile, const Holding::Part &held, size_t subgroup) = 0;
};

// What all subgroups of a workgroup share.
struct WorkgroupEnvironment {
  const Program &program;
  const std::vector<RuntimeValue> &args; // values of the entry block's parameters
  std::vector<int64_t> blockId;          // coordinates, outermost dimension first
  StoreObserver *observer = nullptr;     // not null: vectors are not computed
};

class Subgroup {
public:
  enum class State : uint8_t { Ready, Waiting, Finished };

  Subgroup(const WorkgroupEnvironment &environment, size_t id);

  // Runs at most `budget` steps, until it waits or has finished. An Error where the program does what has no meaning.
  Result<void> run(uint64_t budget);

  State state() const { return state_; }
  // Where a waiting subgroup stands.
  const Step *waitsAt() const { return waitsAt_; }
  const RuntimeValue &value(size_t slot) const { return slots_[slot]; }
  const FragmentRef &fragment(size_t slot) const;
  // Ends the wait with the result of the op.
  void resume(FragmentRef result);

private:
  struct Frame {
    const BlockPlan *block;
    size_t next;       // step
    const Step *owner; // the for or if whose region this is; null: the entry
    int64_t induction = 0, increment = 0;
    uint64_t remaining = 0; // iterations after this one
  };

  Result<void> execute(const Step &step);
  Result<void> enterFor(const Step &step);
  void enterIf(const Step &step);
  void leaveRegion(const Step *yield);
  void elementwise(const Step &step);
  Result<void> dim(const Step &step);
  Result<void> initTile(const Step &step);
  void loadTile(const Step &step);
  void storeTile(const Step &step);
  void tileMma(const Step &step);
  void setVector(const Step &step, Fragment fragment);

  Number number(size_t slot) const;
  int64_t index(const Step &step, size_t operand) const { return number(step.operands[operand]).i; }
  const Holding::Part &held(const Step &step) const { return step.holding->of(id_); }
  bool tracing() const { return environment_.observer != nullptr; }

  const WorkgroupEnvironment &environment_;
  size_t id_;
  State state_ = State::Ready;
  const Step *waitsAt_ = nullptr;
  std::vector<RuntimeValue> slots_;
  std::vector<Frame> frames_;
};

} // namespace xt
