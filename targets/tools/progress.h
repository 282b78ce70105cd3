// The state of a long run: a line on the terminal that is overwritten by the next state, and a time limit.
#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace xt {

// Writes nothing if standard error is not a terminal, or if `quiet` is set.
class ProgressLine {
public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  // Cuts the text at the terminal's width.
  void show(const std::string &text);
  void clear();
  bool isOn() const { return on_; }

private:
  bool on_, shown_ = false;
};

// Shows the stage of a long computation: nothing for the first two seconds, then a ProgressLine with the elapsed
// seconds, which a separate thread updates twice a second.
class StageLine {
public:
  StageLine(std::string_view tool, bool quiet);
  ~StageLine();
  StageLine(const StageLine &) = delete;
  StageLine &operator=(const StageLine &) = delete;
  // Sets the stage, such as "pass cse"; "": the long computation is over, and the line is removed.
  void at(std::string stage);

private:
  void tick();

  std::string tool_;
  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string stage_;
  std::chrono::steady_clock::time_point begun_; // when the first stage since the last "" began
  bool done_ = false;
  std::thread thread_; // not started if nothing is shown
};

// Calls `over` once, on a separate thread, when the time has passed, unless it is destroyed before. 0 seconds: never.
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
