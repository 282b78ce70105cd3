#include "passes/slm_exchange.h"

#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "passes/index_arithmetic.h"

namespace xt {

// Instructions load rows of 16 bytes, of which eight are in all banks. Eight rows of a matrix are in different banks if they
// are an odd number of such parts apart.
Value *SlmExchange::buffer(std::vector<int64_t> shape, Elem elem) {
  constexpr int64_t kPart = 16;
  const int64_t each = elemInfo(elem).storageBytes;
  if (shape.size() == 2 && shape[1] * each % (2 * kPart) == 0 && shape[0] * (shape[1] * each + kPart) <= paddedBytes_)
    shape[1] += kPart / each;
  return prologue_.value(OpKind::AllocSlm, {}, b_.context().memref(std::move(shape), elem, MemorySpace::Slm));
}

void SlmExchange::writeCopy(const Layout &from, const std::function<void()> &body) {
  places_.onlyWhereZero(copyDigits(from), body);
  barriers_.afterWrites();
}

void SlmExchange::write(const Layout &from, const std::function<void()> &body) {
  barriers_.beforeWrites();
  writeCopy(from, body);
}

void SlmExchange::writeAgain(const Layout &from, const std::function<void()> &body) {
  barriers_.afterWrites();
  writeCopy(from, body);
}

void SlmExchange::store(Value *matrix, Value *buffer, Value *row, Value *column) {
  Type type = matrix->type();
  std::vector<int64_t> shape(type.shape().begin(), type.shape().end());
  Type tile = b_.context().tile(std::move(shape), type.elem(), nullptr, Order::RowMajor, MemorySpace::Slm);
  Value *part = b_.value(OpKind::InitTile, {buffer, orZero(b_, row), orZero(b_, column)}, tile);
  b_.create(OpKind::StoreTile, {matrix, part}, {});
}

Value *SlmExchange::load(Value *buffer, Value *row, Value *column, std::vector<int64_t> shape, bool transposed) {
  Elem elem = buffer->type().elem();
  std::vector<int64_t> inMemory = shape;
  if (transposed) std::swap(inMemory[0], inMemory[1]);
  Type tile = b_.context().tile(inMemory, elem, nullptr, Order::RowMajor, MemorySpace::Slm);
  Value *part = b_.value(OpKind::InitTile, {buffer, orZero(b_, row), orZero(b_, column)}, tile);
  Op *load = b_.create(OpKind::LoadTile, {part}, {b_.context().vector(std::move(shape), elem)});
  if (transposed) LoadTileOp(*load).setTranspose({1, 0});
  return load->result();
}

Value *SlmExchange::publish(const Value *matrix) {
  Type type = matrix->type();
  Pieces pieces(type);
  Value *made = buffer(shapeOf(type), type.elem());
  write(*type.layout(), [&] {
    for (size_t k = 0; k < pieces.count(); ++k) {
      std::vector<size_t> at = pieces.at(k);
      Value *row = places_.indexOf(pieces.dims[0], at[0]), *column = places_.indexOf(pieces.dims[1], at[1]);
      store(values_.of(matrix)[k], made, row, column);
    }
  });
  return made;
}

} // namespace xt
