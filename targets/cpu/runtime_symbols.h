// What generated code may call outside of itself.
#pragma once
#include "targets/llvm/linked_object.h"

#include <vector>

namespace xt {

std::vector<ExternalSymbol> runtimeSymbols();

} // namespace xt
