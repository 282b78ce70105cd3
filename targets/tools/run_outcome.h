// Collects and prints the results of xtrun. The thread of the time limit and kernels that print use it too.
#pragma once
#include "targets/run/report.h"
#include "targets/tools/progress.h"
#include "targets/tools/run_ranks.h"
#include "targets/tools/session.h"

#include <nlohmann/json.hpp>

#include <mutex>

namespace xt {

class RunOutcome {
public:
  explicit RunOutcome(const XtrunOptions &options) : options_(options), progress_(options.quiet || options.json) {}

  // From now on, what all ranks have in common is printed by the first one only, and what differs by each rank.
  void onRank(RunRanks &ranks) { ranks_ = &ranks; }

  // Whether, from now on, the module is the launch on the command line, so that an error in it is a usage error and not one of a file.
  void launchesFromCommandLine(bool launches) { commandLine_ = launches; }
  // Records a failure; returns false, so that the caller can return it.
  bool failed(const Error &error);
  bool anyFailed() const { return !statuses_.empty(); }
  ExitStatus worst() const { return worstStatus(statuses_); } // the worst status that has been recorded

  // Sets what runs now, for the line on the terminal and for the message of the time limit.
  void showStage(const std::string &stage);
  // The output of kernels' prints is shown only while showPrints() has switched it on: on stdout, or on stderr with --json.
  void showPrints(bool on);
  void print(std::string_view text);
  void note(const std::string &text); // prints each text only once

  // The results of a file, in the order of its tests.
  void beginFile(const std::string &file);
  void add(Session &session, TestReport report, bool slower);
  void endFile(Session &session);
  // Adds a file of which no test could begin.
  void addUnread(Session &session, const std::string &file);
  const std::vector<TestReport> &reports() const { return reports_; }

  // Prints the results of all files so far and returns the exit status.
  int finish();
  // Like finish(), when the time limit has expired. Ends the process, because a running kernel cannot be cancelled.
  [[noreturn]] void outOfTime();

private:
  int finishLocked();
  bool isFirstRank() const { return !ranks_ || ranks_->rank() == 0; }
  // "xtrun", or "xtrun: rank 2"
  std::string speaker() const;
  bool agreeOn(const TestReport &report) const;
  void printReport(const TestReport &report, const std::string &text, bool same);
  void printDiagnostics(Session &session);
  void problem(const std::string &message, ExitStatus status);

  const XtrunOptions &options_;
  std::mutex mutex_; // protects the members below
  ProgressLine progress_;
  RunRanks *ranks_ = nullptr;
  std::vector<TestReport> reports_;
  std::vector<ExitStatus> statuses_;
  nlohmann::json json_, current_; // of all files, and of the current file
  std::string stage_;
  bool commandLine_ = false, printing_ = false;
  std::vector<std::string> noted_; // notes that have been printed already
};

} // namespace xt
