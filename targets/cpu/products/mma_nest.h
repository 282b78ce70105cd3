// The loop nest of one tile_mma around a microkernel whose accumulators are registers.
//
// The microkernel multiplies a few rows of `a` by a few registers of columns of `b`; a smaller one takes the last rows. The
// edges run the same code: rows and registers of columns past the last one repeat the last one. The accumulators of a repeated
// row or register get the same operands as those of the last one, so they hold the same sums, and their stores write the same
// bytes.
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

// The operand `b` of a tile_mma in the form that is multiplied, and the least magnitude of its bf16 (words.h). `least` is null
// for other types.
struct MmaRight {
  MmaMatrix matrix;
  LlvmValue *least;
};

class MmaNest {
public:
  // The nest computes sum += left * right, or sum = left * right if `fresh`. For words, `left` holds bf16, and each row of
  // `right` holds two rows of bf16.
  struct Operands {
    MmaMatrix left, right, sum;
    bool fresh;
    LlvmValue *rows = nullptr; // the number of rows that are computed; null: all
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
  // Whether the old sum is added after the products, because vpdpbf16ps treats a denormal accumulator as 0.
  bool addsBehind() const { return step_ == Microkernel::Step::DotBf16 && !fresh_; }
  // Whether sums have another type in memory (f16 or bf16) than the type that is multiplied in, in which they are computed.
  bool sumsConvert() const { return isFloat(elem_) && elem_ != sumElem_; }
  llvm::Align cellAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * elemInfo(sumElem_).storageBytes)); }
  RegisterTile tileOf(const CpuInfo &cpu) const;
  void emitPanel(LlvmValue *panel);
  LlvmValue *endOfWholeTiles();
  // The byte offsets of each register's first column, in a row of the sums and in a row of `b`.
  struct Columns {
    LlvmValues ofSum, ofRight;
  };
  // `repeats`: whether fewer than `rows` rows may be left, so that the last row is repeated.
  void emitTile(LlvmValue *firstRow, int rows, bool repeats, const Columns &columns);
  LlvmValue *startOf(LlvmValue *cell);
  LlvmValue *loadCell(LlvmValue *cell);

  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  const Argument argument_;
  const MmaMatrix left_, right_, sum_;
  const bool fresh_;
  LlvmValue *const rows_; // null: all
  const Microkernel::Step step_;
  const Elem elem_, sumElem_;
  const int64_t elemBytes_;
  const int lanes_;
  const int64_t columnVectors_;
  const RegisterTile tile_;
  Microkernel microkernel_;
};

} // namespace xt
