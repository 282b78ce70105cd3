// One run of a test on one target: buffers, both rounds of launches, and the checks of memory afterwards.
#pragma once
#include "targets/run/field_check.h"
#include "targets/run/launch_plan.h"
#include "targets/run/report.h"
#include "targets/run/test_communications.h"
#include "targets/run/test_runner.h"

#include <chrono>
#include <cstddef>

namespace xt {

class TestRun {
public:
  TestRun(const HostTest &test, const TargetUnderTest &target, bool small, const RunOptions &options, Diagnostics &diagnostics);

  // `saves`: whether `save` statements write their files.
  RunReport run(bool saves);
  // After run(): the final content of each buffer that launches write, in statement order.
  struct Output {
    std::string name;
    RawArray content;
    OrderCause order = OrderCause::None;
  };
  std::vector<Output> takeOutputs();

private:
  using Clock = std::chrono::steady_clock;
  static double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
  // Bytes that fill `out` buffers, one for each round: NaN in every float type, and a large finite value. The two values differ in
  // every byte.
  static constexpr std::byte kPoison[2] = {std::byte{0xFF}, std::byte{0x5A}};

  // What the test does between the initial contents and the checks: a launch, a communication, or a wait.
  struct Step {
    const HostStmt *stmt = nullptr;
    size_t position = 0, index = 0; // index: in launches_ or communications_
  };

  Result<void> everything(bool saves);
  Result<void> makeBuffers();
  Result<void> makeBuffer(const HostStmt &stmt, size_t position);
  Result<void> planSteps();
  Result<void> planLaunchAt(const HostStmt &stmt, size_t position);
  Error refuse(const HostStmt &launch, const Error &why);
  Result<void> planCommunicationAt(const HostStmt &stmt, size_t position);
  void followOrder(const LaunchPlan &launch);
  void followOrder(const CommunicationPlan &communication);
  Result<void> launchAll(int round);
  void resetBuffers(int round);
  Result<double> launchOnce(const LaunchPlan &launch);
  Result<double> runStep(const Step &step, bool counted);
  Result<void> beginRanks();
  void endRanks(Result<void> &done);
  Result<double> launchAndCommunicate();
  Result<void> bench();
  Result<void> benchCold(const std::function<Result<double>()> &once, BenchReport &bench);
  Result<void> benchEmpty(BenchReport &bench);
  Result<void> keepContents(size_t position, int round);
  Result<RawArray> contentOf(TestBuffer &buffer, bool whole);
  Result<void> compareRounds();
  Result<void> compareRounds(TestBuffer &buffer);
  Result<void> reportUnwritten(const TestBuffer &buffer, const RawArray &last);
  void findDamage(TestBuffer &buffer);
  Result<void> findChanges(TestBuffer &buffer);
  Result<void> save(const HostStmt &stmt, size_t position);
  Result<void> stage(const std::string &what);
  void fail(SourceRange range, std::string message, std::vector<std::string> notes = {});
  std::string path(const std::string &written) const;

  HostTest test_; // its loops are unrolled by run()
  const TargetUnderTest &target_;
  const RunOptions &options_;
  TestState state_;
  std::optional<FieldCheck> field_; // set in an algebraic run
  std::optional<TestCommunications> ranks_; // of a test that several ranks run, or that says what they do
  std::vector<Step> steps_; // in the order of the statements
  std::vector<LaunchPlan> launches_;
  bool runsDiffer_ = false; // the two runs with different poison values gave different results
  std::vector<CommunicationPlan> communications_;
  std::map<std::string, OrderCause> startedOrder_; // of buffers that a `wait` writes
  OrderCause sentOrder_ = OrderCause::None; // of what has been sent by `send`
  RunReport report_;
};

} // namespace xt
