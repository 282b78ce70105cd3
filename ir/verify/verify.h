// The verifier: the rules for every module, whatever created it, and the promises of each form. It repeats the checks of the
// front end on the IR (with the same type and layout rules), and adds checks of properties that text cannot violate: links,
// uses, dominance. After a pass, a violation is a bug of that pass; in a file, it is a false `form` line.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/base/result.h"
#include "ir/module.h"

namespace xt {

// Reports each violation as InvalidIr, with the printed op. Only one is reported for an op, and none for errors that follow
// from it.
Result<void> verify(const Module &module, Diagnostics &diagnostics);

// Checks only the promises of `form` about a kernel. The messages give the reason: "it is at workgroup scope".
Result<void> verifyForm(Form form, const Kernel &kernel, Context &context, Diagnostics &diagnostics);

} // namespace xt
