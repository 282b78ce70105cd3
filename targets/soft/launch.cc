#include "targets/soft/launch.h"

#include "ir/base/text.h"
#include "targets/faults/fault_guard.h"
#include "targets/soft/round_up.h"
#include "targets/soft/workgroup.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace xt::soft {
namespace {

constexpr size_t kLeastStack = 1 << 16;

size_t localBytes(const LaunchRequest &request, const Program *program) {
  size_t total = 0;
  if (program)
    for (size_t each : request.kernel->locals) total += program->lowered().locals[each].bytes;
  for (size_t each : request.localBytes) total += each;
  return total;
}

Launch describe(const Program &program, LaunchRequest &request) {
  const LoweredKernel &kernel = *request.kernel;
  Launch launch;
  launch.kernel = kernel.name;
  launch.entry = program.entry(kernel);
  launch.groupSize = request.groupSize;
  launch.groupCount = request.groupCount;
  launch.globalOffset = request.globalOffset;
  launch.subgroupSize = kernel.subgroupSize;
  launch.sites = &program.lowered().sites;
  launch.memory = DeviceMemory::instance().map();
  launch.programData = &program.data();
  launch.stackBytes = roundUp(kLeastStack + 2 * kernel.privateBytes + 2 * program.lowered().frameBytes, kLeastStack);
  launch.locals = program.lowered().locals;
  size_t offset = program.lowered().localBytes();
  launch.localArguments.resize(kernel.arguments.size());
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    launch.arguments.push_back(request.arguments[i].data());
    if (!kernel.arguments[i].isLocal) continue;
    offset = roundUp(offset + kLocalGap, 64);
    launch.locals.push_back({str("argument ", i), offset, request.localBytes[i]});
    launch.localArguments[i] = launch.locals.size();
    offset += request.localBytes[i];
  }
  launch.localBytes = launch.locals.empty() ? 0 : offset + kLocalGap;
  return launch;
}

// Keeps the failure of the first workgroup that fails, by number, so that the report does not depend on the speed of threads.
class Failures {
public:
  const std::atomic<size_t> &first() const { return first_; }
  void add(size_t group, std::string report) {
    std::lock_guard lock(mutex_);
    if (report_ && group >= first_ && !report_->empty()) return;
    if (report_ && report.empty()) return; // the launch was stopped, and a report already says why
    if (!report.empty()) first_ = group;
    report_ = std::move(report);
  }
  std::optional<std::string> report() { return std::move(report_); }

private:
  std::mutex mutex_;
  std::atomic<size_t> first_ = SIZE_MAX; // the first group that has failed
  std::optional<std::string> report_;
};

// The work of one thread: runs workgroups while there are any. They begin in order, so if one fails, all earlier ones
// have begun.
class Worker {
public:
  Worker(const Launch &launch, std::atomic<size_t> &next, Failures &failures)
      : launch_(launch), next_(next), failures_(failures), group_(launch) {}
  void run() {
    while (!report_) {
      current_ = next_.fetch_add(1);
      if (current_ >= launch_.groups() || current_ > failures_.first()) return;
      if (*launch_.stop) return failures_.add(current_, "");
      std::optional<MemoryFault> fault = guardedCall([](void *self) { static_cast<Worker *>(self)->runCurrent(); }, this);
      if (fault) report_ = faultReport(*fault);
      if (report_) failures_.add(current_, *report_);
    }
  }

private:
  void runCurrent() { report_ = group_.run(current_); }
  std::string faultReport(const MemoryFault &fault) {
    std::string where = fault.address ? str("0x", std::hex, *fault.address) : std::string("an invalid address");
    group_.fail(str("a memory fault at ", where, " (an access through a private or an invalid pointer, or a stack overflow)"),
                -1);
    return *group_.giveUp();
  }

  const Launch &launch_;
  std::atomic<size_t> &next_;
  Failures &failures_;
  Workgroup group_;
  size_t current_ = 0;
  std::optional<std::string> report_;
};

} // namespace

std::string launchMistake(const LaunchRequest &request, const DeviceSettings &device) {
  const LoweredKernel &kernel = *request.kernel;
  size_t items = size_t{request.groupSize[0]} * request.groupSize[1] * request.groupSize[2];
  if (!items || items > static_cast<size_t>(device.target->lanesPerWorkgroup))
    return str("a workgroup of ", items, " work-items; ", device.target->name, " supports up to ",
               device.target->lanesPerWorkgroup);
  for (size_t d = 0; d < 3; ++d)
    if (kernel.requiredGroupSize[d] && kernel.requiredGroupSize[d] != request.groupSize[d])
      return str("kernel ", kernel.name, " requires ", kernel.requiredGroupSize[d], " work-items in dimension ", d, ", not ",
                 request.groupSize[d]);
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const KernelArgument &argument = kernel.arguments[i];
    bool set = argument.isLocal ? request.localBytes[i] != 0 : request.arguments[i].size() == argument.bytes;
    if (!set) return str("argument ", i, " of kernel ", kernel.name, " is not set");
  }
  return {};
}

std::optional<std::string> runLaunch(const Program &program, LaunchRequest &request, const DeviceSettings &device,
                                     const std::atomic<bool> &stop) {
  size_t local = localBytes(request, &program);
  if (local > static_cast<size_t>(device.target->slmBytes))
    return str("kernel ", request.kernel->name, ": ", local, " bytes of shared local memory; ", device.target->name, " has ",
               device.target->slmBytes);
  Launch launch = describe(program, request);
  std::atomic<size_t> next = 0;
  Failures failures;
  launch.stop = &stop;
  launch.firstFailed = &failures.first();
  launch.watchesMemory = device.watchesMemory;
  launch.watchesGlobal = device.watchesGlobal;
  launch.without = request.without;
  launch.reversed = request.reversed;
  launch.sameMemory = request.sameMemory;
  launch.copiesAtOnce = device.copiesAtOnce;
  launch.bankConflicts = request.bankConflicts;
  FaultGuard guard;
  auto work = [&] { std::make_unique<Worker>(launch, next, failures)->run(); };
  size_t threads = std::min<size_t>(device.threads, launch.groups());
  std::vector<std::thread> others;
  for (size_t i = 1; i < threads; ++i) others.emplace_back(work);
  if (threads) work();
  for (std::thread &each : others) each.join();
  return failures.report();
}

} // namespace xt::soft
