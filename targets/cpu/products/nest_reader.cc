#include "targets/cpu/products/nest_reader.h"
#include "targets/cpu/products/words.h"
#include "targets/cpu/vector/register_transpose.h"

namespace xt {

// Loads a register of words of one row, from `step` on.
LlvmValue *NestReader::wordsAlong(const TileAccess &from, const RowAccess &row, LlvmValue *step) {
  return asWords(from.elem, e_.tiles.loadChunk(from, row, b.CreateMul(step, n.number(p.elements())), p.elements() * p.lanes()));
}

LlvmValue *NestReader::asWords(Elem from, LlvmValue *chunk) {
  return b.CreateBitCast(inStaged(from, chunk), e_.context.ops.type(p.elem, p.lanes()));
}

// Converts elements to stagedElem, both in storage form.
LlvmValue *NestReader::inStaged(Elem from, LlvmValue *chunk) {
  if (p.stagedElem(from) == from) return chunk;
  auto *type = chunk->getType()->getWithNewType(b.getInt16Ty());
  return elemInfo(from).isUnsigned ? b.CreateZExt(chunk, type) : b.CreateSExt(chunk, type);
}

// Returns the rows of a step. Rows that are known to be in bounds (`inside`) have only an address.
std::vector<RowAccess> NestReader::rowsOf(const TileAccess &from, LlvmValue *step, bool inside) {
  std::vector<RowAccess> rows;
  LlvmValue *first = b.CreateMul(step, n.number(p.elements())),
            *line = byteOffset(b, from.origin, b.CreateMul(first, from.rowStride));
  for (int i = 0; i < p.elements(); ++i) {
    if (inside && i > 0) line = byteOffset(b, line, from.rowStride);
    rows.push_back(inside ? RowAccess{line, nullptr} : e_.tiles.accessRow(from, b.CreateAdd(first, n.number(i))));
  }
  return rows;
}

// Returns the words of a step in a register of columns; `inside`: whether they are known to be in bounds. The hardware does not
// prefetch the rows, which are far apart. So the rows of the next square of words in these columns are prefetched, if that is
// half a line or more of each row.
LlvmValue *NestReader::wordsAcross(const TileAccess &from, LlvmValue *step, LlvmValue *column, bool inside) {
  llvm::Type *type = e_.context.ops.storageType(from.elem, p.lanes());
  const int64_t elementBytes = elemInfo(from.elem).storageBytes;
  const bool prefetches = inside && 2 * elementBytes * p.lanes() >= kCacheLine;
  LlvmValue *bytes = b.CreateMul(column, n.number(elementBytes)),
            *ahead = b.CreateMul(from.rowStride, n.number(p.elements() * p.lanes()));
  LlvmValues chunks;
  for (const RowAccess &row : rowsOf(from, step, inside)) {
    LlvmValue *address = inside ? byteOffset(b, row.pointer, bytes) : nullptr;
    if (prefetches) e_.tiles.prefetchLine(byteOffset(b, address, ahead));
    chunks.push_back(inStaged(from.elem, inside ? b.CreateAlignedLoad(type, address, llvm::Align(1))
                                                : e_.tiles.loadChunk(from, row, column, p.lanes())));
  }
  return sideBySide(b, e_.context.ops, p.stagedElem(from.elem), chunks, p.elem, p.lanes());
}

// Adds 128 to signed bytes, which makes them unsigned, or subtracts 128 from unsigned bytes, which makes them signed.
LlvmValue *NestReader::moved(LlvmValue *words) {
  return b.CreateXor(words, e_.context.ops.splat(b.getInt32(0x80808080), p.lanes()));
}

void NestReader::stageTransposed(bool ofLeft, LlvmValue *row, LlvmValue *rows, LlvmValue *column, LlvmValue *columns,
                                 llvm::function_ref<void(const LlvmValues &, LlvmValue *, LlvmValue *)> put) {
  const TileAccess &from = ofLeft ? n.left : n.right;
  // The inner loop goes along the rows, whose elements are adjacent in memory.
  forLoop(b, n.number(0), rows, n.number(p.lanes()), [&](LlvmValue *r) {
    forLoop(b, n.number(0), columns, n.number(p.lanes()), [&](LlvmValue *c) {
      LlvmValue *firstRow = b.CreateAdd(row, r), *firstColumn = b.CreateAdd(column, c);
      auto any = [&] { return squareAt(ofLeft, firstRow, firstColumn); };
      LlvmValues lines = !p.readsWords() && from.unitStride && from.pack == 1
                             ? ifElse(
                                   b, e_.transposer.areInside(from, {firstRow, p.lanes()}, {firstColumn, p.lanes()}),
                                   [&] {
                                     // Rows are far apart, and the hardware does not prefetch them. The rows of the next square
                                     // are prefetched, even past the last square.
                                     TileAccess withAhead = from;
                                     withAhead.ahead = b.CreateMul(from.rowStride, n.number(p.lanes()));
                                     LlvmValues inside =
                                         e_.transposer.insideSquare(withAhead, firstRow, firstColumn, p.lanes());
                                     for (LlvmValue *&line : inside) line = n.multiplied(from.elem, line);
                                     return inside;
                                   },
                                   any)
                             : any();
      transposeRegisters(b, lines);
      put(lines, c, r);
    });
  });
}

LlvmValues NestReader::squareAt(bool ofLeft, LlvmValue *row, LlvmValue *column) {
  const TileAccess &from = ofLeft ? n.left : n.right;
  auto square = [&](bool inside) {
    return e_.transposer.squareOf(e_.context.ops.type(p.elem, p.lanes()), n.number(p.lanes()), [&](LlvmValue *i) {
      LlvmValue *at = b.CreateAdd(row, i);
      if (!p.readsWords())
        return n.multiplied(from.elem, e_.tiles.loadChunk(from, e_.tiles.accessRow(from, at), column, p.lanes()));
      return ofLeft ? wordsAcross(from, at, column, inside)
                    : movedRight(wordsAlong(from, e_.tiles.accessRow(from, at), column));
    });
  };
  if (!p.readsWords() || !ofLeft || !from.unitStride || from.pack != 1) return square(false);
  LlvmValue *inside =
      e_.transposer.areInside(from, {b.CreateMul(row, n.number(p.elements())), p.elements() * p.lanes()}, {column, p.lanes()});
  return ifElse(b, inside, [&] { return square(true); }, [&] { return square(false); });
}

} // namespace xt
