#include "targets/ranks/combine_parts.h"

#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/interp/scalar_eval.h"

#include <algorithm>
#include <vector>

namespace xt {
namespace {

std::optional<OpKind> opFor(std::string_view kind, Elem elem) {
  if (elemInfo(elem).bits < 8) return std::nullopt;
  if (kind != "max" && kind != "min") return combiningOp(kind, elem);
  if (isFloat(elem)) return combiningOp(kind == "max" ? "maximumf" : "minimumf", elem);
  bool isUnsigned = elemInfo(elem).isUnsigned;
  return combiningOp(kind == "max" ? (isUnsigned ? "maxui" : "maxsi") : (isUnsigned ? "minui" : "minsi"), elem);
}

} // namespace

bool canCombine(std::string_view kind, Elem elem) { return opFor(kind, elem).has_value(); }

void combineParts(std::string_view kind, Elem elem, std::span<const std::byte *const> arrays, int64_t count, std::byte *to) {
  std::optional<OpKind> op = opFor(kind, elem);
  XT_CHECK(op, "a combination that the lowering refuses");
  const Elem wide = reductionElem(*op, elem);
  const ElementwiseOp combine = {*op, wide, wide, ""};
  constexpr int64_t kBlock = 1024;
  const int64_t bytes = elemInfo(elem).storageBytes;
  std::vector<Number> sum(kBlock), next(kBlock);
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t block = std::min(kBlock, count - begin);
    for (size_t i = 0; i < arrays.size(); ++i) {
      std::vector<Number> &values = i ? next : sum;
      for (int64_t k = 0; k < block; ++k) values[static_cast<size_t>(k)] = loadNumber(elem, arrays[i] + (begin + k) * bytes);
      const Numbers operands[] = {{sum.data()}, {next.data()}};
      if (i) evaluateElementwise(combine, operands, sum.data(), static_cast<size_t>(block));
    }
    for (int64_t k = 0; k < block; ++k) {
      Number value = sum[static_cast<size_t>(k)];
      if (wide != elem) value.f = roundTo(elem, value.f);
      storeNumber(elem, to + (begin + k) * bytes, value);
    }
  }
}

} // namespace xt
