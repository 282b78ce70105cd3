// LLVM's SPIR-V back end.
#pragma once
#include "ir/base/result.h"

#include <llvm/IR/Module.h>

#include <vector>

namespace xt {

// Translates a module to SPIR-V 1.4 for OpenCL. Changes the module. `intelExtensions`: XeEmitOptions::intelExtensions().
Result<std::vector<uint8_t>> translateToSpirv(llvm::Module &module, bool intelExtensions);

} // namespace xt
