// Lowers one kernel for one instantiation of the file's parameters. Lowering its body also checks it.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

// Returns null if an error was reported.
std::unique_ptr<Kernel> lowerKernel(Context &context, ParamScope &params, FileState &file, const ast::KernelDecl &decl,
                                    std::string name);

} // namespace xt
