// Emits vector ops that move elements to other positions, as loops over single elements.
#include "ir/base/check.h"
#include "ir/combine.h"
#include "ir/views/shared.h"
#include "targets/cpu/vector/fused_loop.h"

namespace xt {

void ElementPicker::forEachElement(const BufferShape &shape, ElementBody body) {
  forLoop(b, c_.number(0), c_.argument(shape.rows), c_.number(1), [&](LlvmValue *row) {
    forLoop(b, c_.number(0), c_.argument(shape.columns), c_.number(1), [&](LlvmValue *column) { body(row, column); });
  });
}

void ElementPicker::forEachRow(const BufferShape &shape, llvm::function_ref<void(LlvmValue *row)> body) {
  forLoop(b, c_.number(0), c_.argument(shape.rows), c_.number(1), [&](LlvmValue *row) { body(row); });
}

// Copies the columns of one row of a vector of this shape.
void ElementPicker::copyRow(LlvmValue *to, LlvmValue *from, const BufferShape &shape) {
  int64_t bytes = shape.columns * elemInfo(shape.elem).storageBytes;
  b.CreateMemCpy(to, llvm::Align(1), from, llvm::Align(1), static_cast<uint64_t>(bytes));
}

const Buffer &ElementPicker::pickable(const Op &op, size_t operand) {
  if (const Buffer *staging = c_.buffers.stagingOf(&op, operand)) {
    FusedLoop loop(k_);
    loop.toBuffer(op.operand(operand), *staging);
    loop.emit();
    return *staging;
  }
  const Buffer *own = c_.buffers.bufferOf(op.operand(operand));
  XT_CHECK(own, "an operand that is picked from has a buffer");
  return *own;
}

LlvmValue *ElementPicker::elementAddress(const Buffer &buffer, LlvmValue *row, LlvmValue *column) {
  LlvmValue *bytes = b.CreateAdd(b.CreateMul(row, c_.pitchOf(buffer)),
                                 b.CreateMul(column, c_.number(elemInfo(buffer.shape.elem).storageBytes)));
  return byteOffset(b, c_.bufferAddress(buffer), bytes);
}

LlvmValue *ElementPicker::loadFrom(const Buffer &buffer, LlvmValue *row, LlvmValue *column) {
  Elem elem = buffer.shape.elem;
  LlvmValue *address = elementAddress(buffer, row, column);
  return ops_.fromStorage(elem, b.CreateAlignedLoad(ops_.storageType(elem, 0), address, llvm::Align(1)));
}

void ElementPicker::storeTo(const Buffer &buffer, LlvmValue *row, LlvmValue *column, LlvmValue *value) {
  b.CreateAlignedStore(ops_.toStorage(buffer.shape.elem, value), elementAddress(buffer, row, column), llvm::Align(1));
}

void ElementPicker::emitReduction(const Op &op) {
  Type from = op.operand(0)->type(), result = op.result()->type();
  OpKind kind = *combiningOp(op);
  const Buffer &to = *c_.buffers.bufferOf(op.result());
  if (isStreamedReduction(op)) {
    FusedLoop loop(k_);
    loop.reduce(op, kind);
    loop.emit();
    return;
  }
  // Reduces blocks of a row.
  const Buffer &source = pickable(op, 0);
  int64_t size = from.extent(1) / result.extent(1);
  LlvmValue *identity = ops_.constant(result.elem(), combiningIdentity(kind, result.elem()), 0);
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *start = b.CreateMul(column, c_.number(size));
    LlvmValues sum = forLoop(b, c_.number(0), c_.number(size), c_.number(1), {identity},
                             [&](LlvmValue *k, llvm::ArrayRef<LlvmValue *> carried) -> LlvmValues {
                               LlvmValue *term = loadFrom(source, row, b.CreateAdd(start, k));
                               return {ops_.combine(kind, result.elem(), carried[0], term)};
                             });
    storeTo(to, row, column, sum[0]);
  });
}

// Broadcasts the value of an iota, a mask or another broadcast; pickable() evaluates it into a staging buffer if it has none.
void ElementPicker::emitBlockBroadcast(const Op &op) {
  const Buffer &from = pickable(op, 0), &to = *c_.buffers.bufferOf(op.result());
  LlvmValue *down = c_.number(to.shape.rows / from.shape.rows), *across = c_.number(to.shape.columns / from.shape.columns);
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    storeTo(to, row, column, loadFrom(from, b.CreateUDiv(row, down), b.CreateUDiv(column, across)));
  });
}

