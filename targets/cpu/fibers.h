// The subgroups of a workgroup that wait for each other: one stack each, one thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace xt {

class FiberGroup {
public:
  explicit FiberGroup(size_t count);
  ~FiberGroup();
  FiberGroup(const FiberGroup &) = delete;
  FiberGroup &operator=(const FiberGroup &) = delete;

  struct Divergence { // they never meet: one waits at a place, another at a different one or has finished
    size_t waiting, other;
    int64_t place;
    std::optional<int64_t> otherPlace; // none: finished
  };
  // Runs body(i) on fiber i, for all, to the end. After a divergence the fibers that wait are given up: what they hold on
  // their stacks is not released.
  std::optional<Divergence> run(const std::function<void(size_t)> &body);
  // Called by a fiber: goes on when all have called it with the same place.
  void wait(int64_t place);

private:
  struct Fiber;
  static void enter(unsigned low, unsigned high);
  void switchTo(Fiber &fiber);
  void switchBack(Fiber &fiber, bool finished);

  struct MainContext;
  std::unique_ptr<MainContext> main_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  Fiber *current_ = nullptr;
  const std::function<void(size_t)> *body_ = nullptr;
};

} // namespace xt
