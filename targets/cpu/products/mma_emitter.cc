#include "targets/cpu/products/mma_emitter.h"

#include "ir/elem_kinds.h"
#include "targets/cpu/products/tile_microkernel.h"
#include "targets/cpu/products/words.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

namespace {

// Helpers for products of bf16 pairs: interleaving the rows of `b`, and finding the least magnitude.
class Pairs {
public:
  using Argument = llvm::function_ref<LlvmValue *(int64_t)>; // KernelContext::argument
  Pairs(llvm::IRBuilder<> &builder, RegisterOps &ops, const CpuInfo &cpu, Argument argument)
      : b(builder), ops_(ops), cpu_(cpu), argument_(argument), lanes_(cpu.lanes(elemInfo(mmaElem(Elem::BF16)).storageBytes)) {}

  LlvmValue *leastOf(const MmaMatrix &matrix) {
    int64_t bytes = matrix.shape.columns * elemInfo(matrix.shape.elem).storageBytes, beyond = bytes % cpu_.vectorBytes;
    int64_t inRegisters = bytes - beyond + (beyond ? cpu_.vectorBytes : 0);
    LlvmValue *rows = argument_(matrix.shape.rows), *bytesOfRow = argument_(inRegisters);
    return leastMagnitude(b, {matrix.address, rows, matrix.pitch, bytesOfRow, beyond / elemInfo(Elem::BF16).storageBytes},
                          lanes_);
  }

  void putTogether(const MmaMatrix &from, const MmaMatrix &words) {
    int64_t bytes = elemInfo(from.shape.elem).storageBytes;
    llvm::Align align(from.inScratch ? static_cast<uint64_t>(lanes_ * bytes) : 1),
        wordAlign(static_cast<uint64_t>(cpu_.vectorBytes));
    llvm::Type *type = ops_.storageType(from.shape.elem, lanes_);
    forLoop(b, number(0), argument_(words.shape.rows), number(1), [&](LlvmValue *row) {
      LlvmValue *first = byteOffset(b, from.address, b.CreateMul(row, b.CreateMul(from.pitch, number(2))));
      LlvmValue *second = byteOffset(b, first, from.pitch), *to = byteOffset(b, words.address, b.CreateMul(row, words.pitch));
      forLoop(b, number(0), argument_(words.shape.columns), number(lanes_), [&](LlvmValue *column) {
        LlvmValue *at = b.CreateMul(column, number(bytes));
        LlvmValues chunks{b.CreateAlignedLoad(type, byteOffset(b, first, at), align),
                          b.CreateAlignedLoad(type, byteOffset(b, second, at), align)};
        LlvmValue *pairs = sideBySide(b, ops_, from.shape.elem, chunks, words.shape.elem, lanes_);
        b.CreateAlignedStore(pairs, byteOffset(b, to, b.CreateMul(column, number(elemInfo(words.shape.elem).storageBytes))),
                             wordAlign);
      });
    });
  }

private:
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  const CpuInfo &cpu_;
  const Argument argument_;
  const int lanes_; // words per register
};

} // namespace

// Returns an operand as a matrix in memory. An operand that is loaded only for this op and needs no conversion is read in place
// if the whole tile is in bounds; other operands are in a buffer.
MmaMatrix MmaEmitter::operandOf(const Op &op, size_t i) {
  const Buffer *staging = e_.context.buffers.stagingOf(&op, i);
  Value *value = op.operand(i);
  if (!staging) return matrixOf(*e_.context.buffers.bufferOf(value));
  auto stage = [&] {
    FusedLoop loop(e_);
    loop.toBuffer(value, *staging);
    loop.emit();
    MmaMatrix matrix = matrixOf(*staging);
    return LlvmValues{matrix.address, matrix.pitch};
  };
  const BufferShape &shape = staging->shape;
  int64_t rowBytes = shape.columns * elemInfo(shape.elem).storageBytes;
  bool whole = value->type().elem() == shape.elem && fillsRegisters(e_.context.cpu, value->type());
  const Op *load = value->definingOp();
  std::optional<TileAccess> access;
  if (whole && load && isPlainLoad(*load)) access = e_.tiles.accessTile(load->operand(0), nullptr);
  if (!access || !access->unitStride) {
    LlvmValues staged = stage();
    return {shape, staged[0], staged[1]};
  }
  if (!e_.context.cpu.tuning.hardwarePrefetchesRows) access->ahead = e_.loads.bytesAhead(load->operand(0), *access);
  LlvmValue *needed = e_.tiles.neededRows(value);
  LlvmValue *inside = e_.tiles.isInside(*access, needed ? needed : e_.context.argument(shape.rows), shape.columns);
  LlvmValues place = ifElse(
      b, inside,
      [&] {
        if (access->ahead) prefetchAhead(*access, shape.rows, rowBytes);
        return LlvmValues{access->origin, access->rowStride};
      },
      stage);
  return {shape, place[0], place[1], false};
}

