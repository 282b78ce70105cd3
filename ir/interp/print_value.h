// How `print` shows a value, on every target.
#pragma once
#include "ir/interp/values.h"
#include "ir/launch.h"
#include "ir/type.h"

#include <span>
#include <string>

namespace xt {

// "text: 3.5" for a scalar; for a vector "text: vector<8x16xf32>", then a line for each row of its last dimension. Rows
// longer than kPrintedColumns and vectors of more than kPrintedRows rows are cut in the middle by "...". Ends in '\n'.
// Without values, the text alone.
inline constexpr int64_t kPrintedColumns = 16, kPrintedRows = 32;
// Where each subgroup prints its own, its name stands before: "[workgroup (1), subgroup 2] text: 3.5".
std::string printPrefix(const Kernel &kernel, std::span<const int64_t> blockId, int64_t subgroup);
// The message of a failed assert: its text, which element (row-major) of the shape (ir/asserted_shape.h) is false, and for whom (ir/launch.h).
std::string assertionText(std::string_view text, std::span<const int64_t> shape, int64_t element, std::string_view origin);
std::string printedText(std::string_view text);
std::string printedValue(std::string_view text, Type type, std::span<const Number> elements);

} // namespace xt
