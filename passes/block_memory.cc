// Tiles: those that 2D block messages can access become XeGPU ops, the others tile ops on blocks.
#include "ir/base/check.h"
#include "ir/base/text.h"
#include "ir/gpu/block_rules.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/op_kinds.h"
#include "ir/views/names.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"
#include "passes/blocking.h"
#include "passes/transposed_memref.h"

#include <algorithm>
#include <cmath>

namespace xt {

namespace {

constexpr int64_t kMessageBytes = 2048; // the most that one message moves

int memoryBits(Elem elem) { return 8 * elemInfo(elem).storageBytes; }

bool isByColumns(const Value *tile) { return tile->type().data().order == Order::ColumnMajor; }

bool isZero(const AttrValue &value) {
  const auto *number = std::get_if<double>(&value);
  return number ? *number == 0 && !std::signbit(*number) : std::get<int64_t>(value) == 0;
}

void setVc(Op *op) { op->setAttr(attr_names::kMode, std::string(wordText(LoadNdMode::Vc))); }

// The largest power of two that is at most `count` and at most `most`, but not less than `fewest`.
int64_t largestWithin(int64_t count, int64_t fewest, int64_t most) {
  int64_t rows = fewest;
  while (rows * 2 <= std::min(count, most)) rows *= 2;
  return rows;
}

// The smallest power of two that is at least `count` and at least `fewest`.
int64_t smallestOver(int64_t count, int64_t fewest) {
  int64_t rows = fewest;
  while (rows < count) rows *= 2;
  return rows;
}

// A narrow block with fewer rows than this does not fill a register of the subgroup.
int64_t fewestRowsOf(const BlockShape &shape, int64_t lanes) { return std::max(shape.fewestRows, lanes / shape.columns); }

// The number of the remaining `rows` that the next message covers. A message may have up to a third more rows than remain,
// because a second message would cost more.
int64_t rowsOfNext(int64_t rows, const BlockShape &shape) {
  int64_t over = smallestOver(rows, shape.fewestRows);
  if (over <= shape.mostRows && rows * 4 >= over * 3) return rows;
  return std::min(rows, largestWithin(rows, shape.fewestRows, shape.mostRows));
}

int64_t wholeBlocks(int64_t columns, const BlockShape &shape) {
  return (columns + shape.columns - 1) / shape.columns * shape.columns;
}

} // namespace

// --- tiles as rows and columns ---------------------------------------------------------------------------------------

void Blocking::initTile(const Op &op) {
  const Value *tile = op.result();
  if (isScatter(tile)) {
    if (roots_.root(tile)) return bind(tile, of(op.operand(1)));
    Values windows;
    for (Value *offsets : of(op.operand(1))) windows.push_back(scatterBlock(op, offsets));
    return bind(tile, std::move(windows));
  }
  size_t row = rowOffsetAt(op);
  if (roots_.root(tile)) {
    values_[tile] = {one(op.operand(row)), one(op.operand(row + 1))};
    return;
  }
  const BlockGrid &grid = classes_.grid(tile);
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    Values operands;
    for (const Value *operand : op.operands()) operands.push_back(one(operand));
    std::vector<int64_t> origin = grid.origin(k);
    operands[row] = plus(operands[row], origin[0]);
    operands[row + 1] = plus(operands[row + 1], origin[1]);
    results.push_back(make(OpKind::InitTile, std::move(operands), partTypes(tile)[k]));
  }
  bind(tile, std::move(results));
}

void Blocking::updateTile(const Op &op) {
  const Value *from = op.operand(0), *to = op.result();
  bool known = roots_.root(to) != nullptr;
  if (known && !isScatter(to)) {
    values_[to] = {make(OpKind::AddI, {of(from)[0], one(op.operand(1))}, context_.index()),
                   make(OpKind::AddI, {of(from)[1], one(op.operand(2))}, context_.index())};
    return;
  }
  Values results;
  for (size_t k = 0; k < of(from).size(); ++k) {
    bool each = op.operand(1)->type().isVector();
    Value *delta = each ? of(op.operand(1))[k] : one(op.operand(1));
    if (!known) {
      Values operands = {of(from)[k], delta};
      if (op.operandCount() > 2) operands.push_back(one(op.operand(2)));
      results.push_back(make(OpKind::UpdateTileOffset, std::move(operands), of(from)[k]->type()));
      continue;
    }
    Type offsets = of(from)[k]->type();
    if (!each) delta = make(OpKind::Splat, {delta}, offsets);
    results.push_back(make(OpKind::AddI, {of(from)[k], delta}, offsets));
  }
  bind(to, std::move(results));
}

