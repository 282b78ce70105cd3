#include "targets/api/boundary/elements.h"

#include "ir/base/check.h"
#include "ir/elem_kinds.h"

#include <iterator>

namespace xt {
namespace {

// The numbers of xt.h are part of the library's ABI; those of Elem are not.
constexpr struct Row {
  xt_element element;
  Elem elem;
} kElements[] = {
    {XT_I1, Elem::I1},         {XT_I4, Elem::I4},         {XT_I8, Elem::I8},       {XT_I16, Elem::I16},
    {XT_I32, Elem::I32},       {XT_I64, Elem::I64},       {XT_U8, Elem::U8},       {XT_U16, Elem::U16},
    {XT_U32, Elem::U32},       {XT_U64, Elem::U64},       {XT_INDEX, Elem::Index}, {XT_F64, Elem::F64},
    {XT_F32, Elem::F32},       {XT_TF32, Elem::TF32},     {XT_F16, Elem::F16},     {XT_BF16, Elem::BF16},
    {XT_F8E4M3, Elem::F8E4M3}, {XT_F8E5M2, Elem::F8E5M2}, {XT_U4, Elem::U4},       {XT_F4E2M1, Elem::F4E2M1},
    {XT_F8E8M0, Elem::F8E8M0},
};
static_assert(std::size(kElements) == kElemCount);

} // namespace

std::optional<Elem> elemOf(xt_element element) {
  for (const Row &row : kElements)
    if (row.element == element) return row.elem;
  return std::nullopt;
}

xt_element elementOf(Elem elem) {
  for (const Row &row : kElements)
    if (row.elem == elem) return row.element;
  XT_UNREACHABLE("an element type without a number in xt.h");
}

} // namespace xt

const char *xt_element_name(xt_element element) {
  std::optional<xt::Elem> elem = xt::elemOf(element);
  return elem ? xt::elemName(*elem).data() : nullptr; // the table of element types holds literals
}

size_t xt_element_bytes(xt_element element) {
  std::optional<xt::Elem> elem = xt::elemOf(element);
  return elem ? static_cast<size_t>(xt::elemInfo(*elem).storageBytes) : 0;
}
