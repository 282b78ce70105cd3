#include "targets/nv/software/mutations.h"

#include "ir/base/text.h"
#include "targets/soft/memory.h"

#include <chrono>
#include <cstring>
#include <fstream>
#include <future>

namespace xt {
namespace {

constexpr std::chrono::seconds kLongest{20}; // that a launch may take without a call

// How a launch runs: when asynchronous copies arrive, which subgroups begin first, and whether the arguments are taken to be
// the same memory, as a launch may pass it.
struct Way {
  bool copiesAtOnce = false, reversed = false;
  std::optional<uint64_t> sameMemory = {};
};
constexpr Way kPlain[] = {{}, {.copiesAtOnce = true}, {.reversed = true}};
constexpr Way kSameMemory[] = {{.sameMemory = 0}, {.sameMemory = 4}, {.sameMemory = 80}, {.sameMemory = 516}};

// The contents of the memory that the arguments point to.
class Contents {
public:
  explicit Contents(const soft::LaunchRequest &request) {
    for (size_t i = 0; i < request.arguments.size(); ++i) {
      void *pointer = nullptr;
      if (!request.kernel->arguments[i].isPointer || request.arguments[i].size() != sizeof pointer) continue;
      std::memcpy(&pointer, request.arguments[i].data(), sizeof pointer);
      std::optional<soft::Allocation> found = soft::DeviceMemory::instance().find(pointer);
      if (!found) continue;
      auto *bytes = reinterpret_cast<std::byte *>(found->begin);
      parts_.push_back({bytes, {bytes, bytes + found->bytes}});
    }
  }
  void restore() const {
    for (const Part &part : parts_)
      if (!part.bytes.empty()) std::memcpy(part.at, part.bytes.data(), part.bytes.size());
  }

private:
  struct Part {
    std::byte *at;
    std::vector<std::byte> bytes;
  };
  std::vector<Part> parts_;
};

// What a launch without a call tells: that something went wrong, or nothing.
struct Told {
  std::optional<std::string> report;
  bool tooLong = false; // it has not ended in time, which may be for other reasons than the call
};

Told toldBy(const soft::Program &program, soft::LaunchRequest &request, const soft::DeviceSettings &settings) {
  std::atomic<bool> stop = false;
  auto run = std::async(std::launch::async, [&] { return soft::runLaunch(program, request, settings, stop); });
  if (run.wait_for(kLongest) == std::future_status::timeout) stop = true;
  std::optional<std::string> report = run.get();
  if (report && report->empty()) return {{}, true};
  return {std::move(report), false};
}

} // namespace

void Mutations::tryAll(const std::shared_ptr<soft::Program> &program, const soft::LaunchRequest &request,
                       const soft::DeviceSettings &settings) {
  std::lock_guard lock(mutex_);
  auto [at, isNew] = tried_.try_emplace(program.get());
  Tried &tried = at->second;
  if (isNew) tried = {program, tried_.size() - 1, {}};
  Contents before(request);
  auto run = [&](uint32_t without, const Way &way) {
    soft::LaunchRequest changed = request;
    changed.without = without;
    changed.reversed = way.reversed;
    changed.sameMemory = way.sameMemory;
    changed.bankConflicts = nullptr;
    soft::DeviceSettings own = settings;
    own.copiesAtOnce = way.copiesAtOnce;
    Told told = toldBy(*program, changed, own);
    before.restore();
    return told;
  };
  // Lanes that the kernel's text orders itself may not be ordered where arguments are the same memory.
  std::vector<Way> ways(std::begin(kPlain), std::end(kPlain));
  for (const Way &way : kSameMemory)
    if (Told told = run(soft::kNoOrderingCall, way); !told.report && !told.tooLong) ways.push_back(way);
  std::string lines;
  for (uint32_t call = 0; call < program->orderingCalls().size(); ++call) {
    const soft::OrderingCall &left = program->orderingCalls()[call];
    if (left.kernel != request.kernel->name || tried.found.contains(call)) continue;
    Told told;
    for (const Way &way : ways)
      if (!told.report && !told.tooLong) told = run(call, way);
    if (told.report) tried.found.insert(call);
    lines += str(told.report ? "found\t" : "missed\t", tried.number, "\t", left.kernel, "\t", call, "\t", left.name, "\t",
                 left.line, "\t", told.report.value_or(told.tooLong ? "it does not end" : ""), "\n");
  }
  std::ofstream(file_, std::ios::app) << lines;
}

} // namespace xt
