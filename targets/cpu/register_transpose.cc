#include "targets/cpu/register_transpose.h"

namespace xt {

// At each stage, blocks of `distance` elements of two registers change places.
void transposeRegisters(llvm::IRBuilderBase &b, llvm::MutableArrayRef<LlvmValue *> rows) {
  size_t lanes = rows.size();
  for (size_t distance = 1; distance < lanes; distance *= 2) {
    llvm::SmallVector<int, 16> low, high;
    for (size_t j = 0; j < lanes; ++j) {
      bool second = (j & distance) != 0;
      low.push_back(static_cast<int>(second ? lanes + j - distance : j));
      high.push_back(static_cast<int>(second ? lanes + j : j + distance));
    }
    for (size_t i = 0; i < lanes; ++i) {
      if (i & distance) continue;
      LlvmValue *x = rows[i], *y = rows[i + distance];
      rows[i] = b.CreateShuffleVector(x, y, low);
      rows[i + distance] = b.CreateShuffleVector(x, y, high);
    }
  }
}

} // namespace xt
