// Checks functions that no kernel calls.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Reports the errors of a function that no kernel calls, except errors that depend on the extents for which `?` stands.
void checkUncalledFunction(Context &context, const ParamScope &params, FileState &file, const ast::KernelDecl &decl,
                           Diagnostics &diagnostics);

} // namespace xt
