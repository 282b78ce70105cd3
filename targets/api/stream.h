// The objects behind streams and events.
#pragma once
#include "targets/api/boundary/failure.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace xt {

// The process that made an object which a thread of it serves. That thread is not in a child of fork().
class MakersProcess {
public:
  // An error in another process; `argument` is the object's name in it.
  Failure check(const char *argument) const;

private:
  const pid_t process_ = getpid();
};

// A point between the work of a stream. Thread-safe.
class StreamEvent {
public:
  using Clock = std::chrono::steady_clock;

  void reach();
  Failure checkProcess() const; // an error if the thread that is to reach it is in another process
  Failure wait() const; // the same error, or none
  bool reached() const;
  Clock::time_point time() const; // of reach(), which has been called

private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool reached_ = false;
  Clock::time_point time_;
  MakersProcess process_;
};

// Work that runs in order on a thread of its own. Thread-safe.
class Stream {
public:
  using Work = std::function<Failure()>;

  Stream();
  ~Stream(); // waits for all work, unless the work itself calls it

  Failure checkProcess() const { return process_.check("stream"); }
  void add(Work work);
  // Runs even after work that failed.
  void addAlways(std::function<void()> work);
  // Waits for all work; returns the first failure since the last call. An error if the work itself calls it.
  Failure finish(xt_error &failed);

private:
  // What the thread uses; it may live longer than the stream.
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Work> waiting;
    bool busy = false, ends = false;
    xt_error failed = XT_INIT(xt_error); // XT_OK: nothing has failed

    void add(Work work);
    void run();
    void runOne(const Work &work);
  };

  bool isOwnThread() const { return thread_.get_id() == std::this_thread::get_id(); }

  std::shared_ptr<State> state_ = std::make_shared<State>();
  MakersProcess process_;
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
