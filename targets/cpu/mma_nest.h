// The loop nest of one tile_mma around a microkernel whose accumulators are registers.
//
// The microkernel takes some rows of a and some registers of columns of b; a smaller one takes the last rows. At the edges it
// is the same code: rows and columns beyond the last repeat the last one. Repeated accumulators see the same operands, so they
// hold the same sums and their stores write the same bytes.
#pragma once
#include "targets/cpu/microkernel.h"
#include "targets/cpu/register_tile.h"

namespace xt {

// Rows of a matrix in memory, `pitch` bytes apart. In scratch memory they are aligned, and end with whole registers.
struct MmaMatrix {
  BufferShape shape;
  LlvmValue *address, *pitch;
  bool inScratch = true;
};

// b of a tile_mma as it is multiplied, and the least magnitude of bf16 in it (words.h); null: of other types.
struct MmaRight {
  MmaMatrix matrix;
  LlvmValue *least;
};

class MmaNest {
public:
  // sum (fresh: zero) += left * right. Of words, left has bf16 and right a row for two of them.
  struct Operands {
    MmaMatrix left, right, sum;
    bool fresh;
    Microkernel::Step step = Microkernel::Step::Elements;
  };
  using Argument = llvm::function_ref<LlvmValue *(int64_t)>; // KernelEmitter::argument
  MmaNest(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu, const Operands &operands, Argument argument);
  void emit();

private:
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  LlvmValue *upTo(LlvmValue *index, int64_t last) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index, argument_(last)); }
  LlvmValue *rowOf(const MmaMatrix &matrix, LlvmValue *row) { return byteOffset(b, matrix.address, b.CreateMul(row, matrix.pitch)); }
  // What else is in an accumulator of vpdpbf16ps has to be normal too.
  bool addsBehind() const { return step_ == Microkernel::Step::DotBf16 && !fresh_; }
  // Sums are kept in the type that is multiplied in; in memory they may be f16 or bf16.
  bool sumsConvert() const { return isFloat(elem_) && elem_ != sumElem_; }
  llvm::Align cellAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * elemInfo(sumElem_).storageBytes)); }
  RegisterTile tileOf(const CpuInfo &cpu) const;
  void emitPanel(LlvmValue *panel);
  // Where each register's columns start, bytes.
  struct Columns {
    LlvmValues ofSum, ofRight;
  };
  // `repeats`: there may be fewer rows left.
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
