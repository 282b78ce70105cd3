// The innermost loop of matrix products in AMX's tiles: 32x32 sums from words (bf16 or bytes) of K, or from those of slices of floats.
#pragma once
#include "targets/cpu/product_style.h"
#include "targets/llvm/loops.h"

namespace xt {

class TileMicrokernel {
public:
  enum class Type : uint8_t { Bf16, Bytes };
  TileMicrokernel(llvm::IRBuilderBase &builder, Type type, bool leftSigned, bool rightSigned)
      : b(builder), type_(type), leftSigned_(leftSigned), rightSigned_(rightSigned) {}

  static constexpr int64_t kDepth = 16; // words of K in a tile
  static constexpr int64_t kRows = kAmxSide, kRowBytes = kAmxRowBytes; // of the sums: two tiles down and two across

  // Around all products of a function. `config`: 64 bytes of memory.
  void begin(LlvmValue *config);
  void end();

  static constexpr int64_t kSpareBytes = 1024;
  // sums = the product over `depth` words of K, a multiple of kDepth. Steps: bytes from row to row.
  struct Operands {
    LlvmValue *left, *leftStep, *right, *rightStep, *sums, *sumStep, *depth;
    LlvmValue *spare = nullptr; // kSpareBytes of memory, for nothing: a tile is stored there now and then (brake); null: none is
  };
  // What is to stay in the first cache. `Right`: b; a is loaded by tileloaddt1, which leaves it in the next one (Intel's manual).
  enum class Keep : uint8_t { All, Right };
  // `rows`: kRows or half of them. `meanwhile` is emitted into the loop, which has a turn for each kDepth of `depth`.
  void multiply(const Operands &operands, int64_t rows = kRows, Keep keep = Keep::All,
                llvm::function_ref<void(LlvmValue *turn)> meanwhile = [](LlvmValue *) {});

  // The same of floats that are sums of bf16 (float_slices.h): of each kDepth words of K, those of the first slice of kDepth words of
  // both, then of the second ones. The products of first slices come last.
  using Meanwhile = llvm::function_ref<void(LlvmValue *turn)>;
  void multiplySlices(const Operands &operands, int slices, int64_t rows = kRows, Meanwhile meanwhile = [](LlvmValue *) {});

  // Rows in memory of kRowBytes of sums, at multiples of a register, `step` bytes apart.
  struct Sums {
    LlvmValue *first, *step;
  };
  // to = x + y, row by row; `to` may be either, or lie anywhere. `type`: a register.
  void add(const Sums &to, const Sums &x, const Sums &y, LlvmValue *rows, llvm::FixedVectorType *type);

private:
  using Product = std::pair<int, int>; // of these slices of a and b
  void multiplySlicesOf(const Operands &operands, int slices, llvm::ArrayRef<Product> products, int64_t rows, Meanwhile meanwhile);
  void clearSums(int64_t rows);
  void brake(const Operands &operands);
  void storeSums(const Operands &operands, int64_t rows);
  LlvmValue *tile(int number) { return b.getInt8(static_cast<uint8_t>(number)); }
  void multiplyAdd(int sum, int left, int right);

  llvm::IRBuilderBase &b;
  const Type type_;
  const bool leftSigned_, rightSigned_;
};

} // namespace xt