// The operands of an init_tile for the region at `origin` of the tile. `turned`: at `origin` of the tile's transpose,
// for the transpose of the matrix.
Values Blocking::initOperands(const Value *tile, const std::vector<int64_t> &origin, bool turned) {
  const Op &root = *roots_.root(tile);
  size_t row = rowOffsetAt(root);
  Values operands;
  for (size_t i = 0; i < root.operandCount(); ++i) {
    bool own = i == row || i == row + 1;
    size_t d = i - row;
    operands.push_back(own ? plus(of(tile)[turned ? 1 - d : d], origin[d]) : one(root.operand(i)));
  }
  if (turned) operands[0] = transposedBase(operands[0]);
  return operands;
}

Value *Blocking::transposedBase(const Value *param) {
  Value *&made = transposed_[param];
  if (made) return made;
  Builder front(context_, kernel_.body);
  if (Op *first = lastOld_->next()) front.setBefore(first);
  front.setRange(param->range());
  return made = front.value(OpKind::Cast, {kernel_.param(param->index())}, transposedMemRef(context_, param->type()));
}

Value *Blocking::tileBlock(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                           const Layout *lanes) {
  TypeData data = tile->type().data();
  data.shape = shape;
  data.layout = lanes;
  return make(OpKind::InitTile, initOperands(tile, origin), context_.intern(std::move(data)));
}

Value *Blocking::scatterBlock(const Op &init, Value *offsets) {
  Values operands;
  for (size_t i = 0; i < init.operandCount(); ++i) operands.push_back(i == 1 ? offsets : one(init.operand(i)));
  TypeData data = init.result()->type().data();
  data.shape = {offsets->type().shape().begin(), offsets->type().shape().end()};
  return make(OpKind::InitTile, std::move(operands), context_.intern(std::move(data)));
}

// The tile of block k of `grid`; where the root is not known, `grid` is the tile's own grid.
Value *Blocking::tileOf(const Value *tile, const BlockGrid &grid, size_t k, const Layout *lanes) {
  const Op *root = roots_.root(tile);
  if (!root) return of(tile)[k];
  return isScatter(tile) ? scatterBlock(*root, of(tile)[k]) : tileBlock(tile, grid.origin(k), grid.shape(k), lanes);
}

void Blocking::atomic(const Op &op) {
  const Value *tile = nullptr;
  for (const Value *operand : op.operands())
    if (operand->type().isTile()) tile = operand;
  XT_CHECK(tile, "gathers, scatters and atomics have a tile");
  const BlockGrid &grid = classes_.grid(tile);
  Values results;
  for (size_t k = 0; k < grid.count(); ++k) {
    Values operands;
    for (const Value *operand : op.operands()) operands.push_back(operand == tile ? tileOf(tile, grid, k) : of(operand)[k]);
    std::vector<Type> types;
    if (op.resultCount()) types.push_back(blockType(op.result(), k));
    Op *made = copy(op, std::move(operands), std::move(types));
    if (op.resultCount()) results.push_back(made->result());
  }
  if (op.resultCount()) bind(op.result(), std::move(results));
}

// --- what messages can take ------------------------------------------------------------------------------------------

std::string Blocking::whyNoBase(const Op &root) const {
  const Value *base = root.operand(0);
  if (root.operandCount() > rowOffsetAt(root) + 2 || !base->type().isMemRef())
    return "the shape and strides of its matrix are computed in the kernel, so they may break the rules of block messages";
  const Value *source = withoutCasts(base);
  bool parameter = source->definingBlock() == &kernel_.body && source->index() < kernel_.paramCount,
       columns = isByColumns(root.result());
  if (!parameter || (columns && source != base)) return "its base is not a parameter of the kernel";
  return whyNoBlockBase(target_.blocks, blockBaseOf(columns ? transposedMemRef(context_, base->type()) : base->type()));
}

