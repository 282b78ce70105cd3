// Emits transposes: squares of as many rows as a register has lanes are transposed in registers.
#include "ir/base/check.h"
#include "ir/views/tile.h"
#include "targets/cpu/vector/kernel_emitter.h"
#include "targets/cpu/vector/register_transpose.h"

namespace xt {

// Writes the transpose of a source to a buffer. `square` returns the rows of a square of the source, `lanes` elements each, in
// storage form. Its values past the last row and column are not used.
void Transposer::transposeInto(const Buffer &to,
                               llvm::function_ref<LlvmValues(LlvmValue *row, LlvmValue *column, int lanes)> square) {
  int64_t bytes = elemInfo(to.shape.elem).storageBytes, rows = to.shape.rows;
  int lanes = c_.cpu.lanes(static_cast<int>(std::max<int64_t>(bytes, 4))); // more would not fit into the registers
  llvm::Align align(static_cast<uint64_t>(lanes * bytes));
  LlvmValue *base = c_.bufferAddress(to), *pitch = c_.pitchOf(to), *end = c_.argument(rows),
            *last = b.CreateSub(end, c_.number(1));
  forLoop(b, c_.number(0), end, c_.number(lanes), [&](LlvmValue *row) {
    forLoop(b, c_.number(0), c_.argument(to.shape.columns), c_.number(lanes), [&](LlvmValue *column) {
      LlvmValues lines = square(column, row, lanes);
      transposeRegisters(b, lines);
      LlvmValue *start = byteOffset(b, base, b.CreateMul(column, c_.number(bytes)));
      // Lines past the last row are stored to the last row, before the last row's own line overwrites them. The buffer's rows
      // are padded to whole registers.
      for (int i = lanes; i-- > 0;) {
        LlvmValue *at = b.CreateAdd(row, c_.number(i));
        if (rows % lanes != 0) at = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, last);
        b.CreateAlignedStore(lines[static_cast<size_t>(i)], byteOffset(b, start, b.CreateMul(at, pitch)), align);
      }
    });
  });
}

LlvmValue *Transposer::areInside(const TileAccess &access, Run rows, Run columns) {
  auto within = [&](LlvmValue *low, const Run &run, LlvmValue *high) {
    return b.CreateAnd(b.CreateICmpSLE(b.CreateAdd(run.first, c_.number(run.count)), high), k_.tiles.isFromLow(run.first, low));
  };
  return b.CreateAnd(within(access.rowLow, rows, access.rowHigh), within(access.columnLow, columns, access.columnHigh));
}

LlvmValues Transposer::insideSquare(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes) {
  LlvmValue *offset =
      b.CreateAdd(b.CreateMul(row, access.rowStride), b.CreateMul(column, c_.number(elemInfo(access.elem).storageBytes)));
  LlvmValue *line = byteOffset(b, access.origin, offset);
  LlvmValues lines;
  for (int i = 0; i < lanes; ++i) {
    if (access.ahead) k_.tiles.prefetchLine(byteOffset(b, line, access.ahead));
    lines.push_back(b.CreateAlignedLoad(ops_.storageType(access.elem, lanes), line, k_.tiles.memoryAlign()));
    line = byteOffset(b, line, access.rowStride);
  }
  return lines;
}

LlvmValues Transposer::squareAtEdge(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes) {
  return squareOf(ops_.storageType(access.elem, lanes), c_.number(lanes), [&](LlvmValue *i) {
    return k_.tiles.loadChunk(access, k_.tiles.accessRow(access, b.CreateAdd(row, i)), column, lanes);
  });
}

// The lines go through memory, so that the code that checks for edges is emitted once for all lines.
LlvmValues Transposer::squareOf(llvm::Type *type, LlvmValue *count, llvm::function_ref<LlvmValue *(LlvmValue *i)> line) {
  auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(type)->getNumElements());
  XT_CHECK(lanes <= kSquareLines, "a square fits its slot");
  LlvmValue *square = squareSlot();
  int64_t bytes = lanes * static_cast<int64_t>(type->getScalarSizeInBits()) / 8;
  llvm::Align align(static_cast<uint64_t>(bytes));
  forLoop(b, c_.number(0), count, c_.number(1),
          [&](LlvmValue *i) { b.CreateAlignedStore(line(i), byteOffset(b, square, b.CreateMul(i, c_.number(bytes))), align); });
  LlvmValues lines;
  for (int i = 0; i < lanes; ++i)
    lines.push_back(b.CreateAlignedLoad(type, byteOffset(b, square, c_.number(i * bytes)), align));
  return lines;
}

