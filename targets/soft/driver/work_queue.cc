#include "targets/soft/driver/work_queue.h"

#include "targets/soft/driver/report.h"

#include <chrono>

namespace xt::soft {
namespace {

// Timeouts of this many nanoseconds and more mean no limit, because the end of such a wait could overflow the clock.
constexpr uint64_t kForEver = uint64_t{1} << 60;
constexpr std::chrono::milliseconds kLook{20}; // how often a wait for a signal checks whether its queue ends

// Returns whether `done` became true.
template <class Done>
bool waitOn(std::condition_variable &changed, std::unique_lock<std::mutex> &lock, uint64_t timeoutNs, Done done) {
  if (timeoutNs >= kForEver) return changed.wait(lock, done), true;
  return changed.wait_for(lock, std::chrono::nanoseconds(timeoutNs), done);
}

} // namespace

uint64_t deviceClock() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count());
}

void Signal::reset() {
  std::lock_guard lock(mutex_);
  state_ = WaitResult::NotReady;
  start_ = end_ = 0;
}

void Signal::set(uint64_t start, uint64_t end) {
  std::lock_guard lock(mutex_);
  state_ = WaitResult::Done;
  start_ = start, end_ = end;
  changed_.notify_all();
}

void Signal::lose() {
  std::lock_guard lock(mutex_);
  state_ = WaitResult::Lost;
  changed_.notify_all();
}

WaitResult Signal::wait(uint64_t timeoutNs) const {
  std::unique_lock lock(mutex_);
  waitOn(changed_, lock, timeoutNs, [this] { return state_ != WaitResult::NotReady; });
  return state_;
}

uint64_t Signal::start() const {
  std::lock_guard lock(mutex_);
  return start_;
}

uint64_t Signal::end() const {
  std::lock_guard lock(mutex_);
  return end_;
}

WorkQueue::WorkQueue(std::vector<std::shared_ptr<Losses>> losses) : losses_(std::move(losses)), thread_([this] { loop(); }) {}

WorkQueue::~WorkQueue() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
  if (lost_)
    for (const std::shared_ptr<Losses> &each : losses_) each->add(-1);
}

bool WorkQueue::submit(std::vector<Command> commands) {
  std::lock_guard lock(mutex_);
  if (lost_) {
    for (Command &command : commands)
      if (command.signal) command.signal->lose();
    return false;
  }
  for (Command &command : commands) commands_.push_back(std::move(command));
  changed_.notify_all();
  return true;
}

WaitResult WorkQueue::wait(uint64_t timeoutNs) {
  std::unique_lock lock(mutex_);
  bool idle = waitOn(changed_, lock, timeoutNs, [this] { return lost_ || (commands_.empty() && !busy_); });
  return lost_ ? WaitResult::Lost : idle ? WaitResult::Done : WaitResult::NotReady;
}

void WorkQueue::loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !commands_.empty(); });
    if (ends_) {
      for (Command &command : commands_)
        if (command.signal) command.signal->lose();
      return;
    }
    Command command = std::move(commands_.front());
    commands_.pop_front();
    busy_ = true;
    lock.unlock();
    execute(command);
    command = {}; // releases its resources before a waiting host continues
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

void WorkQueue::execute(Command &command) {
  bool lost = stop_;
  for (const std::shared_ptr<Signal> &each : command.waits)
    while (!lost) {
      WaitResult result = each->wait(static_cast<uint64_t>(std::chrono::nanoseconds(kLook).count()));
      if (result == WaitResult::Done) break;
      lost = result == WaitResult::Lost || stop_;
    }
  uint64_t start = deviceClock();
  std::optional<std::string> failed;
  if (!lost && command.work) failed = command.work(stop_);
  if (failed && !failed->empty()) report(*failed);
  if (lost || failed) {
    {
      std::lock_guard lock(mutex_);
      if (!lost_)
        for (const std::shared_ptr<Losses> &each : losses_) each->add(1);
      lost_ = true;
      stop_ = true;
    }
    if (command.signal) command.signal->lose();
    return;
  }
  if (command.signal) command.signal->set(start, deviceClock());
}

} // namespace xt::soft