std::string Blocking::whyNoMessages(const Value *tile, bool stores) const {
  const TypeData &data = tile->type().data();
  if (!target_.blocks.any()) return str(target_.name, " has no 2D block messages");
  if (int64_t size = target_.subgroupSizes[0]; classes_.lanes() != size)
    return str("2D block messages need subgroups of ", size, " lanes, and the layouts of this kernel need ", classes_.lanes());
  if (data.space == MemorySpace::Slm) return "2D block messages cannot access shared local memory";
  if (data.scatter) return "each of its elements has its own offset";
  if (data.packed) return "its rows are packed in memory";
  if (stores && isByColumns(tile)) return "its matrix is column-major, and no message transposes what it stores";
  const Op *root = roots_.root(tile);
  if (!root) return "it may refer to different matrices";
  if (std::string reason = whyNoBase(*root); !reason.empty()) return reason;
  int64_t bytes = elemInfo(data.elem).storageBytes, divisor = roots_.columnDivisor(tile);
  if (divisor * bytes % target_.blocks.columnMultiple != 0)
    return str("its first ", isByColumns(tile) ? "row" : "column", " is not known to be a multiple of ",
               target_.blocks.columnMultiple / bytes, " (", target_.blocks.columnMultiple, " bytes), as a block message needs");
  return "";
}

void Blocking::fallBack(const Op &op, const std::string &reason) {
  diagnostics_.report(DiagCode::BlockRemark, op.range(),
                      str("`", op.info().name, "` moves element by element under a mask: ", reason));
}

// --- messages --------------------------------------------------------------------------------------------------------

// `origin` and `shape` are in memory order: for a matrix that is stored by columns, those of its transpose.
Value *Blocking::descriptor(const Value *tile, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape) {
  TypeData data = tile->type().data();
  data.kind = TypeKind::TensorDesc;
  data.shape = shape;
  data.order = Order::RowMajor;
  Op *op = create(OpKind::CreateNdTdesc, initOperands(tile, origin, isByColumns(tile)), {context_.intern(std::move(data))});
  setVc(op);
  return op->result();
}

// The messages that cover the tile, each with the part of it that is used: the last one in a row or column may overshoot.
BlockGrid Blocking::messageGrid(Type tile, const BlockShape &shape, bool operandSized, const BlockGrid &wanted) const {
  BlockGrid grid;
  grid.dims.resize(2);
  for (int64_t rows = tile.extent(0), at = 0; rows > 0;) {
    int64_t most = operandSized ? wanted.dims[0][std::min(static_cast<size_t>(at), wanted.dims[0].size() - 1)] : rows;
    int64_t length =
        operandSized ? std::min(rows, largestWithin(most, shape.fewestRows, shape.mostRows)) : rowsOfNext(rows, shape);
    grid.dims[0].push_back(length);
    rows -= length, ++at;
  }
  for (int64_t columns = tile.extent(1); columns > 0;) {
    int64_t several = operandSized ? 1 : largestWithin((columns + shape.columns - 1) / shape.columns, 1, shape.blocks);
    int64_t length = std::min(columns, several * shape.columns);
    grid.dims[1].push_back(length);
    columns -= length;
  }
  return grid;
}

// `shape` is that of the block in memory, `used` the part of it that is needed.
Value *Blocking::loadMessage(const Op &op, const std::vector<int64_t> &origin, const std::vector<int64_t> &shape,
                             const std::vector<int64_t> &used, bool transposed, bool packs) {
  const Value *tile = op.operand(0);
  Elem elem = tile->type().elem();
  std::vector<int64_t> result = shape;
  if (transposed) std::swap(result[0], result[1]);
  if (packs) result = packedShape(result, elem);
  Op *load = create(OpKind::LoadNd, {descriptor(tile, origin, shape)}, {context_.vector(std::move(result), elem)});
  if (transposed) LoadNdOp(*load).setTranspose({1, 0});
  if (packs) LoadNdOp(*load).setVnniAxis(0);
  if (used != shape) LoadNdOp(*load).setUsed(used);
  setVc(load);
  return load->result();
}

