// Structural equality of modules: what a dump that is read back has to keep. Ranges, names of values and the file name
// do not count; everything else does. The modules may live in different contexts.
#pragma once
#include "ir/module.h"

#include <optional>
#include <string>

namespace xt {

// What differs first, in the order of the text, with both sides; nullopt if the modules are equal.
std::optional<std::string> firstDifference(const Module &a, const Module &b);

} // namespace xt
