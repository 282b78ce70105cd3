// Packs panels of words: two bf16, four bytes, two bytes as 16-bit integers, or slices of floats.
#include "targets/cpu/products/float_slices.h"
#include "targets/cpu/products/panel_packer.h"
#include "targets/cpu/products/words.h"

namespace xt {

namespace {

constexpr int64_t kWords = TileMicrokernel::kDepth; // consecutive words of a slice

} // namespace

// The number of registers of a row of panels whose words are built at once; 0: one at a time, in a loop.
int64_t PanelPacker::wordsTogether(const InsideColumns &inside) const {
  const int64_t registers = inside.columns / p.lanes(), together = registers % p.elements() == 0 ? p.elements() : 2;
  return inside.bits && registers % together == 0 ? together : 0;
}

// Packs a row of panels of `b`, several registers at once if the rows are in bounds. `known` and the result are the least
// magnitude, or the column sums, one register each; if single registers are packed, the column sums are in memory instead.
LlvmValues PanelPacker::packWords(LlvmValue *step, LlvmValue *column, LlvmValue *line, const PackedPanels &to,
                                  const InsideColumns &inside, LlvmValues known) {
  const int64_t together = wordsTogether(inside);
  std::vector<RowAccess> rows = reader_.rowsOf(n.right, step, inside.bits != nullptr);
  auto chunksAt = [&](LlvmValue *at, int64_t count) {
    LlvmValues chunks;
    for (const RowAccess &row : rows)
      chunks.push_back(reader_.inStaged(n.right.elem, panelChunk(row, column, at, inside.bits, static_cast<int>(count))));
    return chunks;
  };
  auto put = [&](LlvmValue *words, LlvmValue *at, LlvmValue *before) {
    b.CreateAlignedStore(reader_.movedRight(words), packedAt(to, line, at), n.vectorAlign());
    return p.isBf16() ? leastWith(b, before, words) : p.movesLeft ? addedToColumn(before, words) : before;
  };
  if (together > 0) {
    for (int64_t v = 0; v < inside.columns / p.lanes(); v += together) {
      LlvmValues words =
          allSideBySide(b, e_.context.ops, chunksAt(n.number(v * p.lanes()), together * p.lanes()), p.elem, p.lanes());
      for (int64_t i = 0; i < together; ++i) {
        LlvmValue *&each = known[p.movesLeft ? static_cast<size_t>(v + i) : 0];
        each = put(words[static_cast<size_t>(i)], n.number((v + i) * p.lanes()), each);
      }
    }
    return known;
  }
  LlvmValue *columns = inside.bits ? n.number(inside.columns) : columnsOf(to);
  return forLoop(b, n.number(0), columns, n.number(p.lanes()), known, [&](LlvmValue *at, llvm::ArrayRef<LlvmValue *> carried) {
    LlvmValue *words = sideBySide(b, e_.context.ops, p.stagedElem(n.right.elem), chunksAt(at, p.lanes()), p.elem, p.lanes());
    if (!p.movesLeft) return LlvmValues{put(words, at, carried[0])};
    LlvmValue *sums = byteOffset(b, columnSumsOf(to), b.CreateMul(at, n.number(p.bytes())));
    b.CreateAlignedStore(put(words, at, b.CreateAlignedLoad(words->getType(), sums, n.vectorAlign())), sums, n.vectorAlign());
    return LlvmValues(carried);
  });
}

void PanelPacker::storePanelRow(const LlvmValues &registers, LlvmValue *at) {
  for (int v = 0; v < p.tile.vectors; ++v)
    b.CreateAlignedStore(registers[static_cast<size_t>(v)], byteOffset(b, at, n.number(v * p.lanes() * p.bytes())),
                         n.vectorAlign());
}

// Adds the bytes in words of `b` to the sums of their columns.
LlvmValue *PanelPacker::addedToColumn(LlvmValue *sum, LlvmValue *words) {
  LlvmValue *ones = llvm::ConstantInt::get(words->getType(), 0x01010101);
  return elemInfo(n.right.elem).isUnsigned ? n.microkernel.dotBytes(sum, words, ones)
                                           : n.microkernel.dotBytes(sum, ones, words);
}

// Sums the columns of a panel that was packed from a transposed `b`.
void PanelPacker::sumPackedColumns(const NestBlock &block, const PackedPanels &to) {
  LlvmValues sums = forLoop(b, n.number(0), block.depth, n.number(1), n.panelRow(columnSumsOf(to)),
                            [&](LlvmValue *step, llvm::ArrayRef<LlvmValue *> carried) {
                              LlvmValues words = n.panelRow(packedLine(to, step)), next;
                              for (size_t v = 0; v < words.size(); ++v) next.push_back(addedToColumn(carried[v], words[v]));
                              return next;
                            });
  storePanelRow(sums, columnSumsOf(to));
}

// Turns the column sums of `b` into corrections of the sums for an `a` whose bytes are biased: 128 was added to signed bytes,
// and subtracted from unsigned ones.
void PanelPacker::correctColumnSums(LlvmValue *at) {
  LlvmValues sums = n.panelRow(at);
  LlvmValue *factor =
      e_.context.ops.splat(b.getInt32(static_cast<uint32_t>(elemInfo(n.left.elem).isUnsigned ? 128 : -128)), p.lanes());
  for (LlvmValue *&sum : sums) sum = b.CreateMul(sum, factor);
  storePanelRow(sums, at);
}

// Packs slices of a transposed `b` in squares of floats; two lines of a transposed square become a line of words of each slice.
// Returns the key.
LlvmValue *PanelPacker::packTransposedSlices(const NestBlock &block, LlvmValue *column, const PackedPanels &to) {
  LlvmValue *each = n.number(p.elements()), *first = b.CreateMul(block.first, each), *depth = b.CreateMul(block.depth, each);
  reader_.stageTransposed(false, column, columnsOf(to), first, depth,
                          [&](const LlvmValues &lines, LlvmValue *k, LlvmValue *at) {
                            slices_.addToKey(lines);
                            LlvmValue *line = packedLine(to, b.CreateUDiv(k, each));
                            for (size_t i = 0; i < lines.size(); i += 2, line = byteOffset(b, line, n.number(p.panelPitch())))
                              packSlices(to, line, at, lines[i], lines[i + 1]);
                          });
  return slices_.knownKey();
}

// Packs a step of panels of `b`: slices of two rows.
void PanelPacker::packPairs(LlvmValue *step, LlvmValue *column, LlvmValue *line, const PackedPanels &to,
                            const InsideColumns &inside) {
  std::vector<RowAccess> rows = reader_.rowsOf(n.right, step, inside.bits != nullptr);
  auto pack = [&](LlvmValue *at) {
    auto floats = [&](size_t i) { return n.multiplied(n.right.elem, panelChunk(rows[i], column, at, inside.bits, p.lanes())); };
    LlvmValues pair{floats(0), floats(1)};
    packSlices(to, line, at, pair[0], pair[1]);
    return pair;
  };
  forLoop(b, n.number(0), columnsOf(to), n.number(p.lanes()), [&](LlvmValue *at) { slices_.addToKey(pack(at)); });
}

// Slices a register of floats of each of two rows of K, and packs the words into panels of `b`. `line`: the address of the row
// of words of the step's first slice.
void PanelPacker::packSlices(const PackedPanels &to, LlvmValue *line, LlvmValue *at, LlvmValue *even, LlvmValue *odd) {
  LlvmValues ofEven = floatSlices(b, even, p.slices()), ofOdd = floatSlices(b, odd, p.slices());
  for (size_t i = 0; i < ofEven.size(); ++i) {
    b.CreateAlignedStore(wordsOfSlices(b, ofEven[i], ofOdd[i]), packedAt(to, line, at), n.vectorAlign());
    line = byteOffset(b, line, n.number(kWords * p.panelPitch()));
  }
}

} // namespace xt
