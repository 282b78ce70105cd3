#include "passes/fragment_memory.h"

#include "ir/atomic_update.h"
#include "ir/constants.h"
#include "ir/gpu/line_reads.h"
#include "ir/gpu/matrix_loads.h"
#include "ir/gpu/matrix_operands.h"
#include "ir/gpu/operand_layout.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "passes/conditional_ops.h"
#include "passes/part_values.h"
#include "passes/transposed_memref.h"
#include "passes/vector_slices.h"

namespace xt {

void FragmentMemory::before(const Op &op, const Layout *layout) {
  std::vector<LaneAccess> accesses = laneAccesses(op);
  bool meets = false;
  for (LaneAccess &access : accesses) {
    access.layout = layout;
    meets |= hazards_.meets(access);
  }
  if (meets) {
    b_.create(OpKind::SubgroupBarrier, {}, {});
    hazards_.clear();
  }
  for (const LaneAccess &access : accesses) // what a copy writes must not be read before the wait for it, which is noted
    if (op.kind() != OpKind::AsyncCopy || !access.writes) hazards_.note(access);
}

// The layout of a vector that an op moves whole between memory and a cooperative matrix. Null: each lane moves its own elements,
// because the target has no such matrices or the lanes hold the vector in another way than the target's table states.
const Layout *FragmentMemory::matrixLayout(const Op &op, const Value *value) const {
  ProductOperand moved = target_.cooperativeMatrices ? movedOperand(op) : ProductOperand{};
  if (!moved) return nullptr;
  const MmaInstruction *row = findProduct(target_, productShape(b_.context(), *moved.product, 0));
  if (!row) return nullptr;
  const Layout *layout = registerLayout(b_.context(), layoutOf(*row, moved.operand)).layout;
  return layout == layouts_.of(value) ? layout : nullptr;
}

// The descriptor of a whole tile, whose elements in memory the lanes hold in this layout; of a tile by columns, that of its
// transpose. Null if the tile was moved or comes from a branch, or if `create_nd_tdesc` does not take its base.
Value *FragmentMemory::matrixBlock(const Value *tile, const Layout *layout) {
  const Op *made = tile->definingOp();
  if (!made || made->kind() != OpKind::InitTile) return nullptr;
  std::vector<Value *> operands = values_.ofAll(made->operands());
  Type base = operands[0]->type();
  if (!base.isMemRef() || operands.size() != 1 + static_cast<size_t>(base.rank())) return nullptr;
  TypeData data = tile->type().data();
  const bool byColumns = data.order == Order::ColumnMajor;
  Type byRows = byColumns ? transposedMemRef(b_.context(), base) : base;
  if (!storageOrders(byRows).rowMajor) return nullptr;
  if (byColumns) {
    operands[0] = b_.value(OpKind::Cast, {operands[0]}, byRows);
    std::swap(operands[operands.size() - 2], operands.back());
    std::swap(data.shape[0], data.shape[1]);
    data.order = Order::RowMajor;
  }
  data.kind = TypeKind::TensorDesc;
  data.layout = layout;
  return b_.value(OpKind::CreateNdTdesc, std::move(operands), b_.context().intern(std::move(data)));
}

// The layout of a tile in shared local memory that instructions load as whole matrices for the lanes. Null: there are none for it.
const Layout *FragmentMemory::loadedLayout(const Op &op) const {
  const TypeData &tile = op.operand(0)->type().data();
  if (!target_.matrixLoads || tile.space != MemorySpace::Slm || tile.packed || tile.scatter) return nullptr;
  const Layout *layout = layouts_.of(op.result());
  bool turns = transposes(op) != (tile.order == Order::ColumnMajor);
  const Layout *inMemory = turns ? transposed(b_.context(), layout, std::vector<int64_t>{1, 0}) : layout;
  return inMemory && matrixLoad(*inMemory, tile.elem) ? layout : nullptr;
}

// The layout of a tile in global memory whose rows 1D block messages load. Null: they would give lanes other elements.
const Layout *FragmentMemory::rowsLayout(const Op &op) const {
  const TypeData &tile = op.operand(0)->type().data();
  const AttrValue *padding = LoadTileOp(op).padding();
  bool plain = tile.space == MemorySpace::Global && !tile.packed && !tile.scatter && op.operandCount() == 1;
  if (!plain || (padding && !isPositiveZero(*padding))) return nullptr;
  const Layout *layout = layouts_.of(op.result());
  bool turns = transposes(op) != (tile.order == Order::ColumnMajor);
  return !turns && lineRead(target_, *layout, tile.elem) ? layout : nullptr;
}

void FragmentMemory::loadTile(const Op &op) {
  const Value *tile = op.operand(0);
  const Layout *layout = layouts_.of(op.result()), *whole = matrixLayout(op, op.result());
  if (!whole) whole = loadedLayout(op);
  if (!whole) whole = rowsLayout(op);
  if (whole) {
    bool byColumns = tile->type().data().order == Order::ColumnMajor, turns = transposes(op) != byColumns;
    if (turns) whole = transposed(b_.context(), whole, std::vector<int64_t>{1, 0});
    if (Value *block = whole ? matrixBlock(tile, whole) : nullptr) {
      before(op, nullptr);
      Op *load = b_.create(OpKind::LoadNd, {block}, {values_.typeOf(op.result())});
      if (turns) LoadNdOp(*load).setTranspose({1, 0});
      values_.bind(op.result(), load->result());
      return;
    }
  }
  before(op, transposes(op) ? nullptr : layout); // a transposed load: other lanes own these elements in memory
  Type type = values_.typeOf(op.result());
  values_.bind(op.result(), assembled(type, tile, layout, [&](const Piece &piece) {
                 Value *window = windows_.at(tile, layout, piece, transposes(op));
                 return values_.copy(op, {window}, {b_.context().vector(piece.shape, type.elem())})->result();
               }));
}

// Loads the pieces of a fragment and puts them together.
Value *FragmentMemory::assembled(Type type, const Value *tile, const Layout *layout,
                                 const std::function<Value *(const Piece &)> &load) {
  Value *result = nullptr;
  for (const Piece &piece : windows_.piecesOf(tile, layout)) {
    Value *part = load(piece);
    if (!result && part->type() != type) result = zerosOf(b_, type);
    result = result ? withSlice(b_, part, result, piece.own) : part;
  }
  return result;
}

void FragmentMemory::storeTile(const Op &op) {
  const Value *tile = op.operand(1);
  const Layout *layout = layouts_.of(op.operand(0));
  if (const Layout *whole = matrixLayout(op, op.operand(0)))
    if (Value *block = matrixBlock(tile, whole)) {
      before(op, nullptr);
      b_.create(OpKind::StoreNd, {values_.of(op.operand(0)), block}, {});
      return;
    }
  before(op, layout);
  onlyWhere(b_, places_.isFirstCopy(layout), [&] {
    for (const Piece &piece : windows_.piecesOf(tile, layout)) {
      Value *window = windows_.at(tile, layout, piece);
      values_.copy(op, {sliceOf(b_, values_.of(op.operand(0)), piece.own, piece.shape), window}, {});
    }
  });
}

void FragmentMemory::storeScalar(const Op &op) {
  before(op, nullptr);
  onlyWhere(b_, places_.isFirst(), [&] { values_.repeat(op); });
}

// --- asynchronous copies ---------------------------------------------------------------------------------------------

void FragmentMemory::asyncCopy(const Op &op) {
  AsyncCopyOp copy(op);
  const Layout *layout = copy.from()->type().layout();
  before(op, layout);
  for (const Piece &piece : windows_.piecesOf(copy.from(), layout)) {
    Value *from = windows_.at(copy.from(), layout, piece), *to = windows_.at(copy.to(), layout, piece);
    copies_[op.result()].push_back(values_.copy(op, {from, to}, {op.result()->type()})->result());
  }
}

void FragmentMemory::asyncCommit(const Op &op) {
  std::vector<Value *> copies;
  for (const Value *copy : op.operands()) copies.insert(copies.end(), copies_[copy].begin(), copies_[copy].end());
  values_.bind(op.result(), values_.copy(op, std::move(copies), {op.result()->type()})->result());
}

// Other lanes may still wait when the copies of this one have landed.
void FragmentMemory::asyncWait(const Op &op) {
  values_.repeat(op);
  for (const LaneAccess &access : laneAccesses(op)) hazards_.note(access);
}

// --- scatter tiles, atomics ------------------------------------------------------------------------------------------

void FragmentMemory::gather(const Op &op) {
  before(op, layouts_.of(op.result()));
  values_.repeat(op);
}

void FragmentMemory::scatter(const Op &op) {
  const Layout *layout = layouts_.of(op.operand(0));
  before(op, layout);
  Value *mask = values_.of(op.operand(1));
  if (Value *first = places_.isFirstCopy(layout))
    mask = b_.value(OpKind::AndI, {mask, splatOf(b_, first, mask->type())}, mask->type());
  values_.copy(op, {values_.of(op.operand(0)), mask, values_.of(op.operand(2))}, {});
}

// Of the lanes that hold the same element, one performs the atomic op and broadcasts the old value to the others.
void FragmentMemory::atomic(const Op &op) {
  const Layout *layout = layouts_.of(op.result());
  const size_t tileIndex = AtomicUpdate(op).tileIndex();
  const Value *tile = op.operand(tileIndex);
  before(op, layout);
  Type type = values_.typeOf(op.result());
  auto perform = [&] {
    if (tile->type().data().scatter) return values_.copy(op, values_.ofAll(op.operands()), {type})->result();
    return assembled(type, tile, layout, [&](const Piece &piece) {
      std::vector<Value *> operands;
      for (size_t i = 0; i < tileIndex; ++i) operands.push_back(sliceOf(b_, values_.of(op.operand(i)), piece.own, piece.shape));
      Type old = operands[0]->type();
      operands.push_back(windows_.at(tile, layout, piece));
      return values_.copy(op, std::move(operands), {old})->result();
    });
  };
  Value *old = valueWhere(b_, places_.isFirstCopy(layout), type, perform, [&] { return zerosOf(b_, type); });
  if (layout->isReplicated(Axis::Lane)) old = exchange_.shuffled(old, places_.firstCopy(layout));
  values_.bind(op.result(), old);
}

} // namespace xt
