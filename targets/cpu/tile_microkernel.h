// The innermost loop of matrix products in AMX's tiles: 32x32 sums from words (bf16 or bytes) of K.
#pragma once
#include "targets/llvm/loops.h"

namespace xt {

class TileMicrokernel {
public:
  enum class Type : uint8_t { Bf16, Bytes };
  TileMicrokernel(llvm::IRBuilderBase &builder, Type type, bool leftSigned, bool rightSigned)
      : b(builder), type_(type), leftSigned_(leftSigned), rightSigned_(rightSigned) {}

  static constexpr int64_t kDepth = 16;                     // words of K in a tile
  static constexpr int64_t kRows = 32, kRowBytes = 128;      // of the sums: two tiles down and two across

  // Around all products of a function. `config`: 64 bytes of memory.
  void begin(LlvmValue *config);
  void end();

  // sums = the product over `depth` words of K, a multiple of kDepth. Rows of a are leftStep bytes apart, those of the sums
  // sumStep, and those of b kRowBytes: half of each would take half of the first cache's sets only.
  struct Operands {
    LlvmValue *left, *leftStep, *right, *sums, *sumStep, *depth;
  };
  // `meanwhile` is emitted into the loop, which has a turn for each kDepth of `depth`.
  void multiply(const Operands &operands, llvm::function_ref<void(LlvmValue *turn)> meanwhile);

private:
  void multiplyAdd(int sum, int left, int right);

  llvm::IRBuilderBase &b;
  const Type type_;
  const bool leftSigned_, rightSigned_;
};

} // namespace xt
