#include "targets/cpu/fibers.h"

#include "ir/base/check.h"
#include "targets/cpu/fault_guard.h"

#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace xt {
namespace {

constexpr size_t kStackBytes = 1 << 20; // touched as far as it is used: a kernel's frame, printing, the C library

// What a sanitizer must know of a stack.
struct Watched {
#if defined(__SANITIZE_ADDRESS__)
  void *fakeStack = nullptr;
  const void *stack = nullptr;
  size_t bytes = 0;
  void leave(Watched &to, bool forEver) {
    __sanitizer_start_switch_fiber(forEver ? nullptr : &fakeStack, to.stack, to.bytes);
  }
  // `from` is where it came from.
  void arrive(Watched &from) { __sanitizer_finish_switch_fiber(fakeStack, &from.stack, &from.bytes); }
#elif defined(__SANITIZE_THREAD__)
  void *fiber = __tsan_get_current_fiber();
  void leave(Watched &to, bool) { __tsan_switch_to_fiber(to.fiber, 0); }
  void arrive(Watched &) {}
#else
  void leave(Watched &, bool) {}
  void arrive(Watched &) {}
#endif
};

} // namespace

struct FiberGroup::Thread {
  ucontext_t context{};
  Watched watched;
};

struct FiberGroup::Fiber {
  FiberGroup *group = nullptr;
  size_t index = 0;
  ucontext_t context{};
  std::unique_ptr<unsigned char[]> stack = std::make_unique_for_overwrite<unsigned char[]>(kStackBytes);
  Watched watched;
  enum class State : uint8_t { Ready, Waiting, Finished, Failed } state = State::Ready;
  int64_t place = 0;            // where it waits
  std::function<bool()> passes; // for what; empty: for all others
#if defined(__SANITIZE_THREAD__)
  Fiber() { watched.fiber = __tsan_create_fiber(0); }
  ~Fiber() { __tsan_destroy_fiber(watched.fiber); }
#endif
};

FiberGroup::FiberGroup(size_t count) : thread_(std::make_unique<Thread>()) {
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
  fiber->watched.arrive(group.thread_->watched);
  fiber->state = (*group.body_)(fiber->index) ? Fiber::State::Finished : Fiber::State::Failed;
  group.switchBack(*fiber);
}

void FiberGroup::prepare(Fiber &fiber) {
  fiber.state = Fiber::State::Ready;
  XT_CHECK(getcontext(&fiber.context) == 0, "this thread has a context");
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStackBytes;
  fiber.context.uc_link = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  fiber.watched = {nullptr, fiber.stack.get(), kStackBytes};
#endif
  auto address = reinterpret_cast<uintptr_t>(&fiber);
  makecontext(&fiber.context, reinterpret_cast<void (*)()>(&FiberGroup::enter), 2, static_cast<unsigned>(address),
              static_cast<unsigned>(address >> 32));
}

void FiberGroup::switchTo(Fiber &fiber) {
  current_ = &fiber;
  resumeGuardedCall(nullptr); // the fiber begins or goes on with its own
  thread_->watched.leave(fiber.watched, false);
  swapcontext(&thread_->context, &fiber.context);
  thread_->watched.arrive(fiber.watched);
}

// Of one that has ended this does not return.
void FiberGroup::switchBack(Fiber &fiber) {
  fiber.watched.leave(thread_->watched, fiber.state != Fiber::State::Waiting);
  swapcontext(&fiber.context, &thread_->context);
  fiber.watched.arrive(thread_->watched);
}

void FiberGroup::wait(int64_t place) { waitFor({}, place); }

void FiberGroup::waitFor(std::function<bool()> passes, int64_t place) {
  current_->place = place;
  current_->passes = std::move(passes);
  current_->state = Fiber::State::Waiting;
  void *call = guardedCallInProgress();
  switchBack(*current_);
  resumeGuardedCall(call);
}

size_t FiberGroup::current() const { return current_->index; }

std::optional<FiberGroup::Divergence> FiberGroup::run(const Body &body) {
  body_ = &body;
  named.reset();
  for (auto &fiber : fibers_) prepare(*fiber);
  for (;;) {
    bool ran = false;
    for (auto &fiber : fibers_) {
      bool passes = fiber->state == Fiber::State::Waiting && fiber->passes && fiber->passes();
      if (fiber->state != Fiber::State::Ready && !passes) continue;
      fiber->state = Fiber::State::Ready;
      switchTo(*fiber);
      ran = true;
      if (fiber->state == Fiber::State::Failed) return std::nullopt;
    }
    if (ran) continue; // what they did may let others pass
    if (std::optional<Divergence> found = divergence()) return found;
    if (fibers_.empty() || fibers_[0]->state == Fiber::State::Finished) return std::nullopt;
    for (auto &fiber : fibers_) fiber->state = Fiber::State::Ready; // all have come to one barrier
  }
}

// The first that waits, and the first that is not where it waits.
std::optional<FiberGroup::Divergence> FiberGroup::divergence() const {
  const Fiber *waiting = nullptr;
  for (auto &fiber : fibers_)
    if (!waiting && fiber->state == Fiber::State::Waiting) waiting = fiber.get();
  if (!waiting) return std::nullopt;
  if (waiting->passes) return Divergence{waiting->index, waiting->index, waiting->place, waiting->place};
  for (auto &fiber : fibers_) {
    bool finished = fiber->state == Fiber::State::Finished;
    if (finished || fiber->place != waiting->place)
      return Divergence{waiting->index, fiber->index, waiting->place,
                        finished ? std::nullopt : std::optional(fiber->place)};
  }
  return std::nullopt;
}

} // namespace xt
