// Runs subgroups or lanes that wait for each other: each has its own stack, and all share one thread.
#pragma once
#include "ir/named_barriers.h"
#include "targets/fibers/fiber.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace xt {

class FiberGroup {
public:
  // Every `lanes` consecutive fibers form a subgroup; 0: each fiber is a subgroup. `frameBytes` is the stack that the body of a
  // fiber uses in addition to the stack of the functions it calls.
  explicit FiberGroup(size_t count, size_t lanes = 0, size_t frameBytes = 0);
  ~FiberGroup();
  FiberGroup(const FiberGroup &) = delete;
  FiberGroup &operator=(const FiberGroup &) = delete;
  bool valid() const { return valid_; } // false: there was no memory for the stacks, and run() must not be called

  // Two fibers that wait for each other forever: one waits at a place while the other waits at a different place or has
  // finished. A place is the number of an op that waits (KernelOutput::barriers). If other == waiting, one fiber waits for a
  // condition that never becomes true.
  struct Divergence {
    size_t waiting, other;
    int64_t place;
    std::optional<int64_t> otherPlace; // nullopt: finished
  };
  // Runs body(i) on every fiber i until it calls wait(). When all fibers wait at the same place, they continue. Ends when all
  // have finished, when they have diverged, or when a body returns false. Fibers that still wait are abandoned: their stacks
  // are not unwound.
  using Body = std::function<bool(size_t)>;
  std::optional<Divergence> run(const Body &body);
  // Called by a fiber: returns when all fibers have called it with the same place.
  void wait(int64_t place);
  // Called by a fiber: returns when `passes` returns true. `passes` is evaluated again after other fibers have run.
  void waitFor(std::function<bool()> passes, int64_t place);
  // Called by a fiber: returns when all lanes of its subgroup have called it with the same place.
  void meet(int64_t place);
  // Like meet(), but also publishes `bytes` bytes to the other lanes. given() returns them until the publishing lane calls
  // exchange() for the second time after this.
  void exchange(const void *own, size_t bytes, int64_t place);
  const unsigned char *given(size_t lane) const; // the bytes of a lane of the running fiber's subgroup
  size_t current() const; // the running fiber
  size_t subgroup() const; // its subgroup, and its lane within it
  size_t lane() const;
  NamedBarriers named; // the named barriers of the workgroup

private:
  struct Fiber;
  static void enter(void *fiber);
  void prepare(Fiber &fiber);
  void switchTo(Fiber &fiber);
  bool letLanesGo();
  std::optional<Divergence> divergence() const;
  void waitFor(std::function<bool()> passes, int64_t place, bool amongLanes);

  size_t lanes_;
  bool valid_ = false;
  FiberContext caller_; // the context that called run()
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber *current_ = nullptr;
  const Body *body_ = nullptr;
};

} // namespace xt
