// tile_mma: a loop nest around one microkernel whose accumulators are registers.
//
// The microkernel takes `rows` rows of a and `vectors` registers of columns of b. At the edges it is the same code:
// rows and columns beyond the last repeat the last one. Repeated accumulators see the same operands, so they hold the
// same sums and their stores write the same bytes.
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/microkernel.h"
#include "targets/cpu/register_tile.h"

namespace xt {

namespace {

// A matrix in scratch memory.
struct Matrix {
  BufferShape shape;
  LlvmValue *address;
};

class MmaNest {
public:
  // sum (fresh: zero) += left * right
  MmaNest(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu, Matrix left, Matrix right, Matrix sum,
          bool fresh)
      : b(builder), ops_(ops), left_(left), right_(right), sum_(sum), fresh_(fresh),
        elem_(left.shape.elem), sumElem_(sum.shape.elem), elemBytes_(elemInfo(elem_).storageBytes),
        lanes_(cpu.lanes(static_cast<int>(elemBytes_))), columnVectors_((sum.shape.columns + lanes_ - 1) / lanes_),
        tile_(registerTile(cpu, elem_, sum.shape.rows, sum.shape.columns)), microkernel_(builder, ops, cpu, elem_, lanes_) {}

  void emit() {
    forLoop(b, number(0), number(columnVectors_), number(tile_.vectors), [&](LlvmValue *panel) { emitPanel(panel); });
  }

private:
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  LlvmValue *upTo(LlvmValue *index, int64_t last) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index, number(last));
  }
  LlvmValue *rowOf(const Matrix &matrix, LlvmValue *row) {
    return byteOffset(b, matrix.address, b.CreateMul(row, number(matrix.shape.pitch)));
  }
  // Sums are kept in the type that is multiplied in; in memory they may be f16 or bf16.
  bool sumsConvert() const { return isFloat(elem_) && elem_ != sumElem_; }
  llvm::Align cellAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * elemInfo(sumElem_).storageBytes)); }

  void emitPanel(LlvmValue *panel) {
    LlvmValues sumColumns, rightColumns; // where each register's columns start, bytes
    for (int v = 0; v < tile_.vectors; ++v) {
      LlvmValue *vector = upTo(b.CreateAdd(panel, number(v)), columnVectors_ - 1);
      sumColumns.push_back(b.CreateMul(vector, number(lanes_ * elemInfo(sumElem_).storageBytes)));
      rightColumns.push_back(b.CreateMul(vector, number(lanes_ * elemBytes_)));
    }
    forLoop(b, number(0), number(sum_.shape.rows), number(tile_.rows),
            [&](LlvmValue *block) { emitTile(block, sumColumns, rightColumns); });
  }

  void emitTile(LlvmValue *block, const LlvmValues &sumColumns, const LlvmValues &rightColumns) {
    LlvmValues leftRows, cells;
    for (int r = 0; r < tile_.rows; ++r) {
      LlvmValue *row = upTo(b.CreateAdd(block, number(r)), sum_.shape.rows - 1);
      leftRows.push_back(rowOf(left_, row));
      LlvmValue *sumRow = rowOf(sum_, row);
      for (LlvmValue *column : sumColumns) cells.push_back(byteOffset(b, sumRow, column));
    }
    LlvmValues sums;
    for (LlvmValue *cell : cells) sums.push_back(fresh_ ? ops_.zero(elem_, lanes_) : loadCell(cell));
    sums = microkernel_.multiply({leftRows, right_.address, rightColumns, number(elemBytes_), number(right_.shape.pitch), number(left_.shape.columns)},
                                 std::move(sums));
    for (size_t i = 0; i < cells.size(); ++i) {
      LlvmValue *value = sumsConvert() ? ops_.convertFloat(sums[i], elem_, sumElem_) : sums[i];
      b.CreateAlignedStore(value, cells[i], cellAlign());
    }
  }

  LlvmValue *loadCell(LlvmValue *cell) {
    LlvmValue *stored = b.CreateAlignedLoad(ops_.type(sumElem_, lanes_), cell, cellAlign());
    return sumsConvert() ? ops_.convertFloat(stored, sumElem_, elem_) : stored;
  }

  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  const Matrix left_, right_, sum_;
  const bool fresh_;
  const Elem elem_, sumElem_;
  const int64_t elemBytes_;
  const int lanes_;
  const int64_t columnVectors_;
  const RegisterTile tile_;
  Microkernel microkernel_;
};

} // namespace

void KernelEmitter::emitMma(const Op &op) {
  // Operands before the result: what they are computed from may share its buffer.
  for (size_t i = 0; i < 2; ++i) {
    const Buffer *staging = buffers_.stagingOf(&op, i);
    if (!staging) continue;
    FusedLoop loop(*this);
    loop.toBuffer(op.operand(i), *staging);
    loop.emit();
  }
  bool fresh = op.operandCount() < 3;
  if (!fresh) moveAll({op.operand(2)}, {op.result()});
  auto matrix = [&](const Buffer &buffer) { return Matrix{buffer.shape, bufferAddress(buffer)}; };
  auto operand = [&](size_t i) {
    const Buffer *staging = buffers_.stagingOf(&op, i);
    return matrix(staging ? *staging : *buffers_.bufferOf(op.operand(i)));
  };
  MmaNest(b, ops_, cpu_, operand(0), operand(1), matrix(*buffers_.bufferOf(op.result())), fresh).emit();
}

} // namespace xt
