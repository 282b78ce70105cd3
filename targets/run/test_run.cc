#include "targets/run/test_run.h"

#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/effects.h"
#include "targets/run/init.h"
#include "targets/run/npy.h"
#include "targets/run/unroll_loops.h"
#include "targets/run/verify.h"

#include <algorithm>

namespace xt {

namespace {
// Gives `range` to an error without a source range.
Error placed(Error error, SourceRange range) {
  if (error.range.file == 0) error.range = range;
  return error;
}
} // namespace

TestRun::TestRun(const HostTest &test, const TargetUnderTest &target, bool small, const RunOptions &options,
                 Diagnostics &diagnostics)
    : test_(test), target_(target), options_(options),
      state_(test_, small, EvalSite{*options.budget, diagnostics, options.threads, true, test.range, nullptr}) {
  report_.target = target.name;
  report_.small = small && test.hasSmall;
  if (!options.field) return;
  report_.target += ", algebra";
  field_.emplace(*options.field, test_, state_);
}

void TestRun::fail(SourceRange range, std::string message, std::vector<std::string> notes) {
  report_.findings.push_back({range, std::move(message), std::move(notes)});
}

std::string TestRun::path(const std::string &written) const {
  bool absolute = !written.empty() && written[0] == '/';
  if (absolute || options_.dataDirectory.empty()) return written;
  return options_.dataDirectory + (options_.dataDirectory.back() == '/' ? "" : "/") + written;
}

Result<void> TestRun::stage(const std::string &what) {
  if (options_.progress) options_.progress(str(test_.name, " [", target_.name, "]: ", what));
  if (options_.outOfTime && options_.outOfTime()) return Error::environment("the time limit has expired");
  return {};
}

RunReport TestRun::run(bool saves) {
  report_.sizes = state_.sizesText();
  std::optional<bool> sizes = test_.hasSmall ? std::optional(report_.small) : std::nullopt;
  if (options_.repeatCommand) report_.repeatCommand = options_.repeatCommand(test_.name, target_.name, sizes);
  auto done = everything(saves);
  if (ranks_) endRanks(done);
  if (!done) {
    const Error &error = done.error();
    switch (error.kind) {
    case Error::Kind::Diagnosed: report_.status = TestStatus::FileError; break;
    case Error::Kind::Environment: report_.status = TestStatus::Environment; break;
    case Error::Kind::Kernel: report_.status = TestStatus::Failed; break;
    }
    if (!error.message.empty()) fail(error.range, error.message);
    return std::move(report_);
  }
  bool failed = !report_.findings.empty();
  for (const CheckReport &check : report_.checks) failed |= !check.passed;
  if (failed) {
    report_.status = TestStatus::Failed;
    auto races = [](const LaunchPlan &launch) { return launch.kernel->subgroups > 1; };
    bool mayRace = runsDiffer_ || std::ranges::any_of(launches_, races);
    if (options_.raceCommand && mayRace) report_.raceCommand = options_.raceCommand(test_.name);
  } else if (report_.checks.empty())
    report_.status = TestStatus::Unchecked;
  return std::move(report_);
}

// Begins to communicate, if the test says that, or if several ranks run it.
Result<void> TestRun::beginRanks() {
  if (!options_.ranks && !usesRanks(test_)) return {};
  ranks_.emplace(test_, state_, options_.ranks);
  if (field_ && usesRanks(test_)) return Error::environment("--check=algebra does not take tests that communicate");
  return ranks_->begin(str("test \"", test_.name, "\" [", target_.name, "] ", state_.sizesText()));
}

// Tells the other ranks how this one has ended, unless they know it.
void TestRun::endRanks(Result<void> &done) {
  const std::string left = ranks_->unfinished();
  if (done && !left.empty()) done = Error::kernel(str("`start` without a `wait`: ", left), test_.nameRange);
  if (!done) {
    const Error &error = done.error();
    ranks_->stop(error.message.empty() ? str("the test \"", test_.name, "\" is wrong") : error.message,
                 error.kind == Error::Kind::Diagnosed);
    return;
  }
  const Traffic traffic = ranks_->traffic();
  if (traffic.communications && ranks_->count() > 1)
    report_.ranks = {ranks_->rank(), ranks_->count(), traffic.communications, traffic.received, traffic.sent};
  done = ranks_->finish();
}

Result<void> TestRun::everything(bool saves) {
  Clock::time_point start = Clock::now();
  if (auto begun = beginRanks(); !begun) return begun;
  auto unrolled = unrollLoops(test_, report_.small, state_.site(), state_.ranks());
  if (!unrolled) return unrolled.error();
  test_ = std::move(*unrolled);
  if (auto done = stage("making buffers"); !done) return done;
  if (auto done = makeBuffers(); !done) return done;
  if (auto done = planSteps(); !done) return done;
  report_.seconds.setup = secondsSince(start);
  if (!options_.checks && options_.bench) return bench();
  for (int round : {0, 1}) {
    if (auto done = stage(str("launching, round ", round + 1, " of 2")); !done) return done;
    if (options_.mayPrint) options_.mayPrint(round == 0);
    if (auto done = launchAll(round); !done) return done;
  }
  start = Clock::now();
  if (auto done = stage("comparing"); !done) return done;
  if (auto done = compareRounds(); !done) return done;
  if (options_.summarise)
    for (const auto &buffer : state_.buffers())
      if (buffer->written())
        report_.outputs.push_back(summarise(buffer->stmt->name, buffer->contents.at(buffer->writers.back())));
  saves = saves && state_.ranks().rank == 0;
  for (size_t p = 0; saves && p < test_.body.size(); ++p)
    if (test_.body[p].kind == HostStmt::Kind::Save && !(state_.usesUnwritten(test_.body[p].value) && !steps_.empty()))
      if (auto done = save(test_.body[p], p); !done) return done;
  std::function<Result<bool>(bool)> onAnyRank;
  if (ranks_)
    onAnyRank = [this](bool here) -> Result<bool> {
      auto most = ranks_->largest(here ? 1 : 0);
      return most ? Result<bool>(*most > 0) : most.error();
    };
  // Where there is one rank, communications change nothing, and what they change elsewhere need not be checked.
  if (ranks_ && ranks_->count() == 1 && !communications_.empty()) onAnyRank = [](bool) { return Result<bool>(true); };
  auto checks = field_ ? field_->verify() : verifyChecks(test_, state_, launches_, onAnyRank, options_.expected);
  if (!checks) return checks.error();
  report_.checks = std::move(*checks);
  report_.seconds.verify = secondsSince(start);
  bool right = report_.findings.empty() && !report_.checks.empty();
  for (const CheckReport &check : report_.checks) right &= check.passed;
  if (ranks_) { // all ranks measure, or none
    auto wrong = ranks_->largest(right ? 0 : 1);
    if (!wrong) return wrong.error();
    right = *wrong == 0;
  }
  if (options_.bench && right)
    if (auto done = bench(); !done) return done;
  auto has = [&](HostStmt::Kind kind) {
    return std::any_of(test_.body.begin(), test_.body.end(), [&](const HostStmt &stmt) { return stmt.kind == kind; });
  };
  // A test that only makes and saves buffers needs no check: it writes input files for other tests.
  bool makesFiles = steps_.empty() && !has(HostStmt::Kind::Check) && has(HostStmt::Kind::Save);
  if (makesFiles) return {};
  if (steps_.empty())
    fail(test_.nameRange, "this test launches nothing, so it proves nothing");
  else if (!has(HostStmt::Kind::Check) && !has(HostStmt::Kind::Save) && !options_.summarise) // a user reads the summary
    fail(test_.nameRange, "this test has no check, so it proves nothing");
  return {};
}

// --- buffers ---------------------------------------------------------------------------------------------------------

Result<void> TestRun::makeBuffers() {
  for (size_t p = 0; p < test_.body.size(); ++p)
    if (test_.body[p].kind == HostStmt::Kind::Buffer)
      if (auto made = makeBuffer(test_.body[p], p); !made) return made;
  return {};
}

Result<void> TestRun::makeBuffer(const HostStmt &stmt, size_t position) {
  std::vector<int64_t> sizes;
  for (const HostExpr &extent : stmt.type.extents) {
    auto value = state_.integer(extent, position);
    if (!value) return value.error();
    if (*value < 0)
      return state_.siteAt(extent.range).fail(DiagCode::HostBadSize, str("a size must not be negative: ", *value));
    sizes.push_back(*value);
  }
  EvalSite site = state_.siteAt(stmt.type.range);
  auto planned = planBuffer(sizes, stmt.type.elem, stmt.type.memory);
  if (auto *error = std::get_if<PlanError>(&planned)) return site.fail(DiagCode::HostBadSize, error->message);
  TestBuffer &buffer = state_.addBuffer(stmt, position);
  buffer.sizes = sizes;
  if (!buffer.isOut) {
    InitContext context{state_.siteAt(stmt.value.range), state_, [this](const std::string &p) { return path(p); },
                        state_.buffers().size(), report_.small};
    auto content = initialContent(stmt.value, sizes, stmt.type.elem, context);
    if (!content) return placed(content.error(), stmt.value.range);
    buffer.initial = std::move(*content);
  }
  buffer.part = wholeOf(sizes);
  if (ranks_) {
    if (auto divided = ranks_->divide(buffer); !divided) return divided;
    planned = planBuffer(buffer.part.extent, stmt.type.elem, stmt.type.memory);
    if (auto *error = std::get_if<PlanError>(&planned)) return site.fail(DiagCode::HostBadSize, error->message);
  }
  auto device = DeviceBuffer::make(*options_.budget, std::move(std::get<BufferPlan>(planned)), "buffer %" + stmt.name);
  if (!device) return placed(device.error(), stmt.type.range);
  buffer.device = std::move(*device);
  return {};
}

// --- launches and communications -------------------------------------------------------------------------------------

Result<void> TestRun::planSteps() {
  for (size_t p = 0; p < test_.body.size(); ++p) {
    const HostStmt &stmt = test_.body[p];
    Result<void> planned;
    if (stmt.kind == HostStmt::Kind::Launch)
      planned = planLaunchAt(stmt, p);
    else if (stmt.kind == HostStmt::Kind::Communicate)
      planned = planCommunicationAt(stmt, p);
    else if (stmt.kind == HostStmt::Kind::Wait)
      steps_.push_back({&stmt, p, 0});
    if (!planned) return planned;
    if (stmt.kind != HostStmt::Kind::Wait || !startedOrder_.contains(stmt.name)) continue;
    TestBuffer *buffer = state_.find(stmt.name);
    buffer->order = startedOrder_.at(stmt.name);
    buffer->writers.push_back(p);
    startedOrder_.erase(stmt.name);
  }
  return {};
}

Result<void> TestRun::planLaunchAt(const HostStmt &stmt, size_t position) {
  // The grid is that of the target's kernel: parameters may have other values for this target.
  const Kernel *kernel = target_.module->findKernel(stmt.kernel);
  XT_CHECK(kernel, "the compiled module lacks a kernel");
  state_.setTrackErrors(false);
  auto plan = planLaunch(*kernel, stmt, position, state_);
  state_.setTrackErrors(true);
  if (!plan) return plan.error().kind == Error::Kind::Kernel ? refuse(stmt, plan.error()) : plan.error();
  for (size_t i = 0; i < plan->buffers.size(); ++i)
    if (const TestBuffer *buffer = plan->buffers[i]) plan->args[i].buffer.unwritten = buffer->isOut && buffer->writers.empty();
  KernelEffects effects = kernelEffects(*kernel);
  followOrder(*plan);
  for (size_t i = 0; i < plan->buffers.size(); ++i)
    if (TestBuffer *buffer = plan->buffers[i])
      if (effects.writes[i] && (buffer->writers.empty() || buffer->writers.back() != position))
        buffer->writers.push_back(position);
  steps_.push_back({&stmt, position, launches_.size()});
  launches_.push_back(std::move(*plan));
  return {};
}

// Reports a launch that does not satisfy what its kernel requires, where it is launched.
Error TestRun::refuse(const HostStmt &launch, const Error &why) {
  report_.refused = true;
  report_.findings.push_back({launch.range, why.message, {}, {{why.range, "required here"}}});
  return Error::kernel("");
}

Result<void> TestRun::planCommunicationAt(const HostStmt &stmt, size_t position) {
  auto plan = ranks_->plan(stmt, position);
  if (!plan) return plan.error();
  if (plan->writes() && startedOrder_.contains(stmt.name))
    return state_.siteAt(stmt.range)
        .fail(DiagCode::HostBadArgument,
              str("`%", stmt.name, "` is being written by a communication that has been started: `wait %", stmt.name,
                  "` ends it"));
  followOrder(*plan);
  steps_.push_back({&stmt, position, communications_.size()});
  communications_.push_back(std::move(*plan));
  return {};
}

// What is received depends on the order of workgroups if what is sent does. A `wait` writes the buffer of what has been started.
void TestRun::followOrder(const CommunicationPlan &communication) {
  auto before = [](OrderCause cause) { return cause == OrderCause::None ? cause : OrderCause::Before; };
  OrderCause cause = before(communication.source->order);
  if (!communication.writes()) {
    if (cause != OrderCause::None) sentOrder_ = cause;
    return;
  }
  if (communication.exchange.kind == Communication::Recv) cause = before(sentOrder_);
  if (communication.stmt->started) {
    startedOrder_[communication.stmt->name] = cause;
    return;
  }
  communication.destination->order = cause;
  communication.destination->writers.push_back(communication.position);
}

// Determines which buffers may differ between runs after a launch.
void TestRun::followOrder(const LaunchPlan &launch) {
  auto &buffers = state_.buffers();
  std::vector<OrderCause> before;
  for (const auto &buffer : buffers) before.push_back(buffer->order);
  before.push_back(OrderCause::None); // for arguments that are not buffers
  std::vector<size_t> memoryOf;
  for (const TestBuffer *given : launch.buffers) {
    auto place = std::find_if(buffers.begin(), buffers.end(), [&](const auto &buffer) { return buffer.get() == given; });
    memoryOf.push_back(static_cast<size_t>(place - buffers.begin()));
  }
  std::vector<OrderCause> after = orderDependence(*launch.kernel, memoryOf, before);
  for (size_t i = 0; i < buffers.size(); ++i) buffers[i]->order = after[i];
}

void TestRun::resetBuffers(int round) {
  // Guard bytes differ between the rounds as well, so that a write of the value already there is detected.
  auto seed = static_cast<uint64_t>(round) + 1;
  for (auto &buffer : state_.buffers()) {
    if (buffer->isOut)
      buffer->device->resetPoisoned(seed, kPoison[round], options_.threads);
    else
      buffer->device->reset(seed, buffer->initialOfPart(), options_.threads);
  }
}

// Launches once and returns the measured seconds.
Result<double> TestRun::launchOnce(const LaunchPlan &launch) {
  Clock::time_point start = Clock::now();
  auto done = target_.executable->launch(*launch.kernel, launch.args, launch.grid);
  double seconds = secondsSince(start);
  if (!done) return placed(done.error(), launch.stmt->range);
  // A device clock is preferred, because it excludes copies.
  return target_.executable->kernelSeconds().value_or(seconds);
}

// Launches, or communicates; returns the measured seconds, which are 0 for a communication that goes on meanwhile.
Result<double> TestRun::runStep(const Step &step, bool counted) {
  if (step.stmt->kind == HostStmt::Kind::Launch) return launchOnce(launches_[step.index]);
  Clock::time_point start = Clock::now();
  Result<void> done;
  if (step.stmt->kind == HostStmt::Kind::Wait)
    done = ranks_->wait(*step.stmt);
  else if (step.stmt->started)
    done = ranks_->start(communications_[step.index], counted);
  else
    done = ranks_->run(communications_[step.index], counted);
  if (!done) return placed(done.error(), step.stmt->range);
  return secondsSince(start);
}

Result<void> TestRun::launchAll(int round) {
  resetBuffers(round);
  if (field_)
    if (auto declared = field_->declareInputs(); !declared) return declared;
  double seconds = 0;
  for (const Step &step : steps_) {
    Result<double> one = runStep(step, round == 1);
    if (!one) return one.error();
    seconds += *one;
    if (auto kept = keepContents(step.position, round); !kept) return kept;
    if (options_.outOfTime && options_.outOfTime()) return Error::environment("the time limit has expired");
  }
  report_.seconds.launch = round == 0 ? seconds : std::min(seconds, report_.seconds.launch);
  bool clean = report_.findings.empty(); // the second round repeats the findings of the first
  for (auto &buffer : state_.buffers()) {
    if (clean) findDamage(*buffer);
    if (clean && !buffer->written() && buffer->initial)
      if (auto done = findChanges(*buffer); !done) return done;
  }
  return {};
}

// The content of a buffer: of the whole array, or of the part that this rank holds.
Result<RawArray> TestRun::contentOf(TestBuffer &buffer, bool whole) {
  if (whole && buffer.isDivided()) return ranks_->wholeContent(buffer);
  auto content =
      RawArray::make(*options_.budget, buffer.part.extent, buffer.stmt->type.elem, "the content of %" + buffer.stmt->name);
  if (content) buffer.device->read(*content, options_.threads);
  return content;
}

// Keeps contents that later statements use; after the first round only the last contents, for the comparison of the rounds.
Result<void> TestRun::keepContents(size_t position, int round) {
  for (auto &buffer : state_.buffers()) {
    bool writes = std::find(buffer->writers.begin(), buffer->writers.end(), position) != buffer->writers.end();
    if (!writes || !state_.needed(*buffer, position)) continue;
    if (round == 0 && position != buffer->writers.back()) continue;
    auto content = contentOf(*buffer, true);
    if (!content) return content.error();
    if (round == 0)
      buffer->firstRun = std::move(*content);
    else
      buffer->contents[position] = std::move(*content);
    if (field_ && round == 1)
      if (auto kept = field_->keep(*buffer, position); !kept) return kept;
  }
  return {};
}

Result<void> TestRun::save(const HostStmt &stmt, size_t position) {
  TestBuffer *buffer = state_.find(stmt.value.text);
  XT_CHECK(buffer, "`save` of an unknown buffer: the lowering resolves names");
  std::optional<size_t> writer = TestState::writerBefore(*buffer, position);
  const RawArray *content = writer ? &buffer->contents.at(*writer) : buffer->initial ? &*buffer->initial : nullptr;
  if (!content)
    return state_.siteAt(stmt.value.range)
        .fail(DiagCode::HostNoContent,
              str("`%", stmt.value.text, "` is an `out` buffer that no launch above this line writes"));
  std::string to = path(stmt.path);
  if (auto written = writeNpy(to, *content); !written) return placed(written.error(), stmt.range);
  report_.saved.push_back(to);
  return {};
}

std::vector<TestRun::Output> TestRun::takeOutputs() {
  std::vector<Output> outputs;
  for (auto &buffer : state_.buffers()) {
    if (!buffer->written()) continue;
    auto last = buffer->contents.find(buffer->writers.back());
    if (last != buffer->contents.end()) outputs.push_back({buffer->stmt->name, std::move(last->second), buffer->order});
  }
  return outputs;
}

} // namespace xt
