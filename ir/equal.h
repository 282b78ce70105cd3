// Structural equality of modules: printing a module and reading the text back must give an equal module. Ranges, names of
// values and the file name are ignored; everything else counts. The modules may belong to different contexts.
#pragma once
#include "ir/module.h"

#include <optional>
#include <string>

namespace xt {

// Describes the first difference in text order, with both sides; nullopt if the modules are equal.
std::optional<std::string> firstDifference(const Module &a, const Module &b);

} // namespace xt
