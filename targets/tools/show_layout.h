// xtc --show-layout: draws which owner holds which elements under a layout.
#pragma once
#include "targets/tools/options.h"

#include <cstdint>

namespace xt {

// Parses a shape, "256x256" as {256, 256}, of one to five positive extents; nullopt for other texts.
std::optional<std::vector<int64_t>> shapeFromText(std::string_view text);

// Prints the layout `options.showLayout` (an alias of the file or of one that it imports, or a complete layout) on
// `options.shape`, and writes it as SVG if a file is named. Prints errors, and returns xtc's exit status.
int showLayout(const XtcOptions &options);

} // namespace xt
