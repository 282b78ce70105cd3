// What launches of libraries that are compiled ahead of time have in common on CPUs and GPUs. What of C++'s library this needs is
// linked into the run times.
#pragma once
#include "ir/grid_range.h"
#include "targets/ahead/xtrt.h"

#include <vector>

namespace xt {

enum LibraryStatus { kOk = 0, kInvalidArgument = 1, kKernelFailed = 5, kEnvironment = 6 }; // numbers of xt_status in xt.h

// Where the message of a failure goes.
struct Message {
  char *text;
  size_t bytes;

  __attribute__((format(printf, 3, 4))) int fail(LibraryStatus status, const char *format, ...) const;
  void clear() const {
    if (text && bytes > 0) *text = 0;
  }
};

// Appends the arguments to the words of a frame (targets/cpu/runtime/launch_abi.h). Returns a status; not kOk: an argument is wrong.
int readArguments(const xtrt_kernel &kernel, const xtrt_argument *arguments, const Message &message,
                  std::vector<uint64_t> &frame);

// Computes the ranges of the grid's variables, outermost first, and checks what the kernel requires. `frame` holds the
// arguments; `scratch` has kernel.header->scratchBytes bytes.
int runHeader(const xtrt_kernel &kernel, const Message &message, std::vector<uint64_t> &frame, void *scratch,
              std::vector<GridRange> &grid);

// The kernel that serves a launch: the one whose extents are the nearest. Arguments that are NULL are found by readArguments.
const xtrt_kernel &servingKernel(const xtrt_kernel &kernel, const xtrt_argument *arguments);

} // namespace xt