// The messages that load a tile: one per block of `grid`.
struct Blocking::LoadPlan {
  struct Message {
    std::vector<int64_t> origin, size, used; // the block in memory, and the part of it that is needed
  };
  BlockGrid grid; // of the result
  std::vector<Message> messages;
  bool turned = false, packs = false;
};

// Nullopt: the target has no message for the tile's elements.
std::optional<Blocking::LoadPlan> Blocking::planLoad(const Op &op) const {
  const Value *tile = op.operand(0), *result = op.result();
  const BlockGrid &wanted = classes_.grid(result);
  int bits = memoryBits(tile->type().elem());
  LoadPlan plan;
  plan.turned = transposes(op) != isByColumns(tile), plan.packs = classes_.packed(result);
  if (plan.turned || plan.packs) return planShapedLoad(op, std::move(plan));
  const BlockShape *shape = nullptr;
  for (const BlockShape &s : target_.blockShapes)
    if (s.use == BlockUse::Load && s.bits == bits && s.fewestBlocks == 1 && (!shape || s.columns == wanted.dims[1][0]))
      shape = &s;
  if (!shape) return std::nullopt;
  plan.grid = messageGrid(result->type(), *shape, classes_.isOperand(result), wanted);
  for (size_t k = 0; k < plan.grid.count(); ++k) {
    std::vector<int64_t> used = plan.grid.shape(k);
    std::vector<int64_t> size = {smallestOver(used[0], fewestRowsOf(*shape, target_.subgroupSizes[0])),
                                 wholeBlocks(used[1], *shape)};
    plan.messages.push_back({plan.grid.origin(k), std::move(size), std::move(used)});
  }
  return plan;
}

// One message per block: it packs, transposes in units of 32 bits, or does both.
std::optional<Blocking::LoadPlan> Blocking::planShapedLoad(const Op &op, LoadPlan plan) const {
  const Value *result = op.result();
  int bits = memoryBits(op.operand(0)->type().elem());
  const BlockShape *shape =
      blockShape(target_, plan.turned ? BlockUse::LoadTransposed : BlockUse::LoadVnni, plan.turned ? 32 : bits);
  if (!shape || bits > 32) return std::nullopt;
  int64_t unit = plan.turned ? 32 / bits : 1; // elements that are transposed as one unit
  plan.grid = classes_.grid(result);
  // Blocks of the fewest rows: then each row of the result is one register, as in blocks that are not transposed.
  if (!plan.packs)
    plan.grid.dims = {cutEvenly(result->type().extent(0), shape->columns * unit),
                      cutEvenly(result->type().extent(1), shape->fewestRows)};
  for (size_t k = 0; k < plan.grid.count(); ++k) {
    std::vector<int64_t> origin = plan.grid.origin(k), used = plan.grid.shape(k), size = used;
    if (plan.turned) {
      std::swap(origin[0], origin[1]);
      std::swap(used[0], used[1]);
      size = {shape->fewestRows, shape->columns * unit};
      if (plan.packs && size != used) return std::nullopt;
    } else if (size[0] < shape->fewestRows || size[0] > shape->mostRows || size[1] != shape->columns) {
      return std::nullopt;
    }
    plan.messages.push_back({std::move(origin), std::move(size), std::move(used)});
  }
  return plan;
}

// Whether the messages give each lane the elements that the kernel states.
bool Blocking::dealsAsStated(const Op &op, const LoadPlan &plan) {
  const Value *result = op.result();
  int bits = memoryBits(op.operand(0)->type().elem());
  for (size_t k = 0; k < plan.messages.size(); ++k) {
    const LoadPlan::Message &message = plan.messages[k];
    const Layout *given = blockMessageLayout(context_, message.size, bits, classes_.lanes(), plan.turned, plan.packs);
    if (given) given = sliced(context_, given, message.used);
    if (given && plan.turned) given = xt::transposed(context_, given, std::vector<int64_t>{1, 0});
    if (!given || given != classes_.layout(result, plan.grid.shape(k))) return false;
  }
  return true;
}

