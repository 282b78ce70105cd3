// Encodes a launch's arguments and grid as the words that a compiled kernel reads (launch_abi.h).
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

namespace xt {

struct LaunchFrame {
  std::vector<uint64_t> words;
  int64_t workgroups = 0;
  double work = 0;    // of workOf()
  size_t runtime = 0; // index of the first RuntimeWord; the launcher sets all of them except kApartWord
};

// `grid` has one range per grid variable of the kernel, outermost first. For a kernel without grid variables it is the launch's
// own grid of up to three ranges; none: one workgroup. An Error names the argument that does not fit, or says what is wrong with
// the grid.
Result<LaunchFrame> makeFrame(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid);

// Caches the frame of the last launch for identical launches, because making a frame is a large part of a small launch.
class LastFrame {
public:
  // Like makeFrame. `code` identifies the kernel's compiled code. The frame is valid until the next call.
  Result<LaunchFrame *> of(const void *code, const Kernel &kernel, const std::vector<LaunchArg> &args,
                           const std::vector<GridRange> &grid);

private:
  const void *code_ = nullptr; // null: no frame is cached
  std::vector<LaunchArg> args_;
  std::vector<GridRange> grid_;
  LaunchFrame frame_;
};

} // namespace xt
