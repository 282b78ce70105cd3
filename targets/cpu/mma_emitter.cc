// tile_mma: a loop nest around one microkernel whose accumulators are registers.
//
// The microkernel takes `rows` rows of a and `vectors` registers of columns of b. At the edges it is the same code:
// rows and columns beyond the last repeat the last one. Repeated accumulators see the same operands, so they hold the
// same sums and their stores write the same bytes.
#include "ir/base/check.h"
#include "targets/cpu/fused_loop.h"

#include <algorithm>

namespace xt {

namespace {

struct RegisterTile {
  int rows, vectors;
};

// Accumulators, one row of b and one broadcast element of a fill the register file (16 without FMA hold products too).
// At least `widest` registers of columns take the widest tile, so that the code is one for all large tiles.
RegisterTile registerTile(const CpuInfo &cpu, int64_t rows, int64_t columnVectors) {
  int widest = cpu.vectorRegisters == 32 ? 4 : 2;
  int vectors = static_cast<int>(std::min<int64_t>(widest, columnVectors));
  int accumulators = cpu.vectorRegisters == 32 ? 24 : cpu.fma ? 12 : 8;
  int most = std::min(accumulators / vectors, 12);
  return {static_cast<int>(std::min<int64_t>(most, rows)), vectors};
}

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
  const Buffer &result = *buffers_.bufferOf(op.result());
  if (op.operandCount() > 2) {
    emitMoves({{op.operand(2), op.result()}});
  }
  auto operand = [&](size_t i) -> const Buffer & {
    const Buffer *staging = buffers_.stagingOf(&op, i);
    return staging ? *staging : *buffers_.bufferOf(op.operand(i));
  };
  emitMicrokernels(op, operand(0), operand(1), result);
}

void KernelEmitter::emitMicrokernels(const Op &op, const Buffer &left, const Buffer &right, const Buffer &sum) {
  Elem elem = left.shape.elem, sumElem = sum.shape.elem;
  bool isFloat = xt::isFloat(elem), fresh = op.operandCount() < 3;
  int64_t elemBytes = elemInfo(elem).storageBytes, sumBytes = elemInfo(sumElem).storageBytes;
  int lanes = cpu_.lanes(static_cast<int>(elemBytes));
  int64_t rows = sum.shape.rows, depth = left.shape.columns;
  int64_t columnVectors = (sum.shape.columns + lanes - 1) / lanes;
  RegisterTile tile = registerTile(cpu_, rows, columnVectors);
  llvm::Type *type = ops_.type(elem, lanes), *one = ops_.type(elem, 0);
  llvm::Align align(static_cast<uint64_t>(cpu_.vectorBytes));
  LlvmValue *a0 = bufferAddress(left), *b0 = bufferAddress(right), *c0 = bufferAddress(sum);
  auto clamped = [&](LlvmValue *index, int64_t last) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, index, number(last));
  };

  forLoop(b, number(0), number(columnVectors), number(tile.vectors), [&](LlvmValue *panel) {
    LlvmValues columns, bColumns; // first column of each register
    for (int v = 0; v < tile.vectors; ++v) {
      LlvmValue *vector = clamped(b.CreateAdd(panel, number(v)), columnVectors - 1);
      columns.push_back(b.CreateMul(vector, number(lanes * sumBytes)));
      bColumns.push_back(byteOffset(b, b0, b.CreateMul(vector, number(lanes * elemBytes))));
    }
    forLoop(b, number(0), number(rows), number(tile.rows), [&](LlvmValue *block) {
      LlvmValues aRows, cells, sums;
      for (int r = 0; r < tile.rows; ++r) {
        LlvmValue *row = clamped(b.CreateAdd(block, number(r)), rows - 1);
        aRows.push_back(byteOffset(b, a0, b.CreateMul(row, number(left.shape.pitch))));
        LlvmValue *cRow = byteOffset(b, c0, b.CreateMul(row, number(sum.shape.pitch)));
        for (LlvmValue *column : columns) cells.push_back(byteOffset(b, cRow, column));
      }
      llvm::Align cellAlign(static_cast<uint64_t>(lanes * sumBytes));
      for (LlvmValue *cell : cells) {
        if (fresh) {
          sums.push_back(llvm::Constant::getNullValue(type));
          continue;
        }
        LlvmValue *stored = b.CreateAlignedLoad(ops_.type(sumElem, lanes), cell, cellAlign);
        sums.push_back(sumElem == elem || !isFloat ? stored : ops_.convertFloat(stored, sumElem, elem));
      }
      // One round per element of K; the offset into b's rows runs beside.
      Parts carried = sums;
      carried.push_back(number(0));
      carried = forLoop(b, number(0), number(depth * elemBytes), number(elemBytes), carried,
                        [&](LlvmValue *aOffset, llvm::ArrayRef<LlvmValue *> in) {
                          LlvmValues out, bRow;
                          LlvmValue *bOffset = in.back();
                          for (LlvmValue *column : bColumns)
                            bRow.push_back(b.CreateAlignedLoad(type, byteOffset(b, column, bOffset), align));
                          for (size_t r = 0; r < aRows.size(); ++r) {
                            LlvmValue *element = b.CreateAlignedLoad(one, byteOffset(b, aRows[r], aOffset),
                                                                     llvm::Align(static_cast<uint64_t>(elemBytes)));
                            LlvmValue *broadcast = ops_.splat(element, lanes);
                            for (size_t v = 0; v < bRow.size(); ++v)
                              out.push_back(multiplyAdd(broadcast, bRow[v], in[r * bRow.size() + v]));
                          }
                          out.push_back(b.CreateAdd(bOffset, number(right.shape.pitch)));
                          return out;
                        });
      for (size_t i = 0; i < cells.size(); ++i) {
        LlvmValue *value = sumElem == elem || !isFloat ? carried[i] : ops_.convertFloat(carried[i], elem, sumElem);
        b.CreateAlignedStore(value, cells[i], cellAlign);
      }
    });
  });
}

LlvmValue *KernelEmitter::multiplyAdd(LlvmValue *x, LlvmValue *y, LlvmValue *sum) {
  if (!x->getType()->isFPOrFPVectorTy()) return b.CreateAdd(sum, b.CreateMul(x, y));
  // Without the instruction an fma would be a library call.
  return cpu_.fma ? b.CreateFMA(x, y, sum) : b.CreateFAdd(sum, b.CreateFMul(x, y));
}

} // namespace xt
