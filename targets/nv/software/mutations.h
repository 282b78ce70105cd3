// Runs launches on the software device without one of their barriers, waits and fences, each in turn: the device must report
// what then goes wrong, or the call is not needed.
#pragma once
#include "targets/soft/launch.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace xt {

class Mutations {
public:
  // Appends its findings to the file: lines of fields that tabs separate, "found" or "missed", the number of the program in
  // this process, the kernel, the number, name and source line of the call, and the report. A launch that takes too long counts
  // as missed.
  explicit Mutations(std::string file) : file_(std::move(file)) {}

  // Tries each call of the kernel of `request` that no launch before has found, and leaves the memory of its arguments as it
  // was.
  void tryAll(const std::shared_ptr<soft::Program> &program, const soft::LaunchRequest &request,
              const soft::DeviceSettings &settings);

private:
  struct Tried {
    std::shared_ptr<soft::Program> program; // kept, so that no other one gets its address
    size_t number = 0;
    std::set<uint32_t> found; // calls
  };

  std::string file_;
  std::mutex mutex_; // of everything below, held by a launch until its calls are tried
  std::map<const soft::Program *, Tried> tried_; // for lookup only
};

} // namespace xt
