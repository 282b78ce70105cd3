// The state of a long run: one line on the terminal that the next one replaces, and the time limit that ends it.
#pragma once
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
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

private:
  bool on_, shown_ = false;
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
