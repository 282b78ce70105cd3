// tile_mma: a loop nest around one microkernel whose accumulators are registers.
//
// The microkernel takes `rows` rows of a and `vectors` registers of columns of b. At the edges it is the same code:
// rows and columns beyond the last repeat the last one. Repeated accumulators see the same operands, so they hold the
// same sums and their stores write the same bytes.
//
// Of bf16, where the processor multiplies pairs of them, rows of b are put side by side first (words.h).
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/microkernel.h"
#include "targets/cpu/register_tile.h"
#include "targets/cpu/words.h"

namespace xt {

namespace {

// A matrix in scratch memory.
struct Matrix {
  BufferShape shape;
  LlvmValue *address;
};

class MmaNest {
public:
  // sum (fresh: zero) += left * right. Of words, left has bf16 and right a row for two of them.
  struct Operands {
    Matrix left, right, sum;
    bool fresh;
    Microkernel::Step step = Microkernel::Step::Elements;
  };
  MmaNest(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu, const Operands &operands)
      : b(builder), ops_(ops), left_(operands.left), right_(operands.right), sum_(operands.sum), fresh_(operands.fresh),
        step_(operands.step), elem_(right_.shape.elem), sumElem_(sum_.shape.elem), elemBytes_(elemInfo(elem_).storageBytes),
        lanes_(cpu.lanes(static_cast<int>(elemBytes_))), columnVectors_((sum_.shape.columns + lanes_ - 1) / lanes_),
        tile_(tileOf(cpu)), microkernel_(builder, ops, cpu, elem_, lanes_) {}

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
  // Words that are converted need registers for that.
  RegisterTile tileOf(const CpuInfo &cpu) const {
    RegisterTile tile = registerTile(cpu, elem_, sum_.shape.rows, sum_.shape.columns);
    return step_ == Microkernel::Step::PairsBf16 ? lastRowsTile(tile) : tile;
  }
  // What else is in an accumulator of vpdpbf16ps has to be normal too.
  bool addsBehind() const { return step_ == Microkernel::Step::DotBf16 && !fresh_; }
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
    LlvmValue *negativeZero = isFloat(elem_) ? ops_.constant(elem_, -0.0, lanes_) : nullptr; // changes no sum, not even -0
    for (LlvmValue *cell : cells) sums.push_back(fresh_ ? ops_.zero(elem_, lanes_) : addsBehind() ? negativeZero : loadCell(cell));
    sums = microkernel_.multiply({leftRows, right_.address, rightColumns, number(elemBytes_), number(right_.shape.pitch), number(right_.shape.rows)},
                                 std::move(sums), step_);
    if (addsBehind())
      for (size_t i = 0; i < cells.size(); ++i) sums[i] = b.CreateFAdd(loadCell(cells[i]), sums[i]);
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
  const Microkernel::Step step_;
  const Elem elem_, sumElem_;
  const int64_t elemBytes_;
  const int lanes_;
  const int64_t columnVectors_;
  const RegisterTile tile_;
  Microkernel microkernel_;
};

// A product of bf16.
class PairedProduct {
public:
  PairedProduct(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu)
      : b(builder), ops_(ops), cpu_(cpu), lanes_(cpu.lanes(4)) {}

  void emit(MmaNest::Operands operands, const Matrix &words) {
    LlvmValue *ofLeft = leastOf(operands.left);
    pair(operands.right, words);
    LlvmValue *ofRight = leastOf(words);
    operands.right = words;
    auto by = [&](Microkernel::Step step) {
      return [&, step] {
        operands.step = step;
        MmaNest(b, ops_, cpu_, operands).emit();
        return LlvmValues();
      };
    };
    ifElse(b, areNormal(b, ofLeft, ofRight), by(Microkernel::Step::DotBf16), by(Microkernel::Step::PairsBf16));
  }

private:
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

  LlvmValue *leastOf(const Matrix &matrix) {
    int64_t bytes = matrix.shape.columns * elemInfo(matrix.shape.elem).storageBytes, whole = (bytes + cpu_.vectorBytes - 1) / cpu_.vectorBytes * cpu_.vectorBytes;
    int64_t tail = bytes == whole ? 0 : (bytes - whole + cpu_.vectorBytes) / 2; // of bf16
    return leastMagnitude(b, {matrix.address, number(matrix.shape.rows), number(matrix.shape.pitch), number(whole), tail}, lanes_);
  }

  void pair(const Matrix &from, const Matrix &words) {
    int64_t bytes = elemInfo(from.shape.elem).storageBytes;
    llvm::Align align(static_cast<uint64_t>(lanes_ * bytes)), wordAlign(static_cast<uint64_t>(cpu_.vectorBytes));
    llvm::Type *type = ops_.storageType(from.shape.elem, lanes_);
    forLoop(b, number(0), number(words.shape.rows), number(1), [&](LlvmValue *row) {
      LlvmValue *first = byteOffset(b, from.address, b.CreateMul(row, number(2 * from.shape.pitch)));
      LlvmValue *second = byteOffset(b, first, number(from.shape.pitch)), *to = byteOffset(b, words.address, b.CreateMul(row, number(words.shape.pitch)));
      forLoop(b, number(0), number(words.shape.columns), number(lanes_), [&](LlvmValue *column) {
        LlvmValue *at = b.CreateMul(column, number(bytes));
        LlvmValues chunks{b.CreateAlignedLoad(type, byteOffset(b, first, at), align), b.CreateAlignedLoad(type, byteOffset(b, second, at), align)};
        LlvmValue *pairs = sideBySide(b, ops_, from.shape.elem, chunks, words.shape.elem, lanes_);
        b.CreateAlignedStore(pairs, byteOffset(b, to, b.CreateMul(column, number(4))), wordAlign);
      });
    });
  }

  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  const CpuInfo &cpu_;
  const int lanes_;
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
  MmaNest::Operands operands{operand(0), operand(1), matrix(*buffers_.bufferOf(op.result())), fresh};
  if (!multipliesPairs(cpu_, op)) return MmaNest(b, ops_, cpu_, operands).emit();
  PairedProduct(b, ops_, cpu_).emit(operands, matrix(*buffers_.stagingOf(&op, kMmaWords)));
}

} // namespace xt
