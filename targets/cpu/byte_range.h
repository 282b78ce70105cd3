// Which memory an array takes, and whether two are apart; at run time.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

struct ByteRange { // addresses
  LlvmValue *first, *end;
};
struct StridedDim {
  LlvmValue *count, *stride; // stride: in elements
};

// From the first byte of an array to the end of its last one, whatever the signs of its strides. No byte more: arrays often
// lie close behind each other, and what is not apart is computed more slowly. Up to the ends of all addresses where it would be
// beyond them.
ByteRange byteRange(llvm::IRBuilderBase &b, LlvmValue *base, llvm::ArrayRef<StridedDim> dims, int64_t elementBytes);
LlvmValue *areApart(llvm::IRBuilderBase &b, const ByteRange &x, const ByteRange &y);

} // namespace xt
