// The subgroups of a workgroup that wait for each other, or its lanes: a stack each, all on one thread.
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
  // `lanes` fibers each, in order, are one subgroup; 0: each fiber is one. `frameBytes`: of its stack that a fiber's body
  // takes beyond what it calls.
  explicit FiberGroup(size_t count, size_t lanes = 0, size_t frameBytes = 0);
  ~FiberGroup();
  FiberGroup(const FiberGroup &) = delete;
  FiberGroup &operator=(const FiberGroup &) = delete;
  bool valid() const { return valid_; } // false: the machine has no memory for the stacks, so nothing must be run

  // They never meet: one waits at a place, another at a different one, or it has finished; or (other == waiting) one waits
  // for what never comes.
  struct Divergence {
    size_t waiting, other;
    int64_t place;
    std::optional<int64_t> otherPlace; // none: finished
  };
  // Runs body(i) on fiber i, for each, up to wait(); when all wait at one place, on from there. Ends when all have
  // finished, when they have diverged, or when a body returns false. Fibers that still wait are given up: what their
  // stacks hold is not released.
  using Body = std::function<bool(size_t)>;
  std::optional<Divergence> run(const Body &body);
  // Called by a fiber: goes on when all have called it with the same place.
  void wait(int64_t place);
  // Called by a fiber: goes on when `passes` says so; it is asked whenever other fibers have run.
  void waitFor(std::function<bool()> passes, int64_t place);
  // Called by a fiber: goes on when all lanes of its subgroup have called it with the same place.
  void meet(int64_t place);
  // As meet(), and gives the others `bytes` bytes, which given() shows up to the next exchange but one of the lane that gave.
  void exchange(const void *own, size_t bytes, int64_t place);
  const unsigned char *given(size_t lane) const; // by a lane of the running fiber's subgroup
  size_t current() const;                        // the fiber that runs
  size_t subgroup() const;                       // its subgroup, and its lane there
  size_t lane() const;
  NamedBarriers named;    // of the workgroup

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
  FiberContext caller_; // of run()
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber *current_ = nullptr;
  const Body *body_ = nullptr;
};

} // namespace xt
