// The innermost loop of matrix products: accumulates a register tile of sums over K.
#pragma once
#include "targets/cpu/analysis/product_style.h"
#include "targets/cpu/vector/prefetch.h"
#include "targets/llvm/register_ops.h"

#include <functional>

namespace xt {

// Returns `first` plus `count` steps of `step` bytes, but at most `last` steps; null: no limit.
LlvmValue *stepsOn(llvm::IRBuilderBase &b, LlvmValue *first, LlvmValue *step, int64_t count, LlvmValue *last = nullptr);

class Microkernel {
public:
  enum class Step : uint8_t {
    Elements, // elements of `elem`, which are multiplied and summed
    DotBf16, // words of two bf16; the sums are f32
    PairsBf16, // words of two bf16 that are converted to f32 first
    DotShorts, // words of two 16-bit integers; the sums are i32
    DotBytes, // words of four bytes; if leftUnsigned, those of `a` are unsigned and those of `b` signed, else the reverse
  };
  // `elem` is the type of the sums, which are in registers of `lanes` lanes.
  Microkernel(llvm::IRBuilderBase &builder, RegisterOps &ops, const CpuInfo &cpu, Elem elem, int lanes)
      : b(builder), ops_(ops), fma_(cpu.fma), elem_(elem), lanes_(lanes) {}
  void setLeftUnsigned(bool leftUnsigned) { leftUnsigned_ = leftUnsigned; }

  // Adds to sums[r * vectors + v], where `vectors` is the size of `columns`, the product of row r of `a` and register v of the
  // columns of `b` over `depth` steps of K. Row r of `a` starts at left + r * leftRowStep, and its elements (or words) are
  // leftStep bytes apart. Register v of a row of `b` is at offset columns[v] from the start of the row. The first row starts at
  // `right`, and the rows are rightStep bytes apart.
  struct Operands {
    LlvmValue *left, *leftRowStep;
    int rows;
    LlvmValue *right;
    LlvmValues columns; // byte offsets
    LlvmValue *leftStep, *rightStep, *depth;
    bool packed = true; // the registers of `b` are aligned to their size
    bool deep = false; // depth is known to be 1 or more
    int64_t steps = 1; // steps of K per iteration of the loop
    // Whether to emit a remainder loop, because `depth` may not be a multiple of `steps`. False: remaining steps are skipped.
    bool leavesRest = false;
    LlvmValue *ahead = nullptr; // bytes from a row of `b` to the row that is prefetched while it is read; null: no prefetch
    // The address that the first iteration prefetches, and the bytes that each iteration adds to it. Null: no prefetch.
    LlvmValue *next = nullptr, *nextStep = nullptr;
    LlvmValue *copy = nullptr; // address to which rows of `b` are packed as they are read, without gaps; null: no copy
    LlvmValue *lastRow = nullptr; // index of the last row of `a`; rows past it repeat it. Null: all rows exist
    // Loads a register of `b` and converts it from elements of `rightBytes` bytes; null: `b` needs no conversion.
    std::function<LlvmValue *(LlvmValue *at)> load = nullptr;
    int64_t rightBytes = 0;
    // Loads an element of `a`, converts it and broadcasts it to all lanes; null: `a` needs no conversion.
    std::function<LlvmValue *(LlvmValue *at)> broadcast = nullptr;
    // Bytes from the start of a row of `a` to its last register. If set, the microkernel also computes the least magnitude in
    // the rows of `a` (leastWith of words.h), register by register while multiplying, and returns it after the sums. The words
    // of a row must be adjacent in memory, and `steps` must be 1. Null: it is not computed.
    LlvmValue *lastScanned = nullptr;
  };
  LlvmValues multiply(const Operands &operands, LlvmValues sums, Step step = Step::Elements);

  // Returns sum + the four products in each word of x (unsigned bytes) and y (signed bytes).
  LlvmValue *dotBytes(LlvmValue *sum, LlvmValue *x, LlvmValue *y);
  LlvmValue *dotShorts(LlvmValue *sum, LlvmValue *x, LlvmValue *y);
  LlvmValue *multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum); // x * y + sum
  LlvmValue *negativeZero() { return ops_.constant(elem_, -0.0, lanes_); } // for floats: adding it changes no sum, not even -0

private:
  // The steps of K in one iteration, and the byte distances to the next iteration's elements in a row of `a`, and in `b`.
  struct Moves {
    int64_t steps;
    LlvmValue *left, *right;
  };
  Moves movesOf(const Operands &operands, int64_t steps);
  using Turn = llvm::function_ref<LlvmValues(llvm::ArrayRef<LlvmValue *> carried)>;
  LlvmValues multiplyAndScan(const Operands &operands, LlvmValues carried, Turn turn);
  LlvmValues addTurn(const Operands &operands, const Moves &moves, llvm::ArrayRef<LlvmValue *> carried, Step how);
  int rowsOfPointer(const Operands &operands) const;
  LlvmValue *rowOf(const Operands &operands, llvm::ArrayRef<LlvmValue *> lefts, int row);
  void prefetchAhead(const Operands &operands, LlvmValue *right);
  LlvmValue *add(Step step, LlvmValue *x, LlvmValue *y, LlvmValue *sum);
  LlvmValue *half(LlvmValue *words, bool upper);

  llvm::IRBuilderBase &b;
  RegisterOps &ops_;
  const bool fma_;
  const Elem elem_;
  const int lanes_;
  bool leftUnsigned_ = false;
};

} // namespace xt
