#include "tests/bench/cpu/matrix.h"
#include "ir/elem_kinds.h"

#include <cstdlib>
#include <cstring>

namespace xt::bench {
namespace {

unsigned char *address(const Matrix &matrix, int64_t i) {
  return static_cast<unsigned char *>(matrix.data.get()) + i * elemInfo(matrix.elem).storageBytes;
}

double number(const Matrix &matrix, int64_t i) {
  const void *from = address(matrix, i);
  return isFloat(matrix.elem) ? loadFloat(matrix.elem, from) : static_cast<double>(loadInteger(matrix.elem, from));
}

} // namespace

uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9E3779B97F4A7C15u);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

double roundOff(Elem elem) {
  return elem == Elem::F64    ? 0x1p-53
         : elem == Elem::F32  ? 0x1p-24
         : elem == Elem::F16  ? 0x1p-11
         : elem == Elem::BF16 ? 0x1p-8
                              : 0;
}

double Matrix::at(int64_t row, int64_t column) const { return number(*this, row * columns + column); }

Matrix makeMatrix(Elem elem, int64_t rows, int64_t columns) {
  Matrix matrix{elem, rows, columns, nullptr};
  constexpr size_t kPage = 4096;
  size_t bytes = (static_cast<size_t>(matrix.bytes()) + kPage - 1) / kPage * kPage;
  matrix.data = std::shared_ptr<void>(std::aligned_alloc(kPage, bytes), std::free);
  std::memset(matrix.data.get(), 0, bytes);
  return matrix;
}

void fill(Matrix &matrix, uint64_t seed) {
  for (int64_t i = 0; i < matrix.count(); ++i) {
    uint64_t bits = nextRandom(seed);
    if (isFloat(matrix.elem))
      storeFloat(matrix.elem, address(matrix, i), static_cast<double>(bits >> 11) * 0x1p-52 - 1);
    else
      storeInteger(matrix.elem, address(matrix, i), wrapTo(matrix.elem, static_cast<int64_t>(bits & 0xFF)));
  }
}

Matrix converted(const Matrix &matrix, Elem elem) {
  Matrix result = makeMatrix(elem, matrix.rows, matrix.columns);
  for (int64_t i = 0; i < matrix.count(); ++i) storeFloat(elem, address(result, i), number(matrix, i));
  return result;
}

} // namespace xt::bench