void ElementPicker::emitReshape(const Op &op) {
  const Buffer &from = pickable(op, 0), &to = *c_.buffers.bufferOf(op.result());
  LlvmValue *columns = c_.number(from.shape.columns);
  forEachElement(to.shape, [&](LlvmValue *row, LlvmValue *column) {
    LlvmValue *linear = b.CreateAdd(b.CreateMul(row, c_.number(to.shape.columns)), column);
    storeTo(to, row, column, loadFrom(from, b.CreateUDiv(linear, columns), b.CreateURem(linear, columns)));
  });
}

// The position of a part's element within the whole vector, as row and column of the whole vector's buffer. `row` and `column`
// are its position in the part's buffer.
std::pair<LlvmValue *, LlvmValue *> ElementPicker::placeInWhole(const Op &op, Type part, Type whole, LlvmValue *row,
                                                                LlvmValue *column) {
  const std::vector<int64_t> &offsets = *SharedAttrs(op).offsets();
  LlvmValue *wholeRow = c_.number(0), *stride = c_.number(1);
  for (size_t d = offsets.size() - 1; d-- > 0;) {
    LlvmValue *extent = c_.number(part.extent(static_cast<int>(d)));
    LlvmValue *at = b.CreateAdd(d == 0 ? row : b.CreateURem(row, extent), c_.number(offsets[d]));
    wholeRow = b.CreateAdd(wholeRow, b.CreateMul(at, stride));
    row = b.CreateUDiv(row, extent);
    stride = b.CreateMul(stride, c_.number(whole.extent(static_cast<int>(d))));
  }
  return {wholeRow, b.CreateAdd(column, c_.number(offsets.back()))};
}

void ElementPicker::emitExtractSlice(const Op &op) {
  const Buffer &from = pickable(op, 0), &to = *c_.buffers.bufferOf(op.result());
  forEachRow(to.shape, [&](LlvmValue *row) {
    auto [fromRow, fromColumn] = placeInWhole(op, op.result()->type(), op.operand(0)->type(), row, c_.number(0));
    copyRow(elementAddress(to, row, c_.number(0)), elementAddress(from, fromRow, fromColumn), to.shape);
  });
}

void ElementPicker::emitInsertSlice(const Op &op) {
  const Buffer &part = pickable(op, 0), &to = *c_.buffers.bufferOf(op.result());
  k_.flow.moveAll({op.operand(1)}, {op.result()});
  forEachRow(part.shape, [&](LlvmValue *row) {
    auto [toRow, toColumn] = placeInWhole(op, op.operand(0)->type(), op.operand(1)->type(), row, c_.number(0));
    copyRow(elementAddress(to, toRow, toColumn), elementAddress(part, row, c_.number(0)), part.shape);
  });
}

ElementPicker::Place ElementPicker::placeOf(const Op &op, Type vector, size_t firstIndex) {
  Place place{b.getTrue(), c_.number(0), c_.number(0)};
  for (int d = 0; d < vector.rank(); ++d) {
    LlvmValue *index = c_.scalar(op.operand(firstIndex + static_cast<size_t>(d)));
    place.inside = b.CreateAnd(
        place.inside, b.CreateICmpULT(index, c_.number(vector.extent(d)))); // a negative index is a large unsigned number
    if (d + 1 == vector.rank())
      place.column = index;
    else
      place.row = b.CreateAdd(b.CreateMul(place.row, c_.number(vector.extent(d))), index);
  }
  // Out of bounds, the first element is accessed instead.
  place.row = b.CreateSelect(place.inside, place.row, c_.number(0));
  place.column = b.CreateSelect(place.inside, place.column, c_.number(0));
  return place;
}

LlvmValue *ElementPicker::emitExtract(const Op &op) {
  Type vector = op.operand(0)->type();
  const Buffer &from = pickable(op, 0);
  Place place = placeOf(op, vector, 1);
  return b.CreateSelect(place.inside, loadFrom(from, place.row, place.column), ops_.zero(vector.elem(), 0));
}

void ElementPicker::emitInsert(const Op &op) {
  const Buffer &to = *c_.buffers.bufferOf(op.result());
  k_.flow.moveAll({op.operand(1)}, {op.result()});
  Place place = placeOf(op, op.operand(1)->type(), 2);
  LlvmValue *before = loadFrom(to, place.row, place.column);
  storeTo(to, place.row, place.column, b.CreateSelect(place.inside, c_.scalar(op.operand(0)), before));
}

} // namespace xt
