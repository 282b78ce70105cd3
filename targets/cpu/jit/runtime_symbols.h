// The functions that generated code may call.
#pragma once
#include "targets/llvm/linked_object.h"

#include <vector>

namespace xt {

std::vector<ExternalSymbol> runtimeSymbols();

} // namespace xt
