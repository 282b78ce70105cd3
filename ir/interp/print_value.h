// How `print` shows a value, on every target.
#pragma once
#include "ir/interp/values.h"
#include "ir/type.h"

#include <span>
#include <string>

namespace xt {

// "text: 3.5" for a scalar; for a vector "text: vector<8x16xf32>", then a line for each row of its last dimension. Rows
// longer than kPrintedColumns and vectors of more than kPrintedRows rows are cut in the middle by "...". Ends in '\n'.
// Without values, the text alone.
inline constexpr int64_t kPrintedColumns = 16, kPrintedRows = 32;
// The message of a failed assert: its text, which element (row-major) of a vector condition is false, and the
// workgroup's name (ir/launch.h) where there are several.
std::string assertionText(std::string_view text, Type condition, int64_t element, std::string_view workgroup);
std::string printedText(std::string_view text);
std::string printedValue(std::string_view text, Type type, std::span<const Number> elements);

} // namespace xt
