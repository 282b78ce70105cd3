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
  // Why the slice cannot run separately, or "": it needs data that the kernel itself writes, or costs as much as the kernel.
  std::string_view obstacle() const { return obstacle_; }
  // Whether it reads buffers: they must still have their contents of the launch.
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
