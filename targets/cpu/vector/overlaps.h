// Checks at run time whether tiles and memrefs are apart: whether their memory has no byte in common.
#pragma once
#include "targets/cpu/vector/byte_range.h"
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class Overlaps {
public:
  explicit Overlaps(KernelContext &context) : c_(context), b(context.b) {}

  LlvmValue *areTilesApart(const Value *tile, const Value *other);
  LlvmValue *isApartFrom(const Value *tile, const Value *memref); // the memref is one of the parameters
  LlvmValue *areParametersApart(const Value *memref, const Value *other);

private:
  ByteRange matrixBytes(const Value *tile);
  ByteRange memrefBytes(const Value *memref);
  std::optional<ByteRange> bytesAround(const Value *tile);

  KernelContext &c_;
  llvm::IRBuilder<> &b;
};

} // namespace xt
