// A kernel's workgroups on this machine's threads.
#pragma once
#include "targets/xe/soft/program.h"

#include <atomic>
#include <optional>

namespace xt::soft {

// A launch as the host asks for it.
struct LaunchRequest {
  const LoweredKernel *kernel = nullptr;
  std::vector<std::vector<std::byte>> arguments; // values; of a pointer to shared local memory: nothing
  std::vector<size_t> localBytes;                // by argument, where it is one
  Dimensions groupSize{1, 1, 1}, groupCount{1, 1, 1}, globalOffset{0, 0, 0};
};

// What the host got wrong, before anything runs; empty: nothing.
std::string launchMistake(const LaunchRequest &request, const DeviceSettings &device);

// Runs it to its end on `device.threads` threads; a report of what the first workgroup (x fastest) that does something
// wrong does. Workgroups after it do not begin or give up, those before it run to their end, but do not loop for ever.
// Setting `stop` ends it early, with an empty report.
std::optional<std::string> runLaunch(const Program &program, LaunchRequest &request, const DeviceSettings &device,
                                     const std::atomic<bool> &stop);

} // namespace xt::soft
