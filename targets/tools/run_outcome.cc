#include "targets/tools/run_outcome.h"

#include "ir/base/temporary_files.h"
#include "ir/base/text.h"
#include "targets/tools/tool_process.h"

#include <algorithm>
#include <cstdio>

namespace xt {
namespace {
nlohmann::json diagnosticsJson(Session &session) {
  return nlohmann::json::parse(renderJson(session.diagnostics(), session.sources()), nullptr, false);
}
} // namespace

bool RunOutcome::failed(const Error &error) {
  std::lock_guard lock(mutex_);
  if (error.kind == Error::Kind::Environment)
    problem(error.message, ExitStatus::EnvironmentFailed);
  else if (!error.message.empty())
    problem(error.message, ExitStatus::Usage);
  else
    statuses_.push_back(commandLine_ ? ExitStatus::Usage : ExitStatus::DoesNotCompile);
  return false;
}

std::string RunOutcome::speaker() const { return isFirstRank() ? "xtrun" : str("xtrun: rank ", ranks_->rank()); }

void RunOutcome::problem(const std::string &message, ExitStatus status) {
  progress_.clear();
  std::fprintf(stderr, "%s: %s\n", speaker().c_str(), message.c_str());
  json_["problems"].push_back(message);
  statuses_.push_back(status);
}

void RunOutcome::showStage(const std::string &stage) {
  std::lock_guard lock(mutex_);
  stage_ = stage;
  if (isFirstRank()) progress_.show(stage);
}

void RunOutcome::showPrints(bool on) {
  std::lock_guard lock(mutex_);
  printing_ = on;
}

void RunOutcome::print(std::string_view text) {
  std::lock_guard lock(mutex_);
  if (!printing_ || !isFirstRank()) return;
  progress_.clear();
  std::fwrite(text.data(), 1, text.size(), options_.json ? stderr : stdout);
}

void RunOutcome::note(const std::string &text) {
  std::lock_guard lock(mutex_);
  if (std::find(noted_.begin(), noted_.end(), text) != noted_.end()) return;
  noted_.push_back(text);
  if (!isFirstRank()) return;
  progress_.clear();
  std::fprintf(stderr, "xtrun: %s\n", text.c_str());
}

void RunOutcome::beginFile(const std::string &file) {
  std::lock_guard lock(mutex_);
  current_ = {{"file", file}, {"tests", nlohmann::json::array()}};
}

// Whether the test has ended in the same way on all ranks: times may differ, and how far a passing check is from its bound.
bool RunOutcome::agreeOn(const TestReport &report) const {
  if (!ranks_) return true;
  std::string content;
  for (const RunReport &run : report.runs) {
    content += str(static_cast<int>(run.status), "\n");
    for (const Finding &finding : run.findings) content += finding.message + "\n";
    for (const CheckReport &check : run.checks)
      if (!check.passed || !check.problem.empty()) content += str(check.problem, check.different, check.window, "\n");
  }
  return ranks_->agree(str("the end of the test \"", report.name, "\""), content);
}

// Prints the report of a test, "" if there is nothing to print. A report that all ranks have in common is printed once.
void RunOutcome::printReport(const TestReport &report, const std::string &text, bool same) {
  const bool good = exitStatus(report.status) == ExitStatus::Passed;
  if (!isFirstRank()) {
    if (!same && !good) std::fprintf(stderr, "%s:\n%s", speaker().c_str(), text.c_str());
    return;
  }
  if (!options_.json)
    std::fputs(same || !good ? text.c_str() : str("failed  ", report.name, "  on another rank\n").c_str(), stdout);
  std::fflush(stdout);
}

void RunOutcome::printDiagnostics(Session &session) {
  const std::string text = ranks_ ? renderText(session.diagnostics(), session.sources(), session.useColor()) : "";
  const bool same = !ranks_ || ranks_->agree("the end of a file", text);
  if (isFirstRank()) {
    if (!options_.json) session.printDiagnostics();
  } else if (!same && !text.empty()) {
    std::fprintf(stderr, "%s:\n%s", speaker().c_str(), text.c_str());
  }
}

void RunOutcome::add(Session &session, TestReport report, bool slower) {
  std::lock_guard lock(mutex_);
  progress_.clear();
  if (slower) statuses_.push_back(ExitStatus::CheckFailed);
  ExitStatus status = exitStatus(report.status);
  statuses_.push_back(status == ExitStatus::DoesNotCompile && commandLine_ ? ExitStatus::Usage : status);
  const bool same = agreeOn(report);
  const bool shown = !options_.quiet || status != ExitStatus::Passed;
  printReport(report, shown ? renderText(report, session.sources(), session.useColor()) : "", same);
  if (!same) { // on this rank or on another one
    statuses_.push_back(ExitStatus::CheckFailed);
    if (status == ExitStatus::Passed) {
      report.status = TestStatus::Failed;
      report.comparisons.push_back("failed on another rank");
    }
  }
  if (options_.json) current_["tests"].push_back(renderJson(report, session.sources()));
  reports_.push_back(std::move(report));
}

void RunOutcome::endFile(Session &session) {
  std::lock_guard lock(mutex_);
  progress_.clear();
  stage_.clear();
  if (options_.json) {
    current_["diagnostics"] = diagnosticsJson(session);
    json_["files"].push_back(std::move(current_));
  }
  printDiagnostics(session);
  current_ = nullptr;
}

void RunOutcome::addUnread(Session &session, const std::string &file) {
  std::lock_guard lock(mutex_);
  if (options_.json)
    json_["files"].push_back({{"file", file}, {"tests", nlohmann::json::array()}, {"diagnostics", diagnosticsJson(session)}});
  else
    session.printDiagnostics();
}

int RunOutcome::finish() {
  std::lock_guard lock(mutex_);
  return finishLocked();
}

int RunOutcome::finishLocked() {
  progress_.clear();
  if (internalErrorSeen()) statuses_.push_back(ExitStatus::CompilerBug);
  ExitStatus status = worstStatus(statuses_);
  if (!isFirstRank()) return endProcess(static_cast<int>(status));
  if (options_.json) {
    if (!json_.contains("problems")) json_["problems"] = nlohmann::json::array();
    if (!json_.contains("files")) json_["files"] = nlohmann::json::array();
    json_["status"] = static_cast<int>(status);
    std::printf("%s\n", json_.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  } else if (!reports_.empty() && !options_.quiet) {
    std::printf("%s\n", summaryText(reports_).c_str());
  } else if (reports_.empty() && status == ExitStatus::NothingRun) {
    std::string why = options_.tests.empty() ? "no test in " + join(options_.files, ", ")
                                             : "no test is called \"" + join(options_.tests, "\", \"") + "\"";
    std::fprintf(stderr, "xtrun: nothing was run: %s\n", why.c_str());
  }
  return endProcess(static_cast<int>(status));
}

void RunOutcome::outOfTime() {
  std::lock_guard lock(mutex_);
  std::string during = stage_.empty() ? "" : ", in " + stage_;
  if (!current_.is_null()) json_["files"].push_back(std::move(current_));
  problem(str("the time limit of ", options_.timeLimit, " s has expired", during), ExitStatus::EnvironmentFailed);
  int status = finishLocked();
  std::fflush(stderr);
  removeTemporaries();
  std::_Exit(status);
}

} // namespace xt
