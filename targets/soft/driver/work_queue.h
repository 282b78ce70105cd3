// Runs commands in order on a separate thread, and signals their completion.
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

// Nanoseconds of a monotonic clock.
uint64_t deviceClock();

// The common part of events and fences. Any thread may wait.
class Signal {
public:
  void reset();
  void set(uint64_t start, uint64_t end);    // to the start and end of the command
  void lose();                               // its command has failed, or will never run
  WaitResult wait(uint64_t timeoutNs) const; // UINT64_MAX: without a limit
  uint64_t start() const;
  uint64_t end() const;

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  WaitResult state_ = WaitResult::NotReady;
  uint64_t start_ = 0, end_ = 0;
};

// A command that runs after all of `waits` are set, and then sets `signal`.
struct Command {
  std::vector<std::shared_ptr<Signal>> waits;
  std::shared_ptr<Signal> signal;
  std::function<std::optional<std::string>(const std::atomic<bool> &stop)> work; // returns a report, possibly "", if it fails
};

// Counts the lost queues of a device or a context, which is lost as long as there are any. Destroying a lost queue removes it
// from the count.
class Losses {
public:
  void add(int queues) { queues_ += queues; }
  bool any() const { return queues_ > 0; }

private:
  std::atomic<int> queues_ = 0;
};

class WorkQueue {
public:
  // `losses`: the counters that are incremented if this queue is lost.
  explicit WorkQueue(std::vector<std::shared_ptr<Losses>> losses = {});
  ~WorkQueue(); // discards commands that have not begun, and stops the running one
  WorkQueue(const WorkQueue &) = delete;
  WorkQueue &operator=(const WorkQueue &) = delete;
  bool submit(std::vector<Command> commands); // false: the queue is lost and accepts no commands
  WaitResult wait(uint64_t timeoutNs); // waits for all submitted commands; always Lost after a report

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
