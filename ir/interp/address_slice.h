// The part of a kernel that determines where it writes: addresses, masks, and the control flow of its loops and branches.
// Running only this part shows who writes an element, at a small part of the kernel's cost.
#pragma once
#include "ir/effects.h"
#include "ir/launch.h"

#include <string_view>
#include <unordered_set>

namespace xt {

class AddressSlice {
public:
  AddressSlice(const Kernel &kernel, const std::vector<LaunchArg> &args);

  // Whether the op is part of the slice. An op of the slice that writes memory is not executed, but reported to the observer.
  bool has(const Op *op) const { return ops_.contains(op); }
  // The reason why the slice cannot run without the rest of the kernel: it needs data that the kernel itself writes, or costs
  // as much as the whole kernel. "" if it can.
  std::string_view obstacle() const { return obstacle_; }
  // Whether the slice reads buffers. If so, they must still have the contents that they had at the launch.
  bool readsMemory() const { return readsMemory_; }

private:
  void addWrite(const Op &op);
  void add(const Op *op);
  void need(const Value *value);
  void needCarried(const Op &op, size_t i);
  void checkRead(const Op &op);

  const std::vector<LaunchArg> &args_;
  MemoryOrigins origins_;
  KernelEffects effects_;
  std::unordered_set<const Op *> ops_; // used for lookup only
  std::unordered_set<const Value *> values_;
  std::vector<const Value *> open_;
  std::string_view obstacle_;
  bool readsMemory_ = false;
};

} // namespace xt
