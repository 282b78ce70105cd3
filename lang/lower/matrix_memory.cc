#include "lang/lower/matrix_memory.h"

#include "ir/base/text.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"
#include "lang/lower/expr_lowering.h"

namespace xt {
std::optional<MatrixBase> matrixBase(const CompositeClause &clause, size_t i) {
  const std::vector<ast::Expr> &operands = clause.clause().operands;
  MatrixBase base{};
  if (operands.size() > i + 1 && !(base.stride = lowerIndex(clause.state(), operands[i + 1], "a stride"))) return std::nullopt;
  const ast::Expr &expr = operands[i];
  Value *memory = lowerExpr(clause.state(), expr.is(ast::Expr::Kind::Index) ? expr.children[0] : expr);
  if (!memory) return std::nullopt;
  if (memory->type().isAddress()) {
    base.memory = memory;
  } else {
    std::optional<IndexedMemRef> indexed = clause.indexedMemRef(expr);
    if (!indexed) return std::nullopt;
    base.memory = indexed->memref;
    base.indices = std::move(indexed->indices);
  }
  bool needsStride = base.indices.size() < 2;
  if (needsStride == (base.stride != nullptr)) return base;
  clause.diagnostics()
      .report(DiagCode::OperandCount, clause.range(),
              needsStride ? str(clause.name(), " needs a stride, as ", shapedText(memory->type()), " has no rows")
                          : str(clause.name(), " takes no stride here, as ", shapedText(memory->type()), " has its own"))
      .note(needsStride ? "for example `joint_matrix_load %A[%i], %stride`" : "for example `joint_matrix_load %A[%i, %j]`");
  return std::nullopt;
}

bool packedInMemory(Type matrix, MatrixMemory memory) {
  return memory == MatrixMemory::Packed && matrix.data().matrix.use == MatrixUse::B;
}

std::vector<int64_t> shapeInMemory(Type matrix, MatrixMemory memory) {
  int64_t rows = matrix.extent(0), columns = matrix.extent(1);
  if (memory == MatrixMemory::ColMajor) return {columns, rows};
  if (packedInMemory(matrix, memory)) return {rows / vnniFactorOf(matrix.elem()), columns * vnniFactorOf(matrix.elem())};
  return {rows, columns};
}

// The only tile of the matrix or, if the base is a memref of one dimension, a tile for each row of memory.
std::vector<Value *> MatrixMemoryOps::tiles(Type matrix) {
  Context &context = clause_.state().context;
  std::vector<int64_t> shape = shapeInMemory(matrix, memory_);
  auto tile = [&](std::vector<Value *> operands, std::vector<int64_t> extents, Order order) {
    return ops_.op(OpKind::InitTile, std::move(operands), {}, context.tile(std::move(extents), matrix.elem(), nullptr, order));
  };
  std::vector<Value *> operands = {base_.memory};
  if (base_.indices.size() >= 2) {
    operands.insert(operands.end(), base_.indices.begin(), base_.indices.end());
    StorageOrders orders = storageOrders(base_.memory->type());
    return {tile(operands, shape, orders.columnMajor && !orders.rowMajor ? Order::ColumnMajor : Order::RowMajor)};
  }
  Value *zero = ops_.index(0);
  if (base_.indices.empty()) {
    operands.insert(operands.end(), {zero, zero, ops_.index(shape[0]), ops_.index(shape[1]), base_.stride, ops_.index(1)});
    return {tile(operands, shape, Order::RowMajor)};
  }
  std::vector<Value *> rows;
  Value *line = ops_.asOneRow(base_.memory), *first = base_.indices[0];
  for (int64_t row = 0; row < shape[0]; ++row) {
    if (row > 0) first = ops_.op(OpKind::AddI, {first, base_.stride});
    rows.push_back(tile({line, zero, first}, {1, shape[1]}, Order::RowMajor));
  }
  return rows;
}

Value *MatrixMemoryOps::load(Type matrix) {
  std::vector<int64_t> shape = shapeInMemory(matrix, memory_);
  std::vector<Value *> parts = tiles(matrix);
  Value *value = parts.size() == 1 ? ops_.op(OpKind::LoadTile, {parts[0]}) : ops_.zeros(shape, matrix.elem());
  for (size_t row = 0; parts.size() > 1 && row < parts.size(); ++row)
    value = ops_.insert(ops_.op(OpKind::LoadTile, {parts[row]}), value, {static_cast<int64_t>(row), 0});
  if (memory_ == MatrixMemory::ColMajor) return ops_.transpose(value, {1, 0});
  if (!packedInMemory(matrix, memory_)) return value;
  int64_t factor = vnniFactorOf(matrix.elem()), rows = matrix.extent(0), columns = matrix.extent(1);
  value = ops_.transpose(ops_.reshape(value, {rows / factor, columns, factor}), {0, 2, 1});
  return ops_.reshape(value, {rows, columns});
}

bool MatrixMemoryOps::store(Value *matrix) {
  size_t errors = clause_.diagnostics().errorCount();
  Value *value = memory_ == MatrixMemory::ColMajor ? ops_.transpose(matrix, {1, 0}) : matrix;
  std::vector<Value *> parts = tiles(matrix->type());
  int64_t columns = shapeInMemory(matrix->type(), memory_)[1];
  for (size_t row = 0; row < parts.size(); ++row) {
    bool whole = parts.size() == 1;
    ops_.op(OpKind::StoreTile, {whole ? value : ops_.slice(value, {static_cast<int64_t>(row), 0}, {1, columns}), parts[row]});
  }
  return clause_.diagnostics().errorCount() == errors;
}

bool MatrixMemoryOps::prefetch(Type matrix) {
  size_t errors = clause_.diagnostics().errorCount();
  for (Value *part : tiles(matrix)) ops_.op(OpKind::PrefetchTile, {part});
  return clause_.diagnostics().errorCount() == errors;
}

} // namespace xt
