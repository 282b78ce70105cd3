// Kernels compiled once more with the values that a tune file says are the fastest, and which of them serves a launch.
#pragma once
#include "ir/module.h"
#include "targets/target.h"
#include "targets/tune/tune_file.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace xt {

struct TunedKernel {
  std::string kernel;                       // as the file calls it: "gemm"
  std::string name; // in the module: "gemm$BM=512$BN=256", or that of `kernel` for its declared values
  std::vector<std::vector<int64_t>> arrays; // the extents for which it is the fastest
};

class TunedKernels {
public:
  // The name of the kernel in the module that serves a launch of `kernel` on arrays of these extents: that of the nearest size for
  // which it was tuned, or `kernel`.
  const std::string &choose(const std::string &kernel, const std::vector<std::vector<int64_t>> &arrays) const;
  bool empty() const { return all_.empty(); }
  const std::vector<TunedKernel> &all() const { return all_; }
  void add(TunedKernel kernel) { all_.push_back(std::move(kernel)); }

private:
  std::vector<TunedKernel> all_;
};

// What a compilation makes of a tune file.
struct TuneUse {
  std::string path; // of the tune file
  // What it says, if it has been read: a compilation that is repeated must find the same, whatever has become of the file.
  std::optional<std::vector<TuneRecord>> contents = {};
  Target *target = nullptr;
  DeviceChoice device = DeviceChoice::Any;
  int threads = 0; // that run launches; records for another number serve where there are none for this one
  TuneValues defines; // what the user has set stays: records that change one of these are left out
  // The module with these values in place of the declared ones, in the same Context.
  std::function<Result<std::unique_ptr<Module>>(const TuneValues &)> load;
};

// The values, other than the declared ones, with which a launch of the kernel on arrays of these extents is the fastest; none if there
// is no record for it. Does not use TuneUse::load.
Result<TuneValues> tunedValues(const Module &module, const TuneUse &use, const std::string &kernel,
                               const std::vector<std::vector<int64_t>> &arrays);

// Adds the tuned kernels to a module that has no tests, before any pass runs. An Error says that the tune file cannot be read, or that
// it does not fit the file of kernels.
Result<TunedKernels> addTunedKernels(Module &module, const TuneUse &use);

} // namespace xt
