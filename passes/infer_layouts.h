// infer-layouts: runs the layout inference of ir/infer on every kernel of a module.
#pragma once
#include "passes/pass.h"

namespace xt {

Result<void> inferLayouts(Module &module, Diagnostics &diagnostics);

} // namespace xt
