// Control flow of one worker: a stack of the regions that the worker is in, from the kernel's body to the innermost region.
#pragma once
#include "ir/base/result.h"
#include "ir/interp/slot_values.h"

namespace xt {

// A loop, and the number of its iterations that have begun.
struct LoopIteration {
  const Op *loop;
  uint64_t number;
  bool operator==(const LoopIteration &) const = default;
};

class RegionStack {
public:
  explicit RegionStack(const Program &program) : program_(program) { frames_.push_back({&program.block(0), 0, nullptr}); }

  // Returns the next step of the innermost region, and advances past it; null at the region's end.
  const Step *next() {
    Frame &frame = frames_.back();
    return frame.next == frame.block->steps.size() ? nullptr : &frame.block->steps[frame.next++];
  }
  bool inEntry() const { return frames_.back().owner == nullptr; }
  // The loops that contain the current position, outermost first.
  std::vector<LoopIteration> iterations() const;

  Result<void> enterFor(const Step &step, SlotValues &values);
  void enterIf(const Step &step, const SlotValues &values);
  void enterWhile(const Step &step, SlotValues &values);
  // At the end of the innermost region: begins the next iteration of its loop, or leaves the region. `yield` is null if the
  // region does not end in a yield.
  void leave(const Step *yield, SlotValues &values);

private:
  struct Frame {
    const BlockPlan *block;
    size_t next; // index of the next step in `block`
    const Step *owner; // the op whose region this is; null: the entry
    int64_t induction = 0, increment = 0;
    uint64_t remaining = 0; // iterations after this one
    uint64_t iteration = 1;
  };

  const Program &program_;
  std::vector<Frame> frames_;
};

} // namespace xt
