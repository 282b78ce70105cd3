// Shapes the tokens of one item, as shape_tokens.h describes.
#pragma once
#include "lang/parse/item_state.h"

namespace xt {

// Shapes tokens [begin, end) of the scan.
ShapedItem shapeItem(const TokenScan &scan, size_t begin, size_t end, uint32_t file, BraceMode mode);

} // namespace xt