// A row of the result is a column of the tile.
void Transposer::emitTransposedLoad(const Op &op) {
  TileAccess access = k_.tiles.accessTile(op.operand(0), LoadTileOp(op).padding());
  const Buffer &to = *c_.buffers.bufferOf(op.result());
  auto normalised = [&](LlvmValue *stored) { return ops_.toStorage(access.elem, ops_.fromStorage(access.elem, stored)); };
  if (op.operand(0)->type().data().order != Order::ColumnMajor || access.pack > 1) {
    access.ahead = k_.loads.bytesAhead(op.operand(0), access);
    return transposeInto(to, [&](LlvmValue *row, LlvmValue *column, int lanes) {
      auto atEdge = [&] { return squareAtEdge(access, row, column, lanes); };
      LlvmValues lines = access.unitStride && access.pack == 1
                             ? ifElse(
                                   b, areInside(access, {row, lanes}, {column, lanes}),
                                   [&] { return insideSquare(access, row, column, lanes); }, atEdge)
                             : atEdge();
      for (LlvmValue *&line : lines) line = normalised(line);
      return lines;
    });
  }
  access = transposed(access); // the columns of the tile are rows in memory
  int lanes = c_.cpu.lanes(elemInfo(access.elem).storageBytes);
  forLoop(b, c_.number(0), c_.argument(to.shape.rows), c_.number(1), [&](LlvmValue *row) {
    RowAccess line = k_.tiles.accessRow(access, row);
    forLoop(b, c_.number(0), c_.argument(to.shape.columns), c_.number(lanes), [&](LlvmValue *column) {
      b.CreateAlignedStore(normalised(k_.tiles.loadChunk(access, line, column, lanes)),
                           k_.picker.elementAddress(to, row, column), llvm::Align(static_cast<uint64_t>(c_.cpu.vectorBytes)));
    });
  });
}

// Returns the access to the same memory with rows and columns exchanged.
TileAccess Transposer::transposed(TileAccess access) {
  XT_CHECK(access.pack == 1, "rows of a packed tile are no columns of another one");
  std::swap(access.rowLow, access.columnLow);
  std::swap(access.rowHigh, access.columnHigh);
  std::swap(access.rowStride, access.columnStride);
  auto *known = llvm::dyn_cast<llvm::ConstantInt>(access.columnStride);
  access.unitStride = known && known->getSExtValue() == elemInfo(access.elem).storageBytes;
  access.maybeUnitStride = access.unitStride || !known;
  return access;
}

void Transposer::emitTranspose(const Op &op) {
  std::vector<int64_t> permutation = permutationOf(op);
  const Buffer &from = k_.picker.pickable(op, 0), &to = *c_.buffers.bufferOf(op.result());
  if (permutation.size() > 2 || permutation[0] == 0) return emitPermutation(op, permutation, from, to);
  LlvmValue *address = c_.bufferAddress(from), *pitch = c_.pitchOf(from);
  LlvmValue *last = c_.argument(from.shape.rows - 1);
  transposeInto(to, [&](LlvmValue *row, LlvmValue *column, int lanes) {
    int64_t bytes = elemInfo(from.shape.elem).storageBytes;
    llvm::Align align(static_cast<uint64_t>(lanes * bytes));
    LlvmValue *start = byteOffset(b, address, b.CreateMul(column, c_.number(bytes)));
    LlvmValues lines;
    for (int i = 0; i < lanes; ++i) {
      LlvmValue *inside = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, b.CreateAdd(row, c_.number(i)), last);
      lines.push_back(b.CreateAlignedLoad(ops_.storageType(from.shape.elem, lanes),
                                          byteOffset(b, start, b.CreateMul(inside, pitch)), align));
    }
    return lines;
  });
}

// Permutes element by element.
void Transposer::emitPermutation(const Op &op, const std::vector<int64_t> &permutation, const Buffer &from, const Buffer &to) {
  Type source = op.operand(0)->type(), target = op.result()->type();
  size_t last = permutation.size() - 1;
  k_.picker.forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValues at(permutation.size()); // position in the operand
    at[static_cast<size_t>(permutation[last])] = column;
    LlvmValue *rest = row;
    for (size_t d = last; d-- > 0;) {
      LlvmValue *extent = c_.number(target.extent(static_cast<int>(d)));
      at[static_cast<size_t>(permutation[d])] = d == 0 ? rest : b.CreateURem(rest, extent);
      if (d > 0) rest = b.CreateUDiv(rest, extent);
    }
    LlvmValue *sourceRow = at[0];
    for (size_t d = 1; d < last; ++d)
      sourceRow = b.CreateAdd(b.CreateMul(sourceRow, c_.number(source.extent(static_cast<int>(d)))), at[d]);
    k_.picker.storeTo(to, row, column, k_.picker.loadFrom(from, sourceRow, at[last]));
  });
}

LlvmValue *Transposer::squareSlot() {
  if (!square_) {
    llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    llvm::AllocaInst *slot = top.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), kSquareLines * 64));
    slot->setAlignment(llvm::Align(64));
    square_ = slot;
  }
  return square_;
}

} // namespace xt
