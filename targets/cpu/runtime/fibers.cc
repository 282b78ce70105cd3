#include "targets/cpu/runtime/fibers.h"

#include "ir/base/check.h"
#include "targets/faults/fault_guard.h"

namespace xt {
namespace {

// Pages of a stack are allocated only when touched: by the kernel's frame, printing and the C library. Lanes are many, so each
// gets a smaller stack.
constexpr size_t kStackBytes = 1 << 20, kLaneStackBytes = 1 << 18;

} // namespace

struct FiberGroup::Fiber {
  FiberGroup *group = nullptr;
  size_t index = 0;
  FiberContext context;
  std::unique_ptr<FiberStack> stack;
  enum class State : uint8_t { Ready, Waiting, Finished, Failed } state = State::Ready;
  int64_t place = 0;            // the place where it waits
  std::function<bool()> passes; // the condition it waits for; empty: for all other fibers
  bool amongLanes = false;      // … of its subgroup only
  std::vector<unsigned char> gifts[2]; // published in its last two exchanges
  size_t turn = 0;                     // the index of the gift of the last exchange
};

FiberGroup::FiberGroup(size_t count, size_t lanes, size_t frameBytes) : lanes_(lanes) {
  size_t stackBytes = (lanes ? kLaneStackBytes : kStackBytes) + frameBytes;
  for (size_t i = 0; i < count; ++i) {
    auto fiber = std::make_unique<Fiber>();
    fiber->group = this;
    fiber->index = i;
    fiber->stack = takeStack(stackBytes);
    if (!fiber->stack) return;
    fibers_.push_back(std::move(fiber));
  }
  valid_ = true;
}

FiberGroup::~FiberGroup() {
  for (auto &fiber : fibers_) giveBack(std::move(fiber->stack));
}

void FiberGroup::enter(void *argument) {
  auto *fiber = static_cast<Fiber *>(argument);
  FiberGroup &group = *fiber->group;
  fiber->state = (*group.body_)(fiber->index) ? Fiber::State::Finished : Fiber::State::Failed;
  endContext(fiber->context, group.caller_);
}

void FiberGroup::prepare(Fiber &fiber) {
  fiber.state = Fiber::State::Ready;
  fiber.turn = 0;
  fiber.context.start(*fiber.stack, fiber.index, &FiberGroup::enter, &fiber);
}

void FiberGroup::switchTo(Fiber &fiber) {
  current_ = &fiber;
  resumeGuardedCall(nullptr); // the fiber starts or resumes its own guarded call
  switchContext(caller_, fiber.context);
}

void FiberGroup::wait(int64_t place) { waitFor({}, place); }

void FiberGroup::waitFor(std::function<bool()> passes, int64_t place) { waitFor(std::move(passes), place, false); }

void FiberGroup::meet(int64_t place) { waitFor({}, place, lanes_ > 0); }

void FiberGroup::waitFor(std::function<bool()> passes, int64_t place, bool amongLanes) {
  current_->place = place;
  current_->passes = std::move(passes);
  current_->amongLanes = amongLanes;
  current_->state = Fiber::State::Waiting;
  void *call = guardedCallInProgress();
  switchContext(current_->context, caller_);
  resumeGuardedCall(call);
}

// Two gifts per lane suffice: a lane can begin its second exchange after this one only after all lanes have reached the
// exchange in between, and they read this gift before that.
void FiberGroup::exchange(const void *own, size_t bytes, int64_t place) {
  current_->turn ^= 1;
  const auto *first = static_cast<const unsigned char *>(own);
  current_->gifts[current_->turn].assign(first, first + bytes);
  meet(place);
}

const unsigned char *FiberGroup::given(size_t lane) const {
  return fibers_[current_->index - this->lane() + lane]->gifts[current_->turn].data();
}

size_t FiberGroup::current() const { return current_->index; }
size_t FiberGroup::subgroup() const { return lanes_ ? current_->index / lanes_ : current_->index; }
size_t FiberGroup::lane() const { return lanes_ ? current_->index % lanes_ : 0; }

// Resumes the lanes of each subgroup whose lanes all wait at one place. Returns whether there was such a subgroup.
bool FiberGroup::letLanesGo() {
  bool went = false;
  for (size_t first = 0; lanes_ && first < fibers_.size(); first += lanes_) {
    const Fiber &one = *fibers_[first];
    bool all = true;
    for (size_t i = first; all && i < first + lanes_; ++i) {
      const Fiber &lane = *fibers_[i];
      all = lane.state == Fiber::State::Waiting && lane.amongLanes && lane.place == one.place;
    }
    for (size_t i = first; all && i < first + lanes_; ++i) fibers_[i]->state = Fiber::State::Ready;
    went |= all;
  }
  return went;
}

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
    if (ran || letLanesGo()) continue; // the fibers that ran may let others pass
    if (std::optional<Divergence> found = divergence()) return found;
    if (fibers_.empty() || fibers_[0]->state == Fiber::State::Finished) return std::nullopt;
    for (auto &fiber : fibers_) fiber->state = Fiber::State::Ready; // all have reached one barrier
  }
}

// The first fiber that waits, and the first fiber that is not at the same place.
std::optional<FiberGroup::Divergence> FiberGroup::divergence() const {
  const Fiber *waiting = nullptr;
  for (auto &fiber : fibers_)
    if (!waiting && fiber->state == Fiber::State::Waiting) waiting = fiber.get();
  if (!waiting) return std::nullopt;
  if (waiting->passes) return Divergence{waiting->index, waiting->index, waiting->place, waiting->place};
  size_t first = waiting->amongLanes ? waiting->index / lanes_ * lanes_ : 0;
  for (size_t i = first; i < (waiting->amongLanes ? first + lanes_ : fibers_.size()); ++i) {
    const std::unique_ptr<Fiber> &fiber = fibers_[i];
    bool finished = fiber->state == Fiber::State::Finished;
    if (finished || fiber->place != waiting->place)
      return Divergence{waiting->index, fiber->index, waiting->place, finished ? std::nullopt : std::optional(fiber->place)};
  }
  return std::nullopt;
}

} // namespace xt
