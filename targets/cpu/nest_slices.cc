// Nests of floats that AMX multiplies as sums of bf16 (float_slices.h). Rows of a and panels of b hold 16 words of the first
// slice of 32 elements of K, then those of the second slice of the same elements, and so on.
//
// Elements are read from memory, and words are multiplied: a step of K is a word of each slice, made of two elements.
#include "targets/cpu/float_slices.h"
#include "targets/cpu/nest_emitter.h"

namespace xt {

namespace {

constexpr int64_t kWords = TileMicrokernel::kDepth, kHalfBytes = 2; // consecutive words of a slice; bytes of a bf16

} // namespace

// The index of the word in packed memory that holds a step's first slice.
LlvmValue *NestEmitter::packedWord(LlvmValue *step) {
  if (!inSlices()) return step;
  LlvmValue *in = b.CreateAnd(step, number(kWords - 1));
  return b.CreateAdd(b.CreateMul(b.CreateSub(step, in), number(slices_)), in);
}

void NestEmitter::forgetKey() { b.CreateAlignedStore(keyOfNone(b, lanes_), keyAddress_, vectorAlign()); }

void NestEmitter::addToKey(const LlvmValues &floats) {
  LlvmValue *key = b.CreateAlignedLoad(keyOfNone(b, lanes_)->getType(), keyAddress_, vectorAlign());
  for (LlvmValue *each : floats) key = keyWith(b, key, each);
  b.CreateAlignedStore(key, keyAddress_, vectorAlign());
}

LlvmValue *NestEmitter::knownKey() {
  return leastKey(b, b.CreateAlignedLoad(keyOfNone(b, lanes_)->getType(), keyAddress_, vectorAlign()));
}

// Slices and stores elements of a row of a, from element `k` of the block on.
void NestEmitter::stageSlices(LlvmValue *line, LlvmValue *k, LlvmValue *floats) {
  addToKey({floats});
  LlvmValue *in = b.CreateAnd(k, number(elements_ * kWords - 1)), *before = b.CreateMul(b.CreateSub(k, in), number(slices_));
  LlvmValue *address = byteOffset(b, line, b.CreateMul(b.CreateAdd(before, in), number(kHalfBytes)));
  for (LlvmValue *slice : floatSlices(b, floats, slices_)) {
    b.CreateAlignedStore(upperHalves(b, slice), address, llvm::Align(static_cast<uint64_t>(kHalfBytes * lanes_)));
    address = byteOffset(b, address, number(kWords * bytes_));
  }
}

// Packs a register of words of two rows of K into panels of b. `line`: the line of the step's first slice.
void NestEmitter::packSlices(const Packed &to, LlvmValue *line, LlvmValue *n, LlvmValue *even, LlvmValue *odd) {
  LlvmValues ofEven = floatSlices(b, even, slices_), ofOdd = floatSlices(b, odd, slices_);
  for (size_t i = 0; i < ofEven.size(); ++i) {
    b.CreateAlignedStore(wordsOfSlices(b, ofEven[i], ofOdd[i]), packedAt(to, line, n), vectorAlign());
    line = byteOffset(b, line, number(kWords * panelPitch()));
  }
}

// Packs a step of panels of b: the words of two rows.
void NestEmitter::packPairs(LlvmValue *step, LlvmValue *column, LlvmValue *line, const Packed &to, const Inside &inside) {
  std::vector<KernelEmitter::RowAccess> rows = rowsOf(right_.access, step, inside.bits != nullptr);
  auto pack = [&](LlvmValue *n) {
    auto floats = [&](size_t i) { return multiplied(right_.access.elem, panelChunk(rows[i], column, n, inside.bits, lanes_)); };
    LlvmValues pair{floats(0), floats(1)};
    packSlices(to, line, n, pair[0], pair[1]);
    return pair;
  };
  forLoop(b, number(0), columnsOf(to), number(lanes_), [&](LlvmValue *n) { addToKey(pack(n)); });
}

// Packs squares of floats; two lines of a square make a line of words. Returns the key.
LlvmValue *NestEmitter::packTurnedSlices(const Block &block, LlvmValue *column, const Packed &to) {
  LlvmValue *each = number(elements_), *first = b.CreateMul(block.first, each), *depth = b.CreateMul(block.depth, each);
  stageTurned(false, column, columnsOf(to), first, depth, [&](const LlvmValues &lines, LlvmValue *k, LlvmValue *n) {
    addToKey(lines);
    LlvmValue *line = packedLine(to, b.CreateUDiv(k, each));
    for (size_t i = 0; i < lines.size(); i += 2, line = byteOffset(b, line, number(panelPitch())))
      packSlices(to, line, n, lines[i], lines[i + 1]);
  });
  return knownKey();
}

LlvmValue *NestEmitter::areNormal(const Block &block, const Panel &panel) {
  return inSlices() ? haveSlices(b, block.least, panel.least) : xt::areNormal(b, block.least, panel.least);
}

// Rebuilds the floats of words at `address`, whose other slices are `sliceStep` bytes apart: those of even and of odd elements.
std::pair<LlvmValue *, LlvmValue *> NestEmitter::floatsAt(LlvmValue *address, int64_t sliceStep) {
  llvm::Type *type = e_.ops_.type(Elem::I32, lanes_);
  auto asFloats = [&](LlvmValue *bits) { return b.CreateBitCast(bits, e_.ops_.type(Elem::F32, lanes_)); };
  LlvmValues even, odd;
  for (int i = 0; i < slices_; ++i) {
    LlvmValue *words = b.CreateAlignedLoad(type, byteOffset(b, address, number(i * sliceStep)), vectorAlign());
    even.push_back(asFloats(b.CreateShl(words, 16)));
    odd.push_back(asFloats(b.CreateAnd(words, llvm::ConstantInt::get(type, 0xFFFF0000))));
  }
  return {floatOfSlices(b, even), floatOfSlices(b, odd)};
}

// Rebuilds the floats of `rows` rows of a, and stores them kUnslicedBytes apart.
void NestEmitter::unsliceRows(LlvmValue *first, LlvmValue *rows, LlvmValue *depth, LlvmValue *to) {
  llvm::SmallVector<int, 32> inTurn;
  for (int i = 0; i < lanes_; ++i) inTurn.append({i, lanes_ + i});
  forLoop(b, number(0), rows, number(1), [&](LlvmValue *row) {
    LlvmValue *from = byteOffset(b, first, b.CreateMul(row, leftRowStep_));
    LlvmValue *floats = byteOffset(b, to, b.CreateMul(row, number(kUnslicedBytes)));
    forLoop(b, number(0), depth, number(kWords), [&](LlvmValue *step) {
      auto [even, odd] = floatsAt(byteOffset(b, from, b.CreateMul(step, number(stepBytes()))), kWords * bytes_);
      LlvmValue *address = byteOffset(b, floats, b.CreateMul(step, number(elements_ * bytes_)));
      b.CreateAlignedStore(b.CreateShuffleVector(even, odd, inTurn), address, vectorAlign());
    });
  });
}

// Rebuilds the floats of a packed panel, row by row.
void NestEmitter::unslicePanel(LlvmValue *first, LlvmValue *depth, LlvmValue *to) {
  forLoop(b, number(0), depth, number(1), [&](LlvmValue *step) {
    LlvmValue *from = byteOffset(b, first, b.CreateMul(packedWord(step), number(panelPitch())));
    LlvmValue *row = byteOffset(b, to, b.CreateMul(step, number(elements_ * panelPitch())));
    for (int v = 0; v < tile_.vectors; ++v) {
      LlvmValue *column = number(v * lanes_ * bytes_), *even = byteOffset(b, row, column);
      auto floats = floatsAt(byteOffset(b, from, column), kWords * panelPitch());
      b.CreateAlignedStore(floats.first, even, vectorAlign());
      b.CreateAlignedStore(floats.second, byteOffset(b, even, number(panelPitch())), vectorAlign());
    }
  });
}

// Multiplies, as floats, operands that have no slices or whose products AMX would flush to 0. The sums start at `start`. The
// floats of both operands are rebuilt for each tile, in memory behind the packed panels.
void NestEmitter::multiplyUnsliced(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start) {
  constexpr int64_t kRows = 8,
                    kPanels = kMostPanels * (kSlicedBytes / 4) * kAmxRowBytes + kNestPanelBytes; // with the facts about them
  constexpr int64_t kLeft = TileMicrokernel::kRows * kUnslicedBytes, kRight = kUnslicedBytes / 4 * kAmxRowBytes;
  static_assert(TileMicrokernel::kRows % kRows == 0 && kPanels + kLeft + kRight <= kNestDepthBytes / 4 * kNestPanelBytes);
  LlvmValue *floats = byteOffset(b, addressOf(kNestPanel), number(kPanels)), *right = byteOffset(b, floats, number(kLeft));
  unsliceRows(operands.left, rows, operands.depth, floats);
  unslicePanel(operands.right, operands.depth, right);
  LlvmValue *depth = b.CreateMul(operands.depth, number(elements_));
  LlvmValues columns;
  for (int v = 0; v < tile_.vectors; ++v) columns.push_back(number(v * lanes_ * bytes_));
  forLoop(b, number(0), rows, number(kRows), [&](LlvmValue *row) {
    LlvmValues sums(static_cast<size_t>(kRows) * columns.size(), start);
    LlvmValue *left = byteOffset(b, floats, b.CreateMul(row, number(kUnslicedBytes)));
    LlvmValue *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    Microkernel::Operands some{left,           number(kUnslicedBytes), kRows, right, columns,
                               number(bytes_), number(panelPitch()),   depth};
    sums = microkernel_.multiply(some, sums);
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < columns.size(); ++v)
        b.CreateAlignedStore(sums[r * columns.size() + v], byteOffset(b, to, columns[v]), llvm::Align(1));
  });
}

} // namespace xt