void MmaEmitter::prefetchAhead(const TileAccess &access, int64_t rows, int64_t rowBytes) {
  forLoop(b, number(0), e_.context.argument(rows), number(1), [&](LlvmValue *row) {
    LlvmValue *line = byteOffset(b, byteOffset(b, access.origin, b.CreateMul(row, access.rowStride)), access.ahead);
    forLoop(b, number(0), e_.context.argument(rowBytes), number(kCacheLine),
            [&](LlvmValue *at) { e_.tiles.prefetchLine(byteOffset(b, line, at)); });
  });
}

const Buffer *MmaEmitter::preparedBuffer(const Op &mma) {
  if (multipliesPairs(e_.context.cpu, mma)) return e_.context.buffers.stagingOf(&mma, kMmaWords);
  const Buffer *staging = e_.context.buffers.stagingOf(&mma, 1);
  return staging ? staging : e_.context.buffers.bufferOf(mma.operand(1));
}

MmaRight MmaEmitter::prepareRight(const Op &mma) {
  MmaMatrix right = operandOf(mma, 1);
  if (!multipliesPairs(e_.context.cpu, mma)) return {right, nullptr};
  auto argumentOf = [this](int64_t value) { return e_.context.argument(value); };
  Pairs pairs(b, e_.context.ops, e_.context.cpu, argumentOf);
  MmaMatrix words = matrixOf(*preparedBuffer(mma));
  pairs.putTogether(right, words);
  return {words, pairs.leastOf(words)};
}

// Multiplies in AMX tiles. AMX treats denormal sums as 0, so the products are stored to a buffer (kMmaCells) and added to the
// accumulator afterwards. AMX computes the sum of products that are all -0 as +0, so an accumulator of -0 becomes +0.
void MmaEmitter::multiplyInTiles(const Op &op, const MmaMatrix &left, const MmaMatrix &right, const MmaMatrix &sum) {
  const bool fresh = op.operandCount() < 3;
  const MmaMatrix cells = fresh ? sum : matrixOf(*e_.context.buffers.stagingOf(&op, kMmaCells));
  LlvmValue *depth = e_.context.argument(right.shape.rows);
  TileMicrokernel tiles(b, TileMicrokernel::Type::Bf16, true, true);
  tiles.begin(e_.context.ops.stackSlot(0));
  forLoop(b, number(0), e_.context.argument(sum.shape.columns), number(kAmxSide), [&](LlvmValue *column) {
    LlvmValue *columnByte = b.CreateMul(column, number(elemInfo(Elem::F32).storageBytes));
    forLoop(b, number(0), e_.context.argument(sum.shape.rows), number(kAmxSide), [&](LlvmValue *row) {
      LlvmValue *place = byteOffset(b, byteOffset(b, sum.address, b.CreateMul(row, sum.pitch)), columnByte);
      LlvmValue *to = fresh ? place : cells.address;
      tiles.multiply({byteOffset(b, left.address, b.CreateMul(row, left.pitch)), left.pitch,
                      byteOffset(b, right.address, columnByte), right.pitch, to, cells.pitch, depth});
      if (fresh) return;
      auto *type = llvm::cast<llvm::FixedVectorType>(
          e_.context.ops.type(Elem::F32, e_.context.cpu.lanes(elemInfo(Elem::F32).storageBytes)));
      tiles.add({place, sum.pitch}, {place, sum.pitch}, {to, cells.pitch}, number(kAmxSide), type);
    });
  });
  tiles.end();
}

