#include "targets/cpu/vector/register_transpose.h"

namespace xt {
namespace {

// Exchanges blocks of `distance` elements between two registers: the second, fourth, … block of x with the first, third, …
// block of y.
std::pair<LlvmValue *, LlvmValue *> exchange(llvm::IRBuilderBase &b, LlvmValue *x, LlvmValue *y, size_t distance) {
  size_t lanes = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  llvm::SmallVector<int, 16> low, high;
  for (size_t j = 0; j < lanes; ++j) {
    bool second = (j & distance) != 0;
    low.push_back(static_cast<int>(second ? lanes + j - distance : j));
    high.push_back(static_cast<int>(second ? lanes + j : j + distance));
  }
  return {b.CreateShuffleVector(x, y, low), b.CreateShuffleVector(x, y, high)};
}

// One half of a register.
LlvmValue *half(llvm::IRBuilderBase &b, LlvmValue *x, size_t which, size_t lanes) {
  llvm::SmallVector<int, 16> order;
  for (size_t j = 0; j < lanes / 2; ++j) order.push_back(static_cast<int>(which * lanes / 2 + j));
  return b.CreateShuffleVector(x, order);
}

} // namespace

void transposeRegisters(llvm::IRBuilderBase &b, llvm::MutableArrayRef<LlvmValue *> rows) {
  for (size_t distance = 1; distance < rows.size(); distance *= 2)
    for (size_t i = 0; i < rows.size(); ++i)
      if (!(i & distance)) std::tie(rows[i], rows[i + distance]) = exchange(b, rows[i], rows[i + distance], distance);
}

LlvmValue *combineRows(llvm::IRBuilderBase &b, LlvmValues rows,
                       llvm::function_ref<LlvmValue *(LlvmValue *, LlvmValue *)> combine) {
  size_t count = rows.size(), lanes = llvm::cast<llvm::FixedVectorType>(rows[0]->getType())->getNumElements();
  for (size_t distance = count / 2; distance > 0; distance /= 2) {
    for (size_t i = 0; i < distance; ++i) {
      auto [x, y] = exchange(b, rows[i], rows[i + distance], distance);
      rows[i] = combine(x, y);
    }
    rows.resize(distance);
  }
  for (; lanes > count; lanes /= 2) rows[0] = combine(half(b, rows[0], 0, lanes), half(b, rows[0], 1, lanes));
  return rows[0];
}

} // namespace xt
