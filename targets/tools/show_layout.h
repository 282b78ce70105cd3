// xtc --show-layout: draws who owns what under one layout.
#pragma once
#include "targets/tools/options.h"

#include <cstdint>

namespace xt {

// "256x256" -> {256, 256}: one to five positive extents. Null if it is none.
std::optional<std::vector<int64_t>> shapeFromText(std::string_view text);

// Prints the layout `options.showLayout` (an alias of the file or of one that it imports, or a layout written out) on
// `options.shape`, and writes it as SVG if a file is named. Gives xtc's exit status; mistakes have been printed.
int showLayout(const XtcOptions &options);

} // namespace xt
