// Nests of floats that AMX multiplies as sums of bf16 (float_slices.h). Rows of a, and panels of b, have 16 words of the first slice
// of 32 elements of K, those of the second slice of the same, and so on.
//
// What is read of memory are elements, and what is multiplied are words: a step of K is a word.
#include "targets/cpu/float_slices.h"
#include "targets/cpu/nest_emitter.h"

namespace xt {

namespace {

constexpr int64_t kWords = TileMicrokernel::kDepth, kHalfBytes = 2; // of a slice

} // namespace

// So many words from one slice of a word to the next one of it.
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

// Elements of a row of a from `k` of the block on.
void NestEmitter::stageSlices(LlvmValue *line, LlvmValue *k, LlvmValue *floats) {
  addToKey({floats});
  LlvmValue *in = b.CreateAnd(k, number(2 * kWords - 1)), *bytes = b.CreateAdd(b.CreateMul(b.CreateSub(k, in), number(kHalfBytes * slices_)), b.CreateMul(in, number(kHalfBytes)));
  LlvmValue *address = byteOffset(b, line, bytes);
  for (LlvmValue *slice : floatSlices(b, floats, slices_)) {
    b.CreateAlignedStore(upperHalves(b, slice), address, llvm::Align(static_cast<uint64_t>(kHalfBytes * lanes_)));
    address = byteOffset(b, address, number(kWords * bytes_));
  }
}

// Of panels of b that are packed: a register of the words of two rows of K. `line`: that of the step's first slice.
void NestEmitter::packSlices(const Packed &to, LlvmValue *line, LlvmValue *n, LlvmValue *even, LlvmValue *odd) {
  LlvmValues ofEven = floatSlices(b, even, slices_), ofOdd = floatSlices(b, odd, slices_);
  for (size_t i = 0; i < ofEven.size(); ++i) {
    b.CreateAlignedStore(wordsOfSlices(b, ofEven[i], ofOdd[i]), packedAt(to, line, n), vectorAlign());
    line = byteOffset(b, line, number(kWords * panelPitch()));
  }
}

// A step of panels of b: the words of two rows.
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

LlvmValue *NestEmitter::areNormal(const Block &block, const Panel &panel) {
  return inSlices() ? haveSlices(b, block.least, panel.least) : xt::areNormal(b, block.least, panel.least);
}

// The floats of words that lie at `address` and, of other slices, `sliceStep` bytes behind: the even ones and the odd ones. `load`: a
// register of words.
std::pair<LlvmValue *, LlvmValue *> NestEmitter::floatsAt(LlvmValue *address, int64_t sliceStep, llvm::function_ref<LlvmValue *(LlvmValue *)> load) {
  LlvmValues even, odd;
  for (int i = 0; i < slices_; ++i) {
    LlvmValue *words = load(byteOffset(b, address, number(i * sliceStep)));
    auto asFloats = [&](LlvmValue *bits) { return b.CreateBitCast(bits, e_.ops_.type(Elem::F32, lanes_)); };
    even.push_back(asFloats(b.CreateShl(words, 16)));
    odd.push_back(asFloats(b.CreateAnd(words, llvm::ConstantInt::get(words->getType(), 0xFFFF0000))));
  }
  return {floatOfSlices(b, even), floatOfSlices(b, odd)};
}

// Of a row of a the elements `k` and the next one of the block, each in all lanes.
std::pair<LlvmValue *, LlvmValue *> NestEmitter::factorsAt(LlvmValue *left, LlvmValue *step) {
  LlvmValue *address = byteOffset(b, left, b.CreateMul(packedWord(step), number(bytes_)));
  return floatsAt(address, kWords * bytes_, [&](LlvmValue *at) { return e_.ops_.splat(b.CreateAlignedLoad(b.getInt32Ty(), at, llvm::Align(4)), lanes_); });
}

// The floats of few rows of a again, as a sweep reads them: in the cells, which it has no other use for.
void NestEmitter::unsliceRows(const Block &block) {
  static_assert(kSweptBytes * kMostSwept <= kNestCellRows * kNestPanelBytes && kSweptBytes >= kSlicedBytes);
  forLoop(b, number(0), rows_, number(1), [&](LlvmValue *row) {
    LlvmValue *from = byteOffset(b, block.left, b.CreateMul(row, leftRowStep_)), *to = byteOffset(b, addressOf(kNestCells), b.CreateMul(row, number(kSweptBytes)));
    forLoop(b, number(0), block.depth, number(kWords), [&](LlvmValue *step) {
      LlvmValue *address = byteOffset(b, from, b.CreateMul(step, number(stepBytes())));
      auto [even, odd] = floatsAt(address, kWords * bytes_, [&](LlvmValue *at) { return b.CreateAlignedLoad(e_.ops_.type(Elem::I32, lanes_), at, vectorAlign()); });
      llvm::SmallVector<int, 32> order;
      for (int i = 0; i < lanes_; ++i) order.append({i, lanes_ + i});
      b.CreateAlignedStore(b.CreateShuffleVector(even, odd, order), byteOffset(b, to, b.CreateMul(step, number(elements_ * bytes_))), vectorAlign());
    });
  });
}

// What has no slices, or products that would be taken as 0, a few rows at a time.
void NestEmitter::multiplyUnsliced(const TileMicrokernel::Operands &operands, LlvmValue *rows) {
  constexpr int kRows = 4;
  static_assert(TileMicrokernel::kRows % kRows == 0);
  llvm::Type *type = e_.ops_.type(elem_, lanes_), *words = e_.ops_.type(Elem::I32, lanes_);
  const auto vectors = static_cast<size_t>(tile_.vectors);
  forLoop(b, number(0), rows, number(kRows), [&](LlvmValue *row) {
    LlvmValue *left = byteOffset(b, operands.left, b.CreateMul(row, leftRowStep_)), *to = byteOffset(b, operands.sums, b.CreateMul(row, operands.sumStep));
    LlvmValues start(kRows * vectors, llvm::Constant::getNullValue(type));
    LlvmValues sums = forLoop(b, number(0), operands.depth, number(1), start, [&](LlvmValue *step, llvm::ArrayRef<LlvmValue *> carried) {
      LlvmValue *line = byteOffset(b, operands.right, b.CreateMul(packedWord(step), operands.rightStep));
      std::vector<std::pair<LlvmValue *, LlvmValue *>> right;
      for (size_t v = 0; v < vectors; ++v)
        right.push_back(floatsAt(byteOffset(b, line, number(static_cast<int64_t>(v) * lanes_ * bytes_)), kWords * panelPitch(), [&](LlvmValue *at) { return b.CreateAlignedLoad(words, at, vectorAlign()); }));
      LlvmValues next;
      for (size_t r = 0; r < kRows; ++r) {
        auto [even, odd] = factorsAt(byteOffset(b, left, b.CreateMul(number(static_cast<int64_t>(r)), leftRowStep_)), step);
        for (size_t v = 0; v < vectors; ++v) {
          LlvmValue *sum = microkernel_.multiplyAdd(even, right[v].first, carried[r * vectors + v]);
          next.push_back(microkernel_.multiplyAdd(odd, right[v].second, sum));
        }
      }
      return next;
    });
    for (size_t r = 0; r < kRows; ++r, to = byteOffset(b, to, operands.sumStep))
      for (size_t v = 0; v < vectors; ++v)
        b.CreateAlignedStore(sums[r * vectors + v], byteOffset(b, to, number(static_cast<int64_t>(v) * lanes_ * bytes_)), llvm::Align(1));
  });
}

} // namespace xt
