// Commands that run one after the other on a thread of their own, and what they signal.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace xt::soft {

enum class WaitResult : uint8_t { Done, NotReady, Lost };

// Nanoseconds of a clock that only goes forward.
uint64_t deviceClock();

// What events and fences share. Any thread may wait.
class Signal {
public:
  void reset();
  void set(uint64_t start, uint64_t end);    // of what it stands for
  void lose();                               // it will never be set: what should have, failed
  WaitResult wait(uint64_t timeoutNs) const; // UINT64_MAX: for ever
  uint64_t start() const;
  uint64_t end() const;

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  WaitResult state_ = WaitResult::NotReady;
  uint64_t start_ = 0, end_ = 0;
};

// One thing to do, when all of `waits` are set, and then to signal.
struct Command {
  std::vector<std::shared_ptr<Signal>> waits;
  std::shared_ptr<Signal> signal;
  std::function<std::optional<std::string>(const std::atomic<bool> &stop)> work; // a report of what went wrong; may be empty
};

// How many queues of a device (or a context) are lost. One that is destroyed counts no more: that resets it.
class Losses {
public:
  void add(int queues) { queues_ += queues; }
  bool any() const { return queues_ > 0; }

private:
  std::atomic<int> queues_ = 0;
};

class WorkQueue {
public:
  // `losses`: where it is counted once it is lost.
  explicit WorkQueue(std::vector<std::shared_ptr<Losses>> losses = {});
  ~WorkQueue(); // gives up what has not begun, and what runs
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;
  bool submit(std::vector<Command> commands); // false: it is lost, and takes nothing
  WaitResult wait(uint64_t timeoutNs); // for all that is submitted; Lost after a report, for ever

private:
  void loop();
  void execute(Command &command);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  const std::vector<std::shared_ptr<Losses>> losses_;
  bool busy_ = false, ends_ = false, lost_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

} // namespace xt::soft
