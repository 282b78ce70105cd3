#include "lang/lower/lane_matrices.h"

#include "ir/base/text.h"
#include "ir/elem_kinds.h"
#include "ir/op_kinds.h"

#include <algorithm>

namespace xt {

LaneMatrix::LaneMatrix(const CompositeClause &clause, Type matrix) : clause_(clause), ops_(clause), matrix_(matrix) {
  const KernelState &state = clause.state();
  map_ = *matrixSgMap(state.context, matrix, state.lanes);
  part_ = matrixFragment(state.context, matrix, state.lanes);
  indices_ = state.context.withElem(part_, kIndexElem);
}

bool LaneMatrix::packs(MatrixMemory memory) const {
  int64_t factor = vnniFactorOf(matrix_.elem());
  return memory == MatrixMemory::RowMajor && matrix_.data().matrix.use == MatrixUse::B && factor > 1 &&
         matrix_.extent(0) % factor == 0;
}

// From the VNNI form [K/f, n, f], or [K/f, n * f], to [K, n].
Value *LaneMatrix::unpacked(Value *value) {
  int64_t factor = vnniFactorOf(matrix_.elem()), rows = part_.extent(0), columns = part_.extent(1);
  value = ops_.reshape(value, {rows / factor, columns, factor});
  if (columns > 1) value = ops_.transpose(value, {0, 2, 1});
  return ops_.reshape(value, {rows, columns});
}

// A block message needs rows of a certain width and pitch, which the few columns of a matrix with a stride of its own rarely have.
bool LaneMatrix::ofEachLane(const MatrixBase &base) { return base.indices.size() < 2; }

Value *LaneMatrix::spread(Value *index) { return ops_.op(OpKind::Splat, {index}, {}, indices_); }

Value *LaneMatrix::times(Value *vector, int64_t factor) {
  return factor == 1 ? vector : ops_.op(OpKind::MulI, {vector, spread(ops_.index(factor))});
}

Value *LaneMatrix::quotient(Value *vector, int64_t divisor) {
  return divisor == 1 ? vector : ops_.op(OpKind::DivUI, {vector, spread(ops_.index(divisor))});
}

Value *LaneMatrix::remainder(Value *vector, int64_t divisor) {
  return ops_.op(OpKind::RemUI, {vector, spread(ops_.index(divisor))});
}

Value *LaneMatrix::sum(Value *a, Value *b) { return ops_.op(OpKind::AddI, {a, b}); }

// sg_map: position p of the part along a dimension is element ((p / data) * lanes + lane) * data + p % data, where `lane` counts
// lanes along that dimension.
Value *LaneMatrix::coordinate(int dim) {
  auto d = static_cast<size_t>(dim);
  int64_t lanes = map_.wiLayout[d], data = map_.wiData[d];
  Value *position = ops_.op(OpKind::Iota, {}, {{"dims", std::vector<int64_t>{dim}, clause_.range()}}, indices_);
  if (lanes == 1) return position;
  Value *lane = spread(ops_.op(OpKind::LaneId, {}));
  if (map_.wiLayout[1] > 1) lane = dim == 0 ? quotient(lane, map_.wiLayout[1]) : remainder(lane, map_.wiLayout[1]);
  Value *group = sum(times(quotient(position, data), lanes), lane);
  return data == 1 ? group : sum(times(group, data), remainder(position, data));
}

std::vector<Value *> LaneMatrix::coordinates() { return {coordinate(0), coordinate(1)}; }

// A memref without static sizes: where sizes break the rules of a GPU's block messages, the kernel then runs in the version
// without them. In a `create_nd_tdesc` that the user writes, static sizes that break the rules are an error.
Value *LaneMatrix::ofAnySize(Value *memory) {
  Type type = memory->type();
  if (!type.isMemRef() || type.data().space == MemorySpace::Slm) return memory;
  TypeData data = type.data();
  std::ranges::fill(data.shape, kDynamic);
  if (data.memory.kind == MemoryLayout::Kind::Permuted) return memory;
  if (data.memory.kind == MemoryLayout::Kind::Strided)
    std::fill(data.memory.strides.begin(), data.memory.strides.end() - 1, kDynamic);
  Type any = clause_.state().context.intern(std::move(data));
  return any == type ? memory : ops_.op(OpKind::Cast, {memory}, {}, any);
}

// The block of memory as a tensor_desc. Its sg_map gives each lane what it holds of the matrix: of rows in memory that are
// columns of the matrix, the transposed part, and of packed rows, the columns with their f elements each.
Value *LaneMatrix::block(const MatrixBase &base, MatrixMemory memory, bool loads) {
  Context &context = clause_.state().context;
  std::vector<int64_t> shape = shapeInMemory(matrix_, memory);
  SgMap map = map_;
  if (packedInMemory(matrix_, memory)) map.wiData = {1, vnniFactorOf(matrix_.elem())};
  if (loads && packs(memory)) map.wiData = {vnniFactorOf(matrix_.elem()), 1};
  const Layout *layout =
      memory == MatrixMemory::ColMajor
          ? transposed(context, dealtToLanes(context, map.wiLayout, map.wiData, matrix_.shape()), std::vector<int64_t>{1, 0})
          : dealtToLanes(context, map.wiLayout, map.wiData, shape);
  if (Type type = base.memory->type(); !storageOrders(type).rowMajor) {
    clause_.diagnostics()
        .report(DiagCode::OrderMismatch, clause_.range(),
                str(clause_.name(), " at lane scope needs a memref with contiguous rows, unlike ", shapedText(type)))
        .note("cast it to its transpose with `memref.cast`, and access that with the other layout, row_major or col_major");
    return nullptr;
  }
  TypeData data;
  data.kind = TypeKind::TensorDesc;
  data.elem = matrix_.elem();
  data.layout = layout;
  data.shape = shape;
  std::vector<Value *> operands = {ofAnySize(base.memory)};
  operands.insert(operands.end(), base.indices.begin(), base.indices.end());
  return ops_.op(OpKind::CreateNdTdesc, std::move(operands), {}, context.intern(std::move(data)));
}

// The elements of the lane in a memref of one dimension or at an address, as a tile with an offset for each.
Value *LaneMatrix::ownElements(const MatrixBase &base, MatrixMemory memory) {
  Value *row = coordinate(0), *column = coordinate(1);
  if (memory == MatrixMemory::ColMajor) std::swap(row, column);
  if (packedInMemory(matrix_, memory)) {
    int64_t factor = vnniFactorOf(matrix_.elem());
    column = sum(times(column, factor), remainder(row, factor));
    row = quotient(row, factor);
  }
  if (!base.indices.empty()) column = sum(column, spread(base.indices[0]));
  Value *offsets = sum(ops_.op(OpKind::MulI, {row, spread(base.stride)}), column);
  TypeData tile = clause_.state().context.tile({part_.extent(0), part_.extent(1)}, matrix_.elem()).data();
  tile.scatter = true;
  return ops_.op(OpKind::InitTile, {base.memory, offsets}, {}, clause_.state().context.intern(std::move(tile)));
}

Value *LaneMatrix::everyElement() {
  clause_.state().builder.setRange(clause_.range());
  return clause_.state().builder.constantInt(clause_.state().context.withElem(part_, Elem::I1), 1);
}

Value *LaneMatrix::load(const MatrixBase &base, MatrixMemory memory) {
  if (ofEachLane(base)) return ops_.op(OpKind::LoadGather, {ownElements(base, memory), everyElement()});
  std::vector<Attr> attrs;
  if (memory == MatrixMemory::ColMajor) attrs.push_back({"transpose", std::vector<int64_t>{1, 0}, clause_.range()});
  if (packs(memory)) attrs.push_back({"vnni_axis", int64_t{0}, clause_.range()});
  Value *value = ops_.op(OpKind::LoadNd, {block(base, memory, true)}, std::move(attrs));
  return packedInMemory(matrix_, memory) || packs(memory) ? unpacked(value) : value;
}

bool LaneMatrix::store(Value *matrix, const MatrixBase &base, MatrixMemory memory) {
  size_t errors = clause_.diagnostics().errorCount();
  if (ofEachLane(base)) {
    ops_.op(OpKind::StoreScatter, {matrix, everyElement(), ownElements(base, memory)});
  } else {
    Value *value = memory == MatrixMemory::ColMajor ? ops_.transpose(matrix, {1, 0}) : matrix;
    ops_.op(OpKind::StoreNd, {value, block(base, memory, false)});
  }
  return clause_.diagnostics().errorCount() == errors;
}

bool LaneMatrix::prefetch(const MatrixBase &base, MatrixMemory memory) {
  size_t errors = clause_.diagnostics().errorCount();
  if (ofEachLane(base))
    ops_.op(OpKind::PrefetchTile, {ownElements(base, memory)});
  else
    ops_.op(OpKind::PrefetchNd, {block(base, memory, true)});
  return clause_.diagnostics().errorCount() == errors;
}

} // namespace xt
