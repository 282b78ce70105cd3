// The loop nest of one tile_mma around a microkernel whose accumulators are registers.
//
// The microkernel multiplies a few rows of a by a few registers of columns of b; a smaller one takes the last rows. The edges
// run the same code: rows and columns behind the last one repeat the last one. Repeated accumulators see the same operands, so
// they hold the same sums and their stores write the same bytes.
#pragma once
#include "targets/cpu/products/microkernel.h"
#include "targets/cpu/products/register_tile.h"

namespace xt {

// A matrix in memory whose rows are `pitch` bytes apart. In scratch memory, rows are aligned and padded to whole registers.
struct MmaMatrix {
  BufferShape shape;
  LlvmValue *address, *pitch;
  bool inScratch = true;
};

// The operand b of a tile_mma in the form that is multiplied, and the least magnitude of its bf16 (words.h); null: for other
// types.
struct MmaRight {
  MmaMatrix matrix;
  LlvmValue *least;
};

class MmaNest {
public:
  // sum (fresh: zero) += left * right. For words, left holds bf16 and each row of right holds two rows of bf16.
  struct Operands {
    MmaMatrix left, right, sum;
    bool fresh;
    Microkernel::Step step = Microkernel::Step::Elements;
  };
  using Argument = llvm::function_ref<LlvmValue *(int64_t)>; // KernelContext::argument
  MmaNest(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu, const Operands &operands, Argument argument);
  void emit();

private:
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  LlvmValue *upTo(LlvmValue *index, int64_t last) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index, argument_(last));
  }
  LlvmValue *rowOf(const MmaMatrix &matrix, LlvmValue *row) {
    return byteOffset(b, matrix.address, b.CreateMul(row, matrix.pitch));
  }
  // vpdpbf16ps treats a denormal accumulator as 0, so the old sum is added after the products.
  bool addsBehind() const { return step_ == Microkernel::Step::DotBf16 && !fresh_; }
  // Sums are computed in the type that is multiplied in; in memory they may be f16 or bf16.
  bool sumsConvert() const { return isFloat(elem_) && elem_ != sumElem_; }
  llvm::Align cellAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * elemInfo(sumElem_).storageBytes)); }
  RegisterTile tileOf(const CpuInfo &cpu) const;
  void emitPanel(LlvmValue *panel);
  // The byte offset of each register's first column.
  struct Columns {
    LlvmValues ofSum, ofRight;
  };
  // `repeats`: fewer than `rows` rows may be left.
  void emitTile(LlvmValue *firstRow, int rows, bool repeats, const Columns &columns);
  LlvmValue *startOf(LlvmValue *cell);
  LlvmValue *loadCell(LlvmValue *cell);

  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  const Argument argument_;
  const MmaMatrix left_, right_, sum_;
  const bool fresh_;
  const Microkernel::Step step_;
  const Elem elem_, sumElem_;
  const int64_t elemBytes_;
  const int lanes_;
  const int64_t columnVectors_;
  const RegisterTile tile_;
  Microkernel microkernel_;
};

} // namespace xt
