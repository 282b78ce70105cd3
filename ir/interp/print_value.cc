#include "ir/interp/print_value.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/module.h"

namespace xt {
namespace {

std::string numberText(Elem elem, Number number) {
  if (elem == Elem::I1) return number.i ? "true" : "false";
  if (elem == Elem::U64) return std::to_string(static_cast<uint64_t>(number.i));
  if (elem == Elem::F32) return floatText(static_cast<float>(number.f));
  return isFloat(elem) ? floatText(number.f) : std::to_string(number.i);
}

// Calls show(i) for each of `count` items if there are at most `most`. Otherwise calls it for the first and the last most / 2
// items, and gap() in between.
template <class Show, class Gap> void middleCut(int64_t count, int64_t most, Show show, Gap gap) {
  for (int64_t i = 0; i < count; ++i) {
    if (count > most && i == most / 2) {
      gap();
      i = count - most / 2;
    }
    show(i);
  }
}

} // namespace

std::string assertionText(std::string_view text, std::span<const int64_t> shape, int64_t element, std::string_view origin) {
  std::string where;
  if (!shape.empty()) {
    std::vector<int64_t> index(shape.size());
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = element % shape[d];
      element /= shape[d];
    }
    where = str(" at [", join(index, ", "), "]");
  }
  return str("assertion failed: ", text, where, origin.empty() ? "" : str(" (", origin, ")"));
}

std::string printPrefix(const Kernel &kernel, std::span<const int64_t> blockId, int64_t subgroup) {
  if (kernel.scope != Scope::Subgroup || kernel.subgroups == 1 || subgroup < 0) return {};
  return str("[", originText(kernel, blockId, subgroup), "] ");
}

std::string printedText(std::string_view text) { return std::string(text) + "\n"; }

std::string printedValue(std::string_view text, Type type, std::span<const Number> elements) {
  std::string out = str(text, text.empty() ? "" : ": ");
  if (!type.isVector()) return out + numberText(type.elem(), elements[0]) + "\n";
  out += shapedText(type) + "\n";
  int64_t columns = type.extent(type.rank() - 1), rows = static_cast<int64_t>(elements.size()) / columns;
  auto row = [&](int64_t r) {
    out += " ";
    middleCut(
        columns, kPrintedColumns,
        [&](int64_t c) { out += " " + numberText(type.elem(), elements[static_cast<size_t>(r * columns + c)]); },
        [&] { out += " ..."; });
    out += "\n";
  };
  middleCut(rows, kPrintedRows, row, [&] { out += "  ...\n"; });
  return out;
}

} // namespace xt
