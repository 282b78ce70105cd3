// Arguments of a launch as xt.h describes them, checked against the parameters of the kernel.
#pragma once
#include "targets/api/boundary/failure.h"
#include "targets/api/program.h"

namespace xt {

// Reads the arguments of a launch; a Failure names the first parameter whose argument does not fit.
Failure readArguments(const Kernel &kernel, const KernelInfo &info, const xt_argument *arguments, size_t count,
                      std::vector<LaunchArg> &out);

// The ranges of the kernel's grid for these arguments, and what the options say beside it.
Failure readOptions(const Kernel &kernel, const std::vector<LaunchArg> &args, const xt_launch_options *options,
                    std::vector<GridRange> &out, LaunchWishes &wishes);

} // namespace xt
