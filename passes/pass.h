// What a pass is: a stateless function on a module and what it needs and promises. Verifying, timing, dumping and
// reproducers belong to the pass manager.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"
#include "ir/target_info.h"

#include <string_view>

namespace xt {

// Changes the module, or reports what is wrong with the user's program. A pass keeps nothing between calls and does not
// touch Kernel::forms: the manager adds and drops them by the table.
using PassFunction = Result<void> (*)(Module &module, Diagnostics &diagnostics);
// The same for what depends on the hardware that the module is compiled for.
using TargetPassFunction = Result<void> (*)(Module &module, const TargetInfo &target, Diagnostics &diagnostics);

struct PassInfo {
  std::string_view name; // as in --run and --dump-after
  // Where both are given, the second is for modules that are compiled for known hardware.
  PassFunction function = nullptr;
  TargetPassFunction targetFunction = nullptr;
  FixedList<Form, 4> needs{}; // forms that every kernel must have before
  FixedList<Form, 4> gives{}; // that every kernel has after
  FixedList<Form, 4> drops{}; // that may no longer hold after
  std::string_view summary;   // one line
};

} // namespace xt
