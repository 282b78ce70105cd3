#include "targets/api/mpi/dense_copy.h"

#include "ir/elem_kinds.h"

#include <algorithm>
#include <cstring>

namespace xt {
namespace {

// Calls f with the address of each run along the last dimension, in row-major order.
template <class F> void eachRun(const BufferView &array, const F &f) {
  if (std::ranges::find(array.sizes, 0) != array.sizes.end()) return;
  const int64_t bytes = elemInfo(array.elem).storageBytes;
  const size_t outer = array.sizes.empty() ? 0 : array.sizes.size() - 1;
  std::vector<int64_t> index(outer);
  while (true) {
    int64_t offset = 0;
    for (size_t d = 0; d < outer; ++d) offset += index[d] * array.strides[d];
    f(static_cast<std::byte *>(array.data) + offset * bytes);
    size_t d = outer;
    while (d > 0 && ++index[d - 1] == array.sizes[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

// Copies `count` elements, whose distances are numbers of elements.
template <size_t kBytes>
void copyElements(const std::byte *from, int64_t fromStep, std::byte *to, int64_t toStep, int64_t count) {
  constexpr auto step = static_cast<int64_t>(kBytes);
  for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * toStep * step, from + i * fromStep * step, kBytes);
}

void copyRun(const std::byte *from, int64_t fromStep, std::byte *to, int64_t toStep, int64_t count, int64_t bytes) {
  if (fromStep == 1 && toStep == 1)
    std::memcpy(to, from, static_cast<size_t>(count * bytes));
  else if (bytes == 1)
    copyElements<1>(from, fromStep, to, toStep, count);
  else if (bytes == 2)
    copyElements<2>(from, fromStep, to, toStep, count);
  else if (bytes == 4)
    copyElements<4>(from, fromStep, to, toStep, count);
  else
    copyElements<8>(from, fromStep, to, toStep, count); // no element has more
}

} // namespace

bool isDense(const BufferView &array) {
  if (std::ranges::find(array.sizes, 0) != array.sizes.end()) return true;
  int64_t stride = 1;
  for (size_t d = array.sizes.size(); d-- > 0;) {
    if (array.sizes[d] != 1 && array.strides[d] != stride) return false;
    stride *= array.sizes[d];
  }
  return true;
}

void pack(const BufferView &array, std::byte *dense) {
  const int64_t bytes = elemInfo(array.elem).storageBytes;
  const int64_t count = array.sizes.empty() ? 1 : array.sizes.back(), step = array.sizes.empty() ? 1 : array.strides.back();
  eachRun(array, [&](const std::byte *run) {
    copyRun(run, step, dense, 1, count, bytes);
    dense += count * bytes;
  });
}

void unpack(const std::byte *dense, const BufferView &array) {
  const int64_t bytes = elemInfo(array.elem).storageBytes;
  const int64_t count = array.sizes.empty() ? 1 : array.sizes.back(), step = array.sizes.empty() ? 1 : array.strides.back();
  eachRun(array, [&](std::byte *run) {
    copyRun(dense, 1, run, step, count, bytes);
    dense += count * bytes;
  });
}

bool spanOf(const BufferView &array, int64_t &bytes) {
  int64_t last = 0, elements = 1; // both are limited, as copies of an array without distinct places may be larger than it
  for (size_t d = 0; d < array.sizes.size(); ++d) {
    int64_t along = 0;
    if (array.strides[d] < 0) return false;
    if (__builtin_mul_overflow(std::max<int64_t>(array.sizes[d] - 1, 0), array.strides[d], &along)) return false;
    if (__builtin_add_overflow(last, along, &last)) return false;
    if (__builtin_mul_overflow(elements, std::max<int64_t>(array.sizes[d], 1), &elements)) return false;
  }
  const int64_t size = elemInfo(array.elem).storageBytes;
  if (__builtin_mul_overflow(elements, size, &elements)) return false;
  if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, size, &bytes)) return false;
  if (std::ranges::find(array.sizes, 0) != array.sizes.end()) bytes = 0;
  return true;
}

} // namespace xt
