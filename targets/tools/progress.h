// The state of a long run: one line on the terminal that the next one replaces, and the time limit that ends it.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace xt {

// Writes nothing where standard error is no terminal, or when told to be quiet.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  // Cut off at the terminal's width.
  void show(const std::string &text);
  void clear();
  bool isOn() const { return on_; }

private:
  bool on_, shown_ = false;
};

// The stage that a computation is at, where it takes long: nothing for the first two seconds, then a ProgressLine with the
// seconds so far, renewed twice a second by a thread of its own.
class StageLine {
public:
  StageLine(std::string_view tool, bool quiet);
  ~StageLine();
  StageLine(const StageLine &) = delete;
  StageLine &operator=(const StageLine &) = delete;
  // "pass cse"; "": nothing that takes long is under way, and the line goes.
  void at(std::string stage);

private:
  void tick();

  std::string tool_;
  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string stage_;
  std::chrono::steady_clock::time_point begun_; // of all stages since the last ""
  bool done_ = false;
  std::thread thread_; // none where nothing is shown
};

// Calls `over` once on a thread of its own when the time has passed, unless it is destroyed before. 0 seconds: never.
class TimeLimit {
public:
  TimeLimit(double seconds, std::function<void()> over);
  ~TimeLimit();
  TimeLimit(const TimeLimit &) = delete;
  TimeLimit &operator=(const TimeLimit &) = delete;

private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

} // namespace xt
