// tile_mma: its operands, read in place or staged in scratch memory, and the nest around its microkernel.
//
// For bf16, if the processor multiplies pairs, pairs of rows of b are interleaved first (words.h).
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/mma_nest.h"
#include "targets/cpu/tile_microkernel.h"
#include "targets/cpu/words.h"

namespace xt {

namespace {

// Helpers for products of bf16 pairs: interleaving the rows of b, and finding the least magnitude.
class Pairs {
public:
  using Argument = llvm::function_ref<LlvmValue *(int64_t)>; // KernelEmitter::argument
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

MmaMatrix KernelEmitter::matrixOf(const Buffer &buffer) { return {buffer.shape, bufferAddress(buffer), pitchOf(buffer)}; }

// An operand that is only loaded for this op and needs no conversion is read in place if the whole tile is in bounds.
MmaMatrix KernelEmitter::mmaOperand(const Op &op, size_t i) {
  const Buffer *staging = buffers_.stagingOf(&op, i);
  Value *value = op.operand(i);
  if (!staging) return matrixOf(*buffers_.bufferOf(value));
  auto stage = [&] {
    FusedLoop loop(*this);
    loop.toBuffer(value, *staging);
    loop.emit();
    MmaMatrix matrix = matrixOf(*staging);
    return LlvmValues{matrix.address, matrix.pitch};
  };
  const BufferShape &shape = staging->shape;
  int64_t rowBytes = shape.columns * elemInfo(shape.elem).storageBytes;
  bool whole = value->type().elem() == shape.elem && fillsRegisters(cpu_, value->type());
  const Op *load = value->definingOp();
  std::optional<TileAccess> access;
  if (whole && load && isPlainLoad(*load)) access = accessTile(load->operand(0), nullptr);
  if (!access || !access->unitStride) {
    LlvmValues staged = stage();
    return {shape, staged[0], staged[1]};
  }
  if (!cpu_.tuning.foreseesRows) access->ahead = bytesAhead(load->operand(0), *access);
  LlvmValue *inside = isInside(*access, shape.rows, shape.columns);
  LlvmValues place = ifElse(
      b, inside,
      [&] {
        if (access->ahead) prefetchAhead(*access, shape.rows, rowBytes);
        return LlvmValues{access->origin, access->rowStride};
      },
      stage);
  return {shape, place[0], place[1], false};
}

void KernelEmitter::prefetchAhead(const TileAccess &access, int64_t rows, int64_t rowBytes) {
  forLoop(b, number(0), argument(rows), number(1), [&](LlvmValue *row) {
    LlvmValue *line = byteOffset(b, byteOffset(b, access.origin, b.CreateMul(row, access.rowStride)), access.ahead);
    forLoop(b, number(0), argument(rowBytes), number(kCacheLine), [&](LlvmValue *at) { askFor(byteOffset(b, line, at)); });
  });
}

const Buffer *KernelEmitter::preparedBuffer(const Op &mma) {
  if (multipliesPairs(cpu_, mma)) return buffers_.stagingOf(&mma, kMmaWords);
  const Buffer *staging = buffers_.stagingOf(&mma, 1);
  return staging ? staging : buffers_.bufferOf(mma.operand(1));
}

MmaRight KernelEmitter::prepareRight(const Op &mma) {
  MmaMatrix right = mmaOperand(mma, 1);
  if (!multipliesPairs(cpu_, mma)) return {right, nullptr};
  auto argumentOf = [this](int64_t value) { return argument(value); };
  Pairs pairs(b, ops_, cpu_, argumentOf);
  MmaMatrix words = matrixOf(*preparedBuffer(mma));
  pairs.putTogether(right, words);
  return {words, pairs.leastOf(words)};
}

// Multiplies in AMX tiles. AMX treats denormal sums as 0, so the products are computed into cells and added to the accumulator
// afterwards. AMX sums products that are all -0 to +0, so an accumulator of -0 becomes +0.
void KernelEmitter::multiplyInTiles(const Op &op, const MmaMatrix &left, const MmaMatrix &right, const MmaMatrix &sum) {
  const bool fresh = op.operandCount() < 3;
  const MmaMatrix cells = fresh ? sum : matrixOf(*buffers_.stagingOf(&op, kMmaCells));
  LlvmValue *depth = argument(right.shape.rows);
  TileMicrokernel tiles(b, TileMicrokernel::Type::Bf16, true, true);
  tiles.begin(ops_.stackSlot(0));
  forLoop(b, number(0), argument(sum.shape.columns), number(kAmxSide), [&](LlvmValue *column) {
    LlvmValue *columnByte = b.CreateMul(column, number(elemInfo(Elem::F32).storageBytes));
    forLoop(b, number(0), argument(sum.shape.rows), number(kAmxSide), [&](LlvmValue *row) {
      LlvmValue *place = byteOffset(b, byteOffset(b, sum.address, b.CreateMul(row, sum.pitch)), columnByte);
      LlvmValue *to = fresh ? place : cells.address;
      tiles.multiply({byteOffset(b, left.address, b.CreateMul(row, left.pitch)), left.pitch,
                      byteOffset(b, right.address, columnByte), right.pitch, to, cells.pitch, depth});
      if (fresh) return;
      auto *type = llvm::cast<llvm::FixedVectorType>(ops_.type(Elem::F32, cpu_.lanes(elemInfo(Elem::F32).storageBytes)));
      tiles.add({place, sum.pitch}, {place, sum.pitch}, {to, cells.pitch}, number(kAmxSide), type);
    });
  });
  tiles.end();
}

// The operands are prepared before the result is written, because values they are computed from may share its buffer.
void KernelEmitter::emitMma(const Op &op) {
  MmaMatrix left = mmaOperand(op, 0);
  MmaRight right = shared_.ofMma.contains(&op) ? sharedRight(op) : prepareRight(op);
  bool fresh = op.operandCount() < 3, pairs = multipliesPairs(cpu_, op);
  auto argumentOf = [this](int64_t value) { return argument(value); };
  LlvmValue *ofLeft = pairs ? Pairs(b, ops_, cpu_, argumentOf).leastOf(left) : nullptr;
  if (!fresh) moveAll({op.operand(2)}, {op.result()});
  MmaNest::Operands operands{left, right.matrix, matrixOf(*buffers_.bufferOf(op.result())), fresh};
  auto by = [&](Microkernel::Step step) {
    return [&, step] {
      operands.step = step;
      MmaNest(b, ops_, cpu_, operands, argumentOf).emit();
    };
  };
  if (!pairs)
    by(Microkernel::Step::Elements)();
  else
    ifThen(
        b, areNormal(b, ofLeft, right.least),
        [&] {
          if (multipliesInTiles(cpu_, op))
            multiplyInTiles(op, left, right.matrix, operands.sum);
          else
            by(Microkernel::Step::DotBf16)();
        },
        by(Microkernel::Step::PairsBf16));
}

} // namespace xt
