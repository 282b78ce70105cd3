#include "targets/tools/tuned.h"

#include "ir/base/text.h"
#include "targets/tune/tuned_kernels.h"

#include <algorithm>
#include <unistd.h>

namespace xt {
namespace {

// The constant extents of the buffers that a launch gets; nullopt if one is not known before the test runs.
std::optional<std::vector<std::vector<int64_t>>> arraysOf(const HostTest &test, const HostStmt &launch) {
  std::vector<std::vector<int64_t>> arrays;
  for (const HostExpr &argument : launch.args) {
    if (argument.kind != HostExpr::Kind::Buffer) continue;
    auto buffer = std::ranges::find_if(
        test.body, [&](const HostStmt &stmt) { return stmt.kind == HostStmt::Kind::Buffer && stmt.name == argument.text; });
    if (buffer == test.body.end()) return std::nullopt;
    std::vector<int64_t> &extents = arrays.emplace_back();
    for (const HostExpr &extent : buffer->type.extents) {
      if (extent.kind != HostExpr::Kind::Int) return std::nullopt;
      extents.push_back(extent.integer);
    }
  }
  return arrays;
}

} // namespace

Result<std::string> tuningFile(const CommonOptions &options, const std::string &kernels) {
  if (!options.tuning) return tunePath(kernels);
  if (*options.tuning == "none") return std::string();
  if (access(options.tuning->c_str(), F_OK) == 0) return *options.tuning;
  return Error::environment(str("--tuning: there is no file ", *options.tuning));
}

Result<Defines> valuesForLaunch(const XtrunOptions &options, const Module &launch, const std::string &file, Target &target) {
  Result<std::string> path = tuningFile(options, file);
  if (!path) return path.error();
  if (path->empty()) return Defines();
  for (const HostTest &test : launch.tests)
    for (const HostStmt &stmt : test.body) {
      if (stmt.kind != HostStmt::Kind::Launch) continue;
      auto arrays = arraysOf(test, stmt);
      if (!arrays) return Defines();
      TuneUse use{.path = *path,
                  .target = &target,
                  .device = options.device,
                  .threads = options.threads,
                  .defines = options.defines,
                  .load = {}};
      return tunedValues(launch, use, stmt.kernel, *arrays);
    }
  return Defines();
}

Result<std::vector<LibraryVariant>> addVariants(const XtcOptions &options, Session &session, Module &module, Target &target) {
  const std::string file = options.files.at(0);
  Result<std::string> path = tuningFile(options, file);
  if (!path) return path.error();
  std::vector<LibraryVariant> variants;
  if (path->empty()) return variants;
  TuneUse use{.path = *path, .target = &target, .defines = options.defines, .load = {}};
  use.load = [&](const TuneValues &values) { return session.loadWith(file, values); };
  Result<TunedKernels> tuned = addTunedKernels(module, use);
  if (!tuned) return tuned.error();
  for (const TunedKernel &of : tuned->all()) variants.push_back({of.kernel, of.name, of.arrays});
  return variants;
}

} // namespace xt
