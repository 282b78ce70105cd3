// The output format of `print`, on every target.
#pragma once
#include "ir/interp/values.h"
#include "ir/launch.h"
#include "ir/type.h"

#include <span>
#include <string>

namespace xt {

// "text: 3.5" for a scalar; for a vector "text: vector<8x16xf32>", then a line for each row of its last dimension. Rows longer
// than kPrintedColumns and vectors of more than kPrintedRows rows are cut in the middle by "...". The output ends in '\n'. A
// print without values gives only the text.
inline constexpr int64_t kPrintedColumns = 16, kPrintedRows = 32;
// The prefix if each subgroup prints its own values, as in "[workgroup (1), subgroup 2] text: 3.5"; "" otherwise.
std::string printPrefix(const Kernel &kernel, std::span<const int64_t> blockId, int64_t subgroup);
// The message of a failed assert. `element`: the row-major position of the false element in `shape` (ir/asserted_shape.h);
// `origin`: the subgroup or workgroup (originText in ir/launch.h).
std::string assertionText(std::string_view text, std::span<const int64_t> shape, int64_t element, std::string_view origin);
std::string printedText(std::string_view text);
std::string printedValue(std::string_view text, Type type, std::span<const Number> elements);

} // namespace xt
