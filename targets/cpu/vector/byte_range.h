// Computes at run time which memory an array occupies, and whether two arrays overlap.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

struct ByteRange { // addresses
  LlvmValue *first, *end;
};
struct StridedDim {
  LlvmValue *count, *stride; // stride: in elements
};

// The range from the first byte of an array to the end of its last byte, whatever the signs of its strides. It is exact,
// because arrays often follow each other directly in memory, and kernels are slower for arrays that seem to overlap. Saturates
// at the ends of the address space.
ByteRange byteRange(llvm::IRBuilderBase &b, LlvmValue *base, llvm::ArrayRef<StridedDim> dims, int64_t elementBytes);
LlvmValue *areApart(llvm::IRBuilderBase &b, const ByteRange &x, const ByteRange &y);

} // namespace xt
