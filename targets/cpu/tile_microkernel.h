// The innermost loop of matrix products in AMX's tiles: 32x64 sums from words (bf16 or bytes) of K.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

class TileMicrokernel {
public:
  enum class Type : uint8_t { Bf16, Bytes };
  TileMicrokernel(llvm::IRBuilderBase &builder, Type type, bool leftSigned, bool rightSigned)
      : b(builder), type_(type), leftSigned_(leftSigned), rightSigned_(rightSigned) {}

  static constexpr int64_t kDepth = 16; // words of K in a tile

  // Around all products of a function. `config`: 64 bytes of memory.
  void begin(LlvmValue *config);
  void end();

  // cells = the product over `depth` words of K, a multiple of kDepth. Rows of a are leftStep bytes apart, those of b and
  // of the cells 256.
  struct Operands {
    LlvmValue *left, *leftStep, *right, *cells, *depth;
  };
  void multiply(const Operands &operands);

private:
  void multiplyHalf(const Operands &operands, LlvmValue *columnByte);
  void multiplyAdd(int sum, int left, int right);

  llvm::IRBuilderBase &b;
  const Type type_;
  const bool leftSigned_, rightSigned_;
};

} // namespace xt