void Blocking::loadByMessages(const Op &op, const LoadPlan &plan) {
  Values blocks;
  for (size_t k = 0; k < plan.messages.size(); ++k) {
    const LoadPlan::Message &message = plan.messages[k];
    Value *block = loadMessage(op, message.origin, message.size, message.used, plan.turned, plan.packs);
    blocks.push_back(plan.packs ? block : slice(block, {0, 0}, plan.grid.shape(k)));
  }
  const BlockGrid &wanted = classes_.grid(op.result());
  bind(op.result(), plan.packs ? std::move(blocks) : reblocked(blocks, plan.grid, wanted));
}

void Blocking::loadTile(const Op &op) {
  const Value *tile = op.operand(0), *result = op.result();
  std::string reason = whyNoMessages(tile, false);
  const AttrValue *padding = LoadTileOp(op).padding();
  if (reason.empty() && padding && !isZero(*padding)) reason = "block messages can pad only with zeros";
  const Layout *stated = classes_.layout(result, result->type().shape());
  if (reason.empty()) {
    std::optional<LoadPlan> plan = planLoad(op);
    if (plan && (!stated || dealsAsStated(op, *plan))) return loadByMessages(op, *plan);
    reason = plan ? str("no block message gives each lane what the layout states: ", stated->text())
                  : str(target_.name, " has no block message for ", transposes(op) != isByColumns(tile) ? "transposed " : "",
                        "elements of ", memoryBits(tile->type().elem()), " bits");
  }
  fallBack(op, reason);
  BlockGrid own = classes_.grid(result), grid = stated ? own : memoryGrid(result->type(), own);
  if (!roots_.root(tile)) { // one tile per block
    grid = classes_.grid(tile);
    if (transposes(op)) std::swap(grid.dims[0], grid.dims[1]);
  }
  Values blocks = reblocked(loadBlocks(op, grid), grid, own);
  if (classes_.packed(result))
    for (Value *&block : blocks) block = packed(block);
  bind(result, std::move(blocks));
}

// Emits one load for each block of the result.
Values Blocking::loadBlocks(const Op &op, const BlockGrid &grid) {
  const Value *tile = op.operand(0);
  bool turned = transposes(op), known = roots_.root(tile) != nullptr;
  Values blocks;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k), place(2);
    std::vector<size_t> at = grid.at(k);
    const Layout *lanes = known ? classes_.layout(op.result(), shape) : nullptr;
    Type result = context_.vector(shape, tile->type().elem(), lanes);
    if (lanes && turned) lanes = xt::transposed(context_, lanes, std::vector<int64_t>{1, 0});
    if (turned) std::swap(origin[0], origin[1]), std::swap(shape[0], shape[1]), std::swap(at[0], at[1]);
    Value *window = known ? tileBlock(tile, origin, shape, lanes) : of(tile)[classes_.grid(tile).number(at)];
    blocks.push_back(copy(op, {window}, {result})->result());
  }
  return blocks;
}

// The grid `wanted`, unless one of its blocks is larger than a message can move.
BlockGrid Blocking::memoryGrid(Type type, const BlockGrid &wanted) const {
  for (size_t k = 0; k < wanted.count(); ++k)
    if (context_.vector(wanted.shape(k), type.elem()).byteCount() > kMessageBytes) return classes_.plainGrid(type);
  return wanted;
}

void Blocking::storeByLanes(const Op &op, const std::string &reason) {
  const Value *value = op.operand(0), *tile = op.operand(1);
  fallBack(op, reason);
  BlockGrid grid = classes_.grid(value);
  if (!roots_.root(tile))
    grid = classes_.grid(tile);
  else if (!classes_.layout(value, value->type().shape()))
    grid = memoryGrid(value->type(), grid);
  Values blocks = inGrid(value, grid);
  for (size_t k = 0; k < grid.count(); ++k) copy(op, {blocks[k], tileOf(tile, grid, k, blocks[k]->type().layout())}, {});
}