// The operands are prepared before the result is written, because the values from which they are computed may share its buffer.
void MmaEmitter::emit(const Op &op) {
  MmaMatrix left = operandOf(op, 0);
  MmaRight right = e_.context.shared.ofMma.contains(&op) ? sharedRight(op) : prepareRight(op);
  bool fresh = op.operandCount() < 3, pairs = multipliesPairs(e_.context.cpu, op);
  auto argumentOf = [this](int64_t value) { return e_.context.argument(value); };
  LlvmValue *ofLeft = pairs ? Pairs(b, e_.context.ops, e_.context.cpu, argumentOf).leastOf(left) : nullptr;
  if (!fresh) e_.flow.moveAll({op.operand(2)}, {op.result()});
  MmaNest::Operands operands{left, right.matrix, matrixOf(*e_.context.buffers.bufferOf(op.result())), fresh};
  if (!pairs) operands.rows = e_.tiles.neededRows(op.result());
  auto by = [&](Microkernel::Step step) {
    return [&, step] {
      operands.step = step;
      MmaNest(b, e_.context.ops, e_.context.cpu, operands, argumentOf).emit();
    };
  };
  if (!pairs)
    by(Microkernel::Step::Elements)();
  else
    ifThen(
        b, areNormal(b, ofLeft, right.least),
        [&] {
          if (multipliesInTiles(e_.context.cpu, op))
            multiplyInTiles(op, left, right.matrix, operands.sum);
          else
            by(Microkernel::Step::DotBf16)();
        },
        by(Microkernel::Step::PairsBf16));
}

// Like prepareRight, but only the first workgroup that needs this block prepares it.
MmaRight MmaEmitter::sharedRight(const Op &mma) {
  const SharedOperands::Operand &operand = e_.context.shared.ofMma.at(&mma);
  const Op &load = *operand.load;
  LlvmValue *shares = b.CreateICmpSGT(panels_.alikeWorkgroups(operand.gridDims), number(1));
  panels_.shareBy(operand.gridDims, mma.result()->type());
  for (const Value *stored : e_.context.shared.stored)
    shares = b.CreateAnd(shares, e_.overlaps.areParametersApart(operand.read, stored));
  const Buffer &own = *preparedBuffer(mma);
  LlvmValue *bytes = e_.context.argument(own.shape.bytes()),
            *size = b.CreateAdd(bytes, number(kCacheLine)); // the least magnitude follows the matrix
  SharedPanel panel = panels_.take(shares, b.getFalse(), e_.context.parts.at(load.operand(0)), size);
  LlvmValue *behind = byteOffset(b, panel.address, bytes);
  llvm::Align word(8);
  LlvmValues placed = ifElse(
      b, panel.mustFill,
      [&] {
        if (!isPlainLoad(load)) e_.transposer.emitTransposedLoad(load);
        MmaRight prepared = prepareRight(mma);
        LlvmValue *least = prepared.least ? prepared.least : number(0);
        LlvmValues shared = ifElse(
            b, panel.found,
            [&] {
              b.CreateMemCpy(panel.address, llvm::Align(kCacheLine), prepared.matrix.address, llvm::Align(kCacheLine), bytes);
              b.CreateAlignedStore(least, behind, word);
              panels_.isReady(panel);
              return LlvmValues{panel.address};
            },
            [&] { return LlvmValues{prepared.matrix.address}; });
        return LlvmValues{shared[0], least};
      },
      [&] { return LlvmValues{panel.address, b.CreateAlignedLoad(b.getInt64Ty(), behind, word)}; });
  return {{own.shape, placed[0], e_.context.pitchOf(own)}, placed[1]};
}

} // namespace xt
