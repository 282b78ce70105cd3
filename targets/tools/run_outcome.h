// What xtrun has found and prints: shared with the thread of the time limit, and with kernels that print.
#pragma once
#include "targets/run/report.h"
#include "targets/tools/progress.h"
#include "targets/tools/session.h"

#include <nlohmann/json.hpp>

#include <mutex>

namespace xt {

class RunOutcome {
public:
  explicit RunOutcome(const XtrunOptions &options) : options_(options), progress_(options.quiet || options.json) {}

  // From now on the module is the launch on the command line, whose errors are not those of a file.
  void launchesFromCommandLine() { commandLine_ = true; }
  // Records a failure; returns false, so that the caller can return it.
  bool failed(const Error &error);
  bool anyFailed() const { return !statuses_.empty(); }
  ExitStatus worst() const { return worstStatus(statuses_); } // of what has been recorded

  // What runs now, for the line on the terminal and for the message of the time limit.
  void showStage(const std::string &stage);
  // The output of kernels' prints, on stderr if stdout is machine-readable; it is shown only while that is on.
  void showPrints(bool on);
  void print(std::string_view text);
  void note(const std::string &text); // once for each text

  // The results of a file, in the order of its tests.
  void beginFile(const std::string &file);
  void add(Session &session, TestReport report, bool slower);
  void endFile(Session &session);
  // A file of which no test could begin.
  void addUnread(Session &session, const std::string &file);
  const std::vector<TestReport> &reports() const { return reports_; }

  // Prints the results of all files so far and returns the exit status.
  int finish();
  // The same when the time limit has expired. A running kernel cannot be cancelled: ends the process.
  [[noreturn]] void outOfTime();

private:
  int finishLocked();
  void problem(const std::string &message, ExitStatus status);

  const XtrunOptions &options_;
  std::mutex mutex_; // protects what follows
  ProgressLine progress_;
  std::vector<TestReport> reports_;
  std::vector<ExitStatus> statuses_;
  nlohmann::json json_, current_; // of all files, and of the current file
  std::string stage_;
  bool commandLine_ = false, printing_ = false;
  std::vector<std::string> noted_; // notes that have been printed already
};

} // namespace xt
