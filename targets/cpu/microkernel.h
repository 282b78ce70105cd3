// The innermost loop of matrix products: a tile of sums in registers, over K.
#pragma once
#include "targets/cpu/cpu_info.h"
#include "targets/llvm/register_ops.h"

namespace xt {

class Microkernel {
public:
  // `elem` is what is multiplied in (mmaElem), in registers of `lanes` elements.
  Microkernel(llvm::IRBuilderBase &builder, RegisterOps &ops, const CpuInfo &cpu, Elem elem, int lanes)
      : b(builder), ops_(ops), fma_(cpu.fma), elem_(elem), lanes_(lanes) {}

  // sums[r * columns + v] += the product over `depth` steps of K. Row r of a starts at leftRows[r], and its next element
  // is leftStep bytes on; register v of b's columns starts at rightColumns[v], and the next row is rightStep on.
  struct Operands {
    LlvmValues leftRows, rightColumns;
    LlvmValue *leftStep, *rightStep, *depth;
  };
  LlvmValues multiply(const Operands &operands, LlvmValues sums);

private:
  LlvmValue *multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum);

  llvm::IRBuilderBase &b;
  RegisterOps &ops_;
  const bool fma_;
  const Elem elem_;
  const int lanes_;
};

} // namespace xt
