#include "targets/cpu/products/nest_slices.h"

#include "ir/elem_kinds.h"
#include "targets/cpu/products/float_slices.h"

namespace xt {

namespace {

constexpr int64_t kWords = TileMicrokernel::kDepth, kHalfBytes = 2; // consecutive words of a slice; bytes of a bf16

} // namespace

void NestSlices::forgetKey() { b.CreateAlignedStore(keyOfNone(b, p.lanes()), keyAddress(), n.vectorAlign()); }

void NestSlices::addToKey(const LlvmValues &floats) {
  LlvmValue *key = b.CreateAlignedLoad(keyOfNone(b, p.lanes())->getType(), keyAddress(), n.vectorAlign());
  for (LlvmValue *each : floats) key = keyWith(b, key, each);
  b.CreateAlignedStore(key, keyAddress(), n.vectorAlign());
}

LlvmValue *NestSlices::knownKey() {
  return leastKey(b, b.CreateAlignedLoad(keyOfNone(b, p.lanes())->getType(), keyAddress(), n.vectorAlign()));
}

// Slices and stores elements of a row of `a`, from element `k` of the block on.
void NestSlices::stageSlices(LlvmValue *line, LlvmValue *k, LlvmValue *floats) {
  addToKey({floats});
  LlvmValue *in = b.CreateAnd(k, n.number(p.elements() * kWords - 1)),
            *before = b.CreateMul(b.CreateSub(k, in), n.number(p.slices()));
  LlvmValue *address = byteOffset(b, line, b.CreateMul(b.CreateAdd(before, in), n.number(kHalfBytes)));
  for (LlvmValue *slice : floatSlices(b, floats, p.slices())) {
    b.CreateAlignedStore(upperHalves(b, slice), address, llvm::Align(static_cast<uint64_t>(kHalfBytes * p.lanes())));
    address = byteOffset(b, address, n.number(kWords * p.bytes()));
  }
}

// Rebuilds the floats of a register of words. The words of the first slice are at `address`, those of the other slices
// `sliceStep` bytes apart. Returns the floats of even and of odd elements.
std::pair<LlvmValue *, LlvmValue *> NestSlices::floatsAt(LlvmValue *address, int64_t sliceStep) {
  llvm::Type *type = e_.context.ops.type(Elem::I32, p.lanes());
  auto asFloats = [&](LlvmValue *bits) { return b.CreateBitCast(bits, e_.context.ops.type(Elem::F32, p.lanes())); };
  LlvmValues even, odd;
  for (int i = 0; i < p.slices(); ++i) {
    LlvmValue *words = b.CreateAlignedLoad(type, byteOffset(b, address, n.number(i * sliceStep)), n.vectorAlign());
    even.push_back(asFloats(b.CreateShl(words, 16)));
    odd.push_back(asFloats(b.CreateAnd(words, llvm::ConstantInt::get(type, 0xFFFF0000))));
  }
  return {floatOfSlices(b, even), floatOfSlices(b, odd)};
}

// Rebuilds the floats of `rows` rows of `a`, and stores them kUnslicedBytes apart.
void NestSlices::unsliceRows(LlvmValue *first, LlvmValue *rows, LlvmValue *depth, LlvmValue *to) {
  llvm::SmallVector<int, 32> inTurn;
  for (int i = 0; i < p.lanes(); ++i) inTurn.append({i, p.lanes() + i});
  forLoop(b, n.number(0), rows, n.number(1), [&](LlvmValue *row) {
    LlvmValue *from = byteOffset(b, first, b.CreateMul(row, n.leftRowStep));
    LlvmValue *floats = byteOffset(b, to, b.CreateMul(row, n.number(kUnslicedBytes)));
    forLoop(b, n.number(0), depth, n.number(kWords), [&](LlvmValue *step) {
      auto [even, odd] = floatsAt(byteOffset(b, from, b.CreateMul(step, n.number(p.stepBytes()))), kWords * p.bytes());
      LlvmValue *address = byteOffset(b, floats, b.CreateMul(step, n.number(p.elements() * p.bytes())));
      b.CreateAlignedStore(b.CreateShuffleVector(even, odd, inTurn), address, n.vectorAlign());
    });
  });
}

// Rebuilds the floats of a packed panel, row by row.
void NestSlices::unslicePanel(LlvmValue *first, LlvmValue *depth, LlvmValue *to) {
  forLoop(b, n.number(0), depth, n.number(1), [&](LlvmValue *step) {
    LlvmValue *from = byteOffset(b, first, b.CreateMul(n.packedWord(step), n.number(p.panelPitch())));
    LlvmValue *row = byteOffset(b, to, b.CreateMul(step, n.number(p.elements() * p.panelPitch())));
    for (int v = 0; v < p.tile.vectors; ++v) {
      LlvmValue *column = n.number(v * p.lanes() * p.bytes()), *even = byteOffset(b, row, column);
      auto floats = floatsAt(byteOffset(b, from, column), kWords * p.panelPitch());
      b.CreateAlignedStore(floats.first, even, n.vectorAlign());
      b.CreateAlignedStore(floats.second, byteOffset(b, even, n.number(p.panelPitch())), n.vectorAlign());
    }
  });
}

// Multiplies operands as floats, if they have no slices or if AMX would flush their products to 0. The sums start at `start`.
// The floats of both operands are rebuilt for each tile, in memory after the packed panels.
void NestSlices::multiplyUnsliced(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start) {
  // `kPanels`: the bytes of the packed panels and of the facts about them.
  constexpr int64_t kRows = 8, kPanels = kMostPanels * (kSlicedBytes / 4) * kAmxRowBytes + kNestPanelBytes;
  constexpr int64_t kLeft = TileMicrokernel::kRows * kUnslicedBytes, kRight = kUnslicedBytes / 4 * kAmxRowBytes;
  static_assert(TileMicrokernel::kRows % kRows == 0 && kPanels + kLeft + kRight <= kNestDepthBytes / 4 * kNestPanelBytes);
  LlvmValue *floats = byteOffset(b, n.addressOf(kNestPanel), n.number(kPanels)),
            *right = byteOffset(b, floats, n.number(kLeft));
  unsliceRows(operands.left, rows, operands.depth, floats);
  unslicePanel(operands.right, operands.depth, right);
  LlvmValue *depth = b.CreateMul(operands.depth, n.number(p.elements()));
  LlvmValues columns;
  for (int v = 0; v < p.tile.vectors; ++v) columns.push_back(n.number(v * p.lanes() * p.bytes()));
  forLoop(b, n.number(0), rows, n.number(kRows), [&](LlvmValue *row) {
    LlvmValues sums(static_cast<size_t>(kRows) * columns.size(), start);
    LlvmValue *left = byteOffset(b, floats, b.CreateMul(row, n.number(kUnslicedBytes)));
    LlvmValue *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    Microkernel::Operands some{
        left, n.number(kUnslicedBytes), kRows, right, columns, n.number(p.bytes()), n.number(p.panelPitch()), depth};
    sums = n.microkernel.multiply(some, sums);
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < columns.size(); ++v)
        b.CreateAlignedStore(sums[r * columns.size() + v], byteOffset(b, to, columns[v]), llvm::Align(1));
  });
}

} // namespace xt
