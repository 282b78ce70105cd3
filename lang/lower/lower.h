// Checks an AST and lowers it to IR. Kernels are lowered once with the file's own parameters and once for each set of overrides
// with which a test launches them; tests become host ops.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "lang/lower/imports.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xt {

struct LowerOptions {
  // Definitions such as `-D BM=128`: a name without '$', and the text of its value. They replace the declared defaults;
  // overrides of a launch take precedence.
  std::vector<std::pair<std::string, std::string>> defines = {};
  // `--size M=512`: a name without '$', and its value in every test that has a size of this name, instead of the full and the
  // small one.
  std::vector<std::pair<std::string, int64_t>> sizes = {};
  ImportOptions imports = {};
  // The target whose values parameters have (`param … for "xe-dg2" = 128`): the name of hardware, or else of the target. "": the
  // values before `for`.
  std::string target = {};
  bool tryFixes = true; // false: candidates among the fixes are neither tried nor dropped
};

// Parses, checks and lowers file `index` of `sources`, and adds its imports to `sources`. Reports all errors in one run;
// returns a module only if there are none.
Result<std::unique_ptr<Module>> lowerFile(SourceManager &sources, uint32_t index, Context &context, const LowerOptions &options,
                                          Diagnostics &diagnostics);

} // namespace xt
