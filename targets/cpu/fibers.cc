#include "targets/cpu/fibers.h"

#include "ir/base/check.h"

#include <cstdlib>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace xt {
namespace {
constexpr size_t kStackBytes = 256 << 10;
}

struct FiberGroup::MainContext {
  ucontext_t context{};
  void *fakeStack = nullptr;
  const void *stack = nullptr; // as the sanitizer names it
  size_t stackBytes = 0;
};

struct FiberGroup::Fiber {
  FiberGroup *group = nullptr;
  size_t index = 0;
  ucontext_t context{};
  std::unique_ptr<unsigned char[]> stack = std::make_unique<unsigned char[]>(kStackBytes);
  void *fakeStack = nullptr;
  bool finished = false;
  int64_t place = 0; // where it waits
};

FiberGroup::FiberGroup(size_t count) : main_(std::make_unique<MainContext>()) {
  for (size_t i = 0; i < count; ++i) {
    fibers_.push_back(std::make_unique<Fiber>());
    fibers_.back()->group = this;
    fibers_.back()->index = i;
  }
}
FiberGroup::~FiberGroup() = default;

// makecontext passes ints only: the fiber's address comes in two halves.
void FiberGroup::enter(unsigned low, unsigned high) {
  auto *fiber = reinterpret_cast<Fiber *>((static_cast<uintptr_t>(high) << 32) | low);
  FiberGroup &group = *fiber->group;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &group.main_->stack, &group.main_->stackBytes);
#endif
  (*group.body_)(fiber->index);
  group.switchBack(*fiber, true);
}

void FiberGroup::switchTo(Fiber &fiber) {
  current_ = &fiber;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&main_->fakeStack, fiber.stack.get(), kStackBytes);
#endif
  swapcontext(&main_->context, &fiber.context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(main_->fakeStack, nullptr, nullptr);
#endif
}

void FiberGroup::switchBack(Fiber &fiber, bool finished) {
  fiber.finished = finished;
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(finished ? nullptr : &fiber.fakeStack, main_->stack, main_->stackBytes);
#endif
  swapcontext(&fiber.context, &main_->context);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fiber.fakeStack, &main_->stack, &main_->stackBytes);
#endif
}

void FiberGroup::wait(int64_t place) {
  current_->place = place;
  switchBack(*current_, false);
}

std::optional<FiberGroup::Divergence> FiberGroup::run(const std::function<void(size_t)> &body) {
  body_ = &body;
  for (auto &fiber : fibers_) {
    fiber->finished = false;
    XT_CHECK(getcontext(&fiber->context) == 0, "a context of this thread");
    fiber->context.uc_stack.ss_sp = fiber->stack.get();
    fiber->context.uc_stack.ss_size = kStackBytes;
    fiber->context.uc_link = nullptr;
    auto address = reinterpret_cast<uintptr_t>(fiber.get());
    makecontext(&fiber->context, reinterpret_cast<void (*)()>(&FiberGroup::enter), 2, static_cast<unsigned>(address),
                static_cast<unsigned>(address >> 32));
  }
  for (;;) {
    // Each runs until it waits or has finished; then all must have come to the same place.
    for (auto &fiber : fibers_) switchTo(*fiber);
    const Fiber *waiting = nullptr, *other = nullptr;
    for (auto &fiber : fibers_)
      if (!fiber->finished && !waiting) waiting = fiber.get();
    if (!waiting) return std::nullopt;
    for (auto &fiber : fibers_)
      if (!other && (fiber->finished || fiber->place != waiting->place)) other = fiber.get();
    if (other)
      return Divergence{waiting->index, other->index, waiting->place,
                        other->finished ? std::nullopt : std::optional(other->place)};
  }
}

} // namespace xt
