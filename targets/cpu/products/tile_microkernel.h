// The innermost loop of matrix products in AMX's tiles: 32x32 sums from words of K (bf16 or bytes), or from words of sliced
// floats.
#pragma once
#include "targets/cpu/analysis/product_style.h"
#include "targets/llvm/loops.h"

namespace xt {

class TileMicrokernel {
public:
  enum class Type : uint8_t { Bf16, Bytes };
  TileMicrokernel(llvm::IRBuilderBase &builder, Type type, bool leftSigned, bool rightSigned)
      : b(builder), type_(type), leftSigned_(leftSigned), rightSigned_(rightSigned) {}

  static constexpr int64_t kDepth = 16; // words of K in a tile
  static constexpr int64_t kRows = kAmxSide, kRowBytes = kAmxRowBytes; // size of the sums: two tiles by two

  // begin() and end() enclose all products of a function. `config`: 64 bytes of memory.
  void begin(LlvmValue *config);
  void end();

  static constexpr int64_t kSpareBytes = 1024;
  // sums = the product over `depth` words of K, a multiple of kDepth. The steps are bytes from row to row.
  struct Operands {
    LlvmValue *left, *leftStep, *right, *rightStep, *sums, *sumStep, *depth;
    LlvmValue *spare = nullptr; // kSpareBytes that brake() may overwrite until sums are stored; null: brake() stores nothing
  };
  // Which operands are kept in the L1 cache. `Right`: only `b`; `a` is loaded by tileloaddt1, which leaves it in the L2 cache
  // (Intel's manual).
  enum class Keep : uint8_t { All, Right };
  // `rows`: kRows or half of kRows. `meanwhile` is emitted into the loop, which has one iteration per kDepth words.
  void multiply(
      const Operands &operands, int64_t rows = kRows, Keep keep = Keep::All,
      llvm::function_ref<void(LlvmValue *turn)> meanwhile = [](LlvmValue *) {});

  // Like multiply(), for floats that are sums of bf16 (float_slices.h). For each kDepth words of K, both operands hold the
  // kDepth words of the first slice, then those of the second one, and so on. The products of the first slices are added last.
  using Meanwhile = llvm::function_ref<void(LlvmValue *turn)>;
  void multiplySlices(const Operands &operands, int slices, int64_t rows = kRows, Meanwhile meanwhile = [](LlvmValue *) {});

  // Rows of kRowBytes of sums in memory, aligned to a register and `step` bytes apart.
  struct Sums {
    LlvmValue *first, *step;
  };
  // Computes to = x + y, row by row; `to` may be x or y, and need not be aligned. `type`: the type of a register.
  void add(const Sums &to, const Sums &x, const Sums &y, LlvmValue *rows, llvm::FixedVectorType *type);

private:
  using Product = std::pair<int, int>; // the indices of a slice of `a` and of a slice of `b`
  void multiplySlicesOf(const Operands &operands, int slices, llvm::ArrayRef<Product> products, int64_t rows,
                        Meanwhile meanwhile);
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
