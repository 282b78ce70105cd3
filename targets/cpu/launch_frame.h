// A launch's arguments and grid as the words that a compiled kernel reads (kernel_emitter.h).
#pragma once
#include "ir/launch.h"
#include "ir/module.h"

namespace xt {

struct LaunchFrame {
  std::vector<uint64_t> words;
  int64_t workgroups = 0;
  double work = 0; // of so many workgroups that are whole; where a dimension has but one, all are alike
  size_t runtime = 0; // where RuntimeWord begins; all but which memrefs are apart is the launcher's
};

// `grid` is that of the kernel's grid variables, or of a kernel without any, the launch's own: up to three ranges,
// outermost first; none: one workgroup. An Error names the argument that does not fit.
Result<LaunchFrame> makeFrame(const Kernel &kernel, const std::vector<LaunchArg> &args,
                              const std::vector<GridRange> &grid);

// Into how many parts each workgroup is divided, of `most` at most, so that few workgroups are work for all threads: as few as leave
// none idle for long, unless they are cheap: bf16 256x256x256 with two threads takes 0.53 of the time in 2 parts instead of 8, bytes
// 0.39 (Intel Xeon with AMX). `work` is that of a LaunchFrame.
int64_t partsOf(double work, int64_t most, int64_t threads, bool areCheap);

// The distance, in parts of workgroups, after which the same values of the grid's `dims` return; all of the launch if the innermost
// dimension is not among them; 0 if no two workgroups share what depends on `dims`. `dims` has as many entries as `grid`,
// outermost first, or none, where nothing is shared; workgroups have `parts` each, one after the other.
int64_t sharingPeriod(const std::vector<GridRange> &grid, const std::vector<bool> &dims, int64_t parts);

// The frame of the last launch, kept for launches that are the same: to make one is half of a launch that does nothing.
class LastFrame {
public:
  // As makeFrame; `code` is what the kernel was compiled to. The frame stays until the next call.
  Result<LaunchFrame *> of(const void *code, const Kernel &kernel, const std::vector<LaunchArg> &args, const std::vector<GridRange> &grid);

private:
  const void *code_ = nullptr; // null: there is no frame
  std::vector<LaunchArg> args_;
  std::vector<GridRange> grid_;
  LaunchFrame frame_;
};

} // namespace xt