// Whether each lane holds what the messages that store these blocks take from it.
bool Blocking::dealtAsStated(const Value *value, const BlockGrid &grid) {
  int bits = memoryBits(value->type().elem());
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> size = grid.shape(k);
    if (!blockMessage(target_, BlockUse::Store, bits, size[0], size[1])) continue; // stored by lanes
    const Layout *taken = blockMessageLayout(context_, size, bits, classes_.lanes(), false, false);
    if (!taken || taken != classes_.layout(value, size)) return false;
  }
  return true;
}

void Blocking::storeTile(const Op &op) {
  const Value *value = op.operand(0), *tile = op.operand(1);
  std::string reason = whyNoMessages(tile, true);
  int bits = memoryBits(tile->type().elem());
  const BlockShape *shape = reason.empty() ? blockShape(target_, BlockUse::Store, bits) : nullptr;
  if (reason.empty() && !shape) reason = str(target_.name, " has no block message that stores elements of ", bits, " bits");
  if (!reason.empty()) return storeByLanes(op, reason);
  // Uses the widest blocks available, and narrower ones for the remainder.
  BlockGrid grid;
  grid.dims = {cutToPowersOfTwo(tile->type().extent(0), shape->mostRows), {}};
  for (int64_t columns = tile->type().extent(1); columns > 0; columns -= grid.dims[1].back()) {
    const BlockShape *fits = storeOfAtMost(bits, columns);
    grid.dims[1].push_back(fits ? fits->columns : columns);
  }
  const Layout *stated = classes_.layout(value, value->type().shape());
  if (stated && !dealtAsStated(value, grid))
    return storeByLanes(op, str("no block message takes from each lane what the layout states: ", stated->text()));
  Values blocks = inGrid(value, grid);
  bool told = false;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), size = grid.shape(k);
    if (blockMessage(target_, BlockUse::Store, bits, size[0], size[1])) {
      setVc(create(OpKind::StoreNd, {blocks[k], descriptor(tile, origin, size)}, {}));
      continue;
    }
    // A message writes whole rows, so the remainder must not be stored by one that goes beyond the tile.
    if (!told) fallBack(op, str("the last ", size[1], " columns are narrower than any message"));
    told = true;
    copy(op, {blocks[k], tileBlock(tile, origin, size)}, {});
  }
}

// The widest message that stores at most `columns` columns; null if there is no such message.
const BlockShape *Blocking::storeOfAtMost(int bits, int64_t columns) const {
  const BlockShape *widest = nullptr;
  for (const BlockShape &shape : target_.blockShapes) {
    bool fits = shape.use == BlockUse::Store && shape.bits == bits && shape.columns <= columns;
    if (fits && (!widest || shape.columns > widest->columns)) widest = &shape;
  }
  return widest;
}

// Prefetching beyond the tile is harmless.
void Blocking::prefetchTile(const Op &op) {
  const Value *tile = op.operand(0);
  Type type = tile->type();
  if (isByColumns(tile)) type = context_.vector({type.extent(1), type.extent(0)}, type.elem());
  const BlockShape *shape =
      whyNoMessages(tile, false).empty() ? blockShape(target_, BlockUse::Prefetch, memoryBits(type.elem())) : nullptr;
  if (!shape) {
    const BlockGrid &grid = classes_.grid(tile);
    for (size_t k = 0; k < grid.count(); ++k) copy(op, {tileOf(tile, grid, k)}, {});
    return;
  }
  BlockGrid grid = messageGrid(type, *shape, false, classes_.plainGrid(type));
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> used = grid.shape(k);
    std::vector<int64_t> size = {smallestOver(used[0], shape->fewestRows), wholeBlocks(used[1], *shape)};
    Op *made = create(OpKind::PrefetchNd, {descriptor(tile, grid.origin(k), size)}, {});
    // Locality 0 caches at no level, 1 and 2 in the outer cache only.
    int64_t locality = PrefetchTileOp(op).locality().value_or(3);
    PrefetchNdOp prefetch(*made);
    prefetch.setL1Hint(locality == 3 ? PrefetchNdL1Hint::Cached : PrefetchNdL1Hint::Uncached);
    prefetch.setL3Hint(locality > 0 ? PrefetchNdL3Hint::Cached : PrefetchNdL3Hint::Uncached);
    setVc(made);
  }
}

} // namespace xt
