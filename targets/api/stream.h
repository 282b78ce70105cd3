// The objects behind streams and events.
#pragma once
#include "targets/api/failure.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace xt {

// A point between the work of a stream. Thread-safe.
class StreamEvent {
public:
  using Clock = std::chrono::steady_clock;

  void reach();
  void wait() const;
  bool reached() const;
  Clock::time_point time() const; // of reach(), which has been called

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
  Clock::time_point time_;
};

// Work that runs in order on a thread of its own. Thread-safe.
class Stream {
public:
  using Work = std::function<Failure()>;

  Stream();
  ~Stream(); // waits for all work

  void add(Work work);
  // Runs even after work that failed.
  void addAlways(std::function<void()> work);
  // Waits for all work; returns the first failure since the last call.
  xt_error finish();

private:
  void run();
  void runOne(const Work &work);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;
  bool busy_ = false, ends_ = false;
  xt_error failed_ = XT_INIT(xt_error); // XT_OK: nothing has failed
  std::thread thread_; // the last member, as it uses the others
};

} // namespace xt

struct xt_event : xt::Handle {
  xt_event(std::shared_ptr<xt::Graveyard> graveyard, std::shared_ptr<xt::StreamEvent> of)
      : Handle(xt::HandleKind::Event, std::move(graveyard)), point(std::move(of)) {}
  void drop() override { point.reset(); }

  std::shared_ptr<xt::StreamEvent> point;
};

struct xt_stream : xt::Handle {
  explicit xt_stream(std::shared_ptr<xt::Graveyard> graveyard)
      : Handle(xt::HandleKind::Stream, std::move(graveyard)), stream(std::make_shared<xt::Stream>()) {}
  void drop() override { stream.reset(); }

  std::shared_ptr<xt::Stream> stream;
};
