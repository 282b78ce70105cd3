#include "targets/api/boundary/array_argument.h"

#include "ir/base/extents.h"
#include "ir/base/text.h"
#include "targets/api/boundary/elements.h"

#include <algorithm>

namespace xt {

std::string readArray(const xt_argument &given, BufferView &out) {
  std::optional<Elem> elem = elemOf(given.element);
  if (!elem) return str("its element type ", static_cast<int>(given.element), " does not exist");
  if (given.rank < 0 || given.rank > XT_MAX_RANK) return str("its rank is ", given.rank, ", not 0 to ", XT_MAX_RANK);
  auto rank = static_cast<size_t>(given.rank);
  if (rank > 0 && !given.shape) return "its shape is NULL";
  out.elem = *elem;
  out.data = given.data;
  if (rank > 0) out.sizes.assign(given.shape, given.shape + rank);
  for (int64_t extent : out.sizes)
    if (extent < 0) return str("its shape ", join(out.sizes, "x"), " has a negative extent");
  if (given.strides) {
    out.strides.assign(given.strides, given.strides + rank);
    return "";
  }
  out.strides.resize(rank);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    out.strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(out.sizes[d], 1), &stride)) return "it is too large";
  }
  return "";
}

std::string whyUnusable(const xt_argument &given, const BufferView &array, bool written, std::string_view writer) {
  auto bytes = static_cast<uintptr_t>(elemInfo(array.elem).storageBytes);
  if (reinterpret_cast<uintptr_t>(array.data) % bytes != 0)
    return str("its address is not a multiple of ", bytes, ", the bytes of an ", elemName(array.elem));
  if (!written) return "";
  if (given.read_only) return str("it is read-only, but ", writer, " writes it");
  bool empty = std::find(array.sizes.begin(), array.sizes.end(), 0) != array.sizes.end();
  if (!empty && !haveDistinctPlaces(array.sizes, array.strides))
    return str("several of its indices have the same element (shape ", join(array.sizes, "x"), ", strides ",
               join(array.strides, ", "), "), but ", writer, " writes it");
  return "";
}

} // namespace xt
