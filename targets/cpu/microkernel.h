// The innermost loop of matrix products: a tile of sums in registers, over K.
#pragma once
#include "targets/cpu/prefetch.h"
#include "targets/cpu/product_style.h"
#include "targets/llvm/register_ops.h"

#include <functional>

namespace xt {

// Of K, where elements are multiplied, but for tiles that copy, narrow ones, and those of twice as many steps (nestTile). Two, and
// nothing asked for but a line of the next panel: f32 of 6 rows by 512x64 in the second cache is multiplied at 187 G operations/s, at
// 180 with b's rows asked for ahead, one step or two, and at 177 by one step without (Intel Xeon with AMX). There 24 products take 12
// cycles, with 6 loads beside them too, 12.8 to 13.3 with the 10 of 6x64, in several orders (`tests/bench/cpu/loads.cc`), and 14 where
// b comes from the second cache: about 91 and 86% of what registers reach. Four steps, b loaded a step ahead, loops at multiples of 64
// bytes, 8x48, 9x48 and 12x32, which load more, take as long, within 2%.
inline constexpr int64_t kStepsEachTurn = 2;

// `first` and so many steps of bytes, but no more than `last`; null: all that many.
LlvmValue *stepsOn(llvm::IRBuilderBase &b, LlvmValue *first, LlvmValue *step, int64_t count, LlvmValue *last = nullptr);

class Microkernel {
public:
  enum class Step : uint8_t {
    Elements,  // of `elem`, which is multiplied and summed
    DotBf16,   // words of two bf16; sums of f32
    PairsBf16, // the same, converted
    DotShorts, // words of two numbers of 16 bits; sums of i32
    DotBytes,  // words of four bytes, those of `leftUnsigned` of a without a sign, of b with one, or else the other way round
  };
  // `elem` is that of the sums, in registers of `lanes`.
  Microkernel(llvm::IRBuilderBase &builder, RegisterOps &ops, const CpuInfo &cpu, Elem elem, int lanes)
      : b(builder), ops_(ops), fma_(cpu.fma), elem_(elem), lanes_(lanes) {}
  void setLeftUnsigned(bool leftUnsigned) { leftUnsigned_ = leftUnsigned; }

  // sums[r * columns + v] += the product over `depth` steps of K. Row r of a starts at left + r * leftRowStep, and its next
  // element (or word) is leftStep bytes on; register v of b's columns starts at columns[v] of `right`, and the next row is
  // rightStep on.
  struct Operands {
    LlvmValue *left, *leftRowStep;
    int rows;
    LlvmValue *right;
    LlvmValues columns; // bytes
    LlvmValue *leftStep, *rightStep, *depth;
    bool packed = true;         // b's registers lie at multiples of their size
    bool deep = false;          // depth is 1 or more
    int64_t steps = 1;          // of a turn of the loop
    bool leavesRest = false;    // depth may be no multiple of steps, which costs code; false: those that fill no turn are left out
    LlvmValue *ahead = nullptr; // bytes from a row of b to the one that is asked for before it is read; null: none is
    LlvmValue *next = nullptr, *nextStep = nullptr; // each turn asks for one line of what is read later, nextStep bytes on; null: for none
    LlvmValue *copy = nullptr;                      // rows of b are copied here as they are read, one behind the other; null: they are not
    LlvmValue *lastRow = nullptr;                   // of a: those behind it are beyond the end and repeat it; null: all are there
    // Gives a register of b that is converted, from where it lies, by elements of `rightBytes`; null: b needs no conversion.
    std::function<LlvmValue *(LlvmValue *at)> load = nullptr;
    int64_t rightBytes = 0;
    // Gives an element of a that is converted in all lanes, from where it lies; null: a needs no conversion.
    std::function<LlvmValue *(LlvmValue *at)> broadcast = nullptr;
    // Bytes from the start of a row of a to its last register. Rows, of words that are neighbours, are looked through by registers for
    // their least magnitude (leastWith of words.h) beside the products, by turns of one step; it is given behind the sums. Null: they
    // are not.
    LlvmValue *lastLooked = nullptr;
  };
  LlvmValues multiply(const Operands &operands, LlvmValues sums, Step step = Step::Elements);

  // sum + the four products in each word of x (without signs) and y (with them).
  LlvmValue *dotBytes(LlvmValue *sum, LlvmValue *x, LlvmValue *y);
  LlvmValue *dotShorts(LlvmValue *sum, LlvmValue *x, LlvmValue *y);
  LlvmValue *multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum); // x * y + sum
  LlvmValue *negativeZero() { return ops_.constant(elem_, -0.0, lanes_); } // of floats: changes no sum, not even -0

private:
  struct Moves { // of a turn: steps of K, and bytes to the next turn's in a row of a, and in b
    int64_t steps;
    LlvmValue *left, *right;
  };
  Moves movesOf(const Operands &operands, int64_t steps);
  using Turn = llvm::function_ref<LlvmValues(llvm::ArrayRef<LlvmValue *> carried)>;
  LlvmValues multiplyAndLook(const Operands &operands, LlvmValues carried, Turn turn);
  LlvmValues addTurn(const Operands &operands, const Moves &moves, llvm::ArrayRef<LlvmValue *> carried, Step how);
  int rowsOfPointer(const Operands &operands) const;
  LlvmValue *rowOf(const Operands &operands, llvm::ArrayRef<LlvmValue *> lefts, int row);
  void askAhead(const Operands &operands, LlvmValue *right);
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
