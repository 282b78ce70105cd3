// The part of a kernel that decides where it writes: addresses, masks, and the course of its loops and branches. To run
// it alone tells who writes an element, at a small part of a kernel's cost.
#pragma once
#include "ir/effects.h"
#include "ir/launch.h"

#include <string_view>
#include <unordered_set>

namespace xt {

class AddressSlice {
public:
  AddressSlice(const Kernel &kernel, const std::vector<LaunchArg> &args);

  // Whether the op is run; of ops that write memory, that they are seen.
  bool has(const Op *op) const { return ops_.contains(op); }
  // Why the slice cannot be run apart from the rest, or "": it needs what the kernel itself writes, or costs as much.
  std::string_view obstacle() const { return obstacle_; }
  // Whether it reads buffers: they must hold what they held at the launch.
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
  std::unordered_set<const Op *> ops_; // looked up only
  std::unordered_set<const Value *> values_;
  std::vector<const Value *> open_;
  std::string_view obstacle_;
  bool readsMemory_ = false;
};

} // namespace xt
