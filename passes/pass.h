// Defines what a pass is: a stateless function on a module, with the forms that it needs and promises. The pass manager is
// responsible for verification, timing, dumps and reproducers.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/gpu/target_info.h"
#include "ir/module.h"

#include <string_view>

namespace xt {

// Changes the module, or reports an error in the user's program. A pass keeps no state between calls and does not
// touch Kernel::forms: the manager adds and drops them according to the table.
using PassFunction = Result<void> (*)(Module &module, Diagnostics &diagnostics);
// The same for passes that depend on the hardware that the module is compiled for.
using TargetPassFunction = Result<void> (*)(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

struct PassInfo {
  std::string_view name; // the name in --run and --dump-after
  // If both functions are given, the second is used for modules that are compiled for known hardware.
  PassFunction function = nullptr;
  TargetPassFunction targetFunction = nullptr;
  FixedList<Form, 4> needs{}; // forms that every kernel must have before the pass
  FixedList<Form, 4> gives{}; // forms that every kernel has after the pass
  FixedList<Form, 4> drops{}; // forms that may no longer hold after the pass
  std::string_view summary;   // one line
};

} // namespace xt
