#include "targets/run/summary.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/integer_text.h"
#include "targets/run/check.h"

#include <cmath>
#include <cstdio>

namespace xt {

namespace {
std::string elementOf(const RawArray &array, int64_t i) {
  const std::byte *at = array.bytes.data() + i * array.elemBytes();
  if (isFloat(array.elem)) return valueText(loadFloat(array.elem, at), array.elem);
  return integerText(array.elem, loadInteger(array.elem, at));
}

// Integers are compared exactly: beyond 2^53 several of them convert to the same f64.
bool less(const RawArray &array, int64_t i, int64_t j) {
  const std::byte *a = array.bytes.data() + i * array.elemBytes(), *b = array.bytes.data() + j * array.elemBytes();
  if (isFloat(array.elem)) return loadFloat(array.elem, a) < loadFloat(array.elem, b);
  int64_t x = loadInteger(array.elem, a), y = loadInteger(array.elem, b);
  return array.elem == Elem::U64 ? static_cast<uint64_t>(x) < static_cast<uint64_t>(y) : x < y;
}

double valueOf(const RawArray &array, int64_t i) {
  const std::byte *at = array.bytes.data() + i * array.elemBytes();
  if (isFloat(array.elem)) return loadFloat(array.elem, at);
  int64_t value = loadInteger(array.elem, at);
  return array.elem == Elem::U64 ? static_cast<double>(static_cast<uint64_t>(value)) : static_cast<double>(value);
}
} // namespace

BufferSummary summarise(std::string name, const RawArray &content) {
  BufferSummary summary;
  summary.name = std::move(name);
  summary.sizes = content.sizes;
  summary.elem = content.elem;
  int64_t least = -1, greatest = -1, finite = 0;
  double sum = 0;
  for (int64_t i = 0; i < content.count(); ++i) {
    double value = valueOf(content, i);
    if (std::isnan(value)) {
      ++summary.nans;
      continue;
    }
    if (least < 0 || less(content, i, least)) least = i;
    if (greatest < 0 || less(content, greatest, i)) greatest = i;
    if (std::isinf(value))
      ++summary.infinities;
    else
      sum += value, ++finite;
  }
  if (least >= 0) summary.least = elementOf(content, least), summary.greatest = elementOf(content, greatest);
  if (finite) summary.mean = sum / static_cast<double>(finite);
  for (int64_t i = 0; i < std::min(content.count(), kFirstElements); ++i) summary.first.push_back(elementOf(content, i));
  return summary;
}

std::string summaryLine(const BufferSummary &summary) {
  std::string line = str("%", summary.name, "  ", shapeText(summary.sizes), "x", elemName(summary.elem), "  ");
  if (summary.first.empty()) return line + "no elements";
  char mean[40];
  std::snprintf(mean, sizeof mean, "%.6g", summary.mean);
  if (summary.least.empty())
    line += "all nan";
  else
    line += str("min ", summary.least, ", max ", summary.greatest, ", mean ", mean);
  if (summary.nans && !summary.least.empty()) line += str(", ", summary.nans, " nan");
  if (summary.infinities) line += str(", ", summary.infinities, " inf");
  auto count = static_cast<int64_t>(summary.first.size());
  bool more = elementCount(summary.sizes).value_or(0) > count;
  return line + str("; first ", join(summary.first, ", "), more ? ", …" : "");
}

} // namespace xt
