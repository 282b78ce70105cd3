// Encodes a launch's arguments and grid as the words that a compiled kernel reads (launch_abi.h).
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

namespace xt {

struct LaunchFrame {
  std::vector<uint64_t> words;
  int64_t workgroups = 0;
  // The amount of work, in whole workgroups: workgroups at the end of a dimension count by their share, unless the dimension
  // has only one.
  double work = 0;
  size_t runtime = 0; // index of the first RuntimeWord; the launcher sets all of them except kApartWord
};

// `grid` has one range per grid variable of the kernel, outermost first. For a kernel without grid variables it is the launch's
// own grid of up to three ranges; none: one workgroup. An Error names the argument that does not fit, or says what is wrong with
// the grid.
Result<LaunchFrame> makeFrame(const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid);

// The number of parts (at most `most`) to divide each workgroup into, so that a few workgroups occupy all threads. It is the
// smallest number that leaves no thread idle for long; if parts are cheap, it may be larger. `work` is LaunchFrame::work.
int64_t partsOf(double work, int64_t most, int64_t threads, bool areCheap);

// The distance, in parts of workgroups, after which the same values of the grid's `dims` recur. It is the whole launch if the
// innermost dimension is not among `dims`, and 0 if no two workgroups share the data that depends on `dims`. `dims` has as many
// entries as `grid`, outermost first, or none if nothing is shared. The `parts` parts of a workgroup are consecutive.
int64_t sharingPeriod(const std::vector<GridRange> &grid, const std::vector<bool> &dims, int64_t parts);

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
