#include "passes/block_loads.h"

#include "ir/base/text.h"
#include "ir/constants.h"
#include "ir/context.h"
#include "ir/gpu/lane_fragments.h"
#include "ir/gpu/line_reads.h"
#include "ir/gpu/matrix_loads.h"
#include "ir/gpu/quad_fragments.h"
#include "ir/op_kinds.h"
#include "ir/views/tile.h"
#include "ir/views/xegpu.h"

#include <algorithm>
#include <cmath>

namespace xt {

namespace {

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

// The smallest number of rows of a message that fills a register of the subgroup, even if the block has fewer columns than
// lanes.
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

// --- plans -----------------------------------------------------------------------------------------------------------

// Cuts a tile into parts that one message each covers. The last message in a row or a column may go beyond the tile. If
// `operandSized`, each part is a single block with as many rows as a block of `wanted`, as far as the message allows.
BlockGrid BlockLoads::messageGrid(Type tile, const BlockShape &shape, bool operandSized, const BlockGrid &wanted) const {
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

std::optional<BlockLoads::Plan> BlockLoads::plan(const Op &op) const {
  const Value *tile = op.operand(0), *result = op.result();
  const BlockGrid &wanted = classes_.grid(result);
  int bits = memoryBits(tile->type().elem());
  Plan plan;
  plan.transposed = transposes(op) != isByColumns(tile), plan.packs = classes_.packed(result);
  if (plan.transposed || plan.packs) return planShaped(op, std::move(plan));
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
std::optional<BlockLoads::Plan> BlockLoads::planShaped(const Op &op, Plan plan) const {
  const Value *result = op.result();
  int bits = memoryBits(op.operand(0)->type().elem());
  const BlockShape *shape =
      blockShape(target_, plan.transposed ? BlockUse::LoadTransposed : BlockUse::LoadVnni, plan.transposed ? 32 : bits);
  if (!shape || bits > 32) return std::nullopt;
  int64_t unit = plan.transposed ? 32 / bits : 1; // elements that are transposed as one unit
  plan.grid = classes_.grid(result);
  // Uses blocks with the smallest number of rows in memory. Then each row of the result is one register, as in blocks that
  // are not transposed.
  if (!plan.packs)
    plan.grid.dims = {cutEvenly(result->type().extent(0), shape->columns * unit),
                      cutEvenly(result->type().extent(1), shape->fewestRows)};
  for (size_t k = 0; k < plan.grid.count(); ++k) {
    std::vector<int64_t> origin = plan.grid.origin(k), used = plan.grid.shape(k);
    std::vector<int64_t> size = used;
    if (plan.transposed) {
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
bool BlockLoads::givesStatedLayout(const Op &op, const Plan &plan) const {
  const Value *result = op.result();
  Context &context = b_.context();
  int bits = memoryBits(op.operand(0)->type().elem());
  for (size_t k = 0; k < plan.messages.size(); ++k) {
    const Message &message = plan.messages[k];
    const Layout *given = blockMessageLayout(context, message.size, bits, classes_.lanes(), plan.transposed, plan.packs);
    if (given) given = sliced(context, given, message.used);
    if (given && plan.transposed) given = transposed(context, given, std::vector<int64_t>{1, 0});
    if (!given || given != classes_.layout(result, plan.grid.shape(k))) return false;
  }
  return true;
}

// --- loads -----------------------------------------------------------------------------------------------------------

void BlockLoads::loadTile(const Op &op) {
  const Value *tile = op.operand(0), *result = op.result();
  std::string reason = messages_.whyNot(tile, false);
  const AttrValue *padding = LoadTileOp(op).padding();
  if (reason.empty() && padding && !isPositiveZero(*padding)) reason = "block messages can pad only with zeros";
  if (reason.empty()) {
    std::optional<Plan> planned = plan(op);
    const Layout *stated = classes_.layout(result, result->type().shape());
    if (planned && (!stated || givesStatedLayout(op, *planned))) return loadByMessages(op, *planned);
    reason = planned ? str("no block message gives each lane what the layout states: ", stated->text())
                     : str(target_.name, " has no block message for ", transposes(op) != isByColumns(tile) ? "transposed " : "",
                           "elements of ", memoryBits(tile->type().elem()), " bits");
  }
  if (!mayLoadRows(op)) messages_.remarkOnFallback(op, reason);
  loadByLanes(op);
}

void BlockLoads::loadByMessages(const Op &op, const Plan &plan) {
  Values blocks;
  for (size_t k = 0; k < plan.messages.size(); ++k) {
    Value *block = load(op, plan, plan.messages[k]);
    blocks.push_back(plan.packs ? block : parts_.slice(block, {0, 0}, plan.grid.shape(k)));
  }
  const BlockGrid &wanted = classes_.grid(op.result());
  values_.bind(op.result(), plan.packs ? std::move(blocks) : parts_.reblocked(blocks, plan.grid, wanted));
}

Value *BlockLoads::load(const Op &op, const Plan &plan, const Message &message) {
  const Value *tile = op.operand(0);
  Elem elem = tile->type().elem();
  std::vector<int64_t> result = message.size;
  if (plan.transposed) std::swap(result[0], result[1]);
  if (plan.packs) result = packedShape(result, elem);
  Op *made = b_.create(OpKind::LoadNd, {messages_.descriptor(tile, message.origin, message.size)},
                       {b_.context().vector(std::move(result), elem)});
  if (plan.transposed) LoadNdOp(*made).setTranspose({1, 0});
  if (plan.packs) LoadNdOp(*made).setVnniAxis(0);
  if (message.used != message.size) LoadNdOp(*made).setUsed(message.used);
  setVc(made);
  return made->result();
}

void BlockLoads::loadByLanes(const Op &op) {
  const Value *tile = op.operand(0), *result = op.result();
  bool stated = classes_.layout(result, result->type().shape()) != nullptr;
  BlockGrid own = classes_.grid(result), grid = stated ? own : windows_.accessGrid(result->type(), own);
  if (!roots_.root(tile)) { // the grid must have one block per tile
    grid = classes_.grid(tile);
    if (transposes(op)) std::swap(grid.dims[0], grid.dims[1]);
  }
  if (!stated) grid = loadsRows(op) ? rowsGrid(op, grid) : matricesGrid(op, grid);
  Values blocks = parts_.reblocked(loadWindows(op, grid), grid, own);
  if (classes_.packed(result))
    for (Value *&block : blocks) block = parts_.packed(block);
  values_.bind(result, std::move(blocks));
}

// Whether instructions load blocks of operand b of this op as whole matrices (ir/gpu/matrix_loads.h).
bool BlockLoads::loadsMatrices(const Op &op) const {
  const TypeData &tile = op.operand(0)->type().data();
  return target_.matrixLoads && tile.space == MemorySpace::Slm && !tile.packed && roots_.root(op.operand(0)) &&
         classes_.packed(op.result());
}

// Joins two blocks of operand b that are beside each other where an instruction loads both.
BlockGrid BlockLoads::matricesGrid(const Op &op, BlockGrid grid) const {
  if (!loadsMatrices(op)) return grid;
  int64_t bytes = elemInfo(op.result()->type().elem()).storageBytes;
  Lengths joined;
  for (size_t i = 0; i + 1 < grid.dims[1].size(); i += 2) joined.push_back(grid.dims[1][i] + grid.dims[1][i + 1]);
  auto fits = [&](int64_t rows) { return rows * bytes == 2 * kMatrixRowBytes; };
  auto isOne = [](int64_t columns) { return columns == kMatrixRows; };
  bool joins =
      grid.dims[1].size() % 2 == 0 && std::ranges::all_of(grid.dims[1], isOne) && std::ranges::all_of(grid.dims[0], fits);
  if (joins) grid.dims[1] = std::move(joined);
  return grid;
}

// The parts of a thread's registers that joined blocks may take: of an operand that takes more than a quarter of them, and of
// others.
constexpr int64_t kLargeOperand = 4, kPartOfLarge = 16, kPart = 8;

// Whether 1D block messages may load the rows of this tile, if the lanes hold it in a layout for them (ir/gpu/line_reads.h).
bool BlockLoads::mayLoadRows(const Op &op) const {
  const Value *tile = op.operand(0);
  const TypeData &data = tile->type().data();
  const AttrValue *padding = LoadTileOp(op).padding();
  const int bits = elemInfo(data.elem).bits;
  return bits >= 8 && bits <= 32 && !target_.lineWords.empty() && !target_.blocks.any() && data.space == MemorySpace::Global &&
         !data.packed && !data.scatter && !transposes(op) && !isByColumns(tile) && op.operandCount() == 1 &&
         (!padding || isPositiveZero(*padding)) && roots_.root(tile);
}

// Whether they may load the rows of this operand of an instruction, in which lanes have words of 32 bits.
bool BlockLoads::loadsRows(const Op &op) const {
  return mayLoadRows(op) && classes_.isOperand(op.result()) && elemInfo(op.result()->type().elem()).bits < 32;
}

// The layout of a part of the operand, in which a lane holds the same of each of its blocks; null if a row of a block is no word of each
// lane, or if the part is larger than a message.
const Layout *BlockLoads::rowsLayout(const Op &op, const std::vector<int64_t> &shape) const {
  int64_t lanes = classes_.lanes(), wide = classes_.grid(op.result()).dims[1][0];
  const Layout *layout = dealtToLanes(b_.context(), {1, lanes}, {1, std::max<int64_t>(1, wide / lanes)}, shape);
  std::optional<LineRead> read = layout ? lineRead(target_, *layout, op.result()->type().elem()) : std::nullopt;
  return read && read->words <= kMostLineWords ? layout : nullptr;
}

// Joins pairs of blocks beside each other, as long as one message loads a row of both. A block is loaded in a branch, behind
// which all of it is in registers. So an operand that takes many comes in small blocks, between which the products use them up.
BlockGrid BlockLoads::rowsGrid(const Op &op, const BlockGrid &own) const {
  BlockGrid grid = own;
  Type type = op.result()->type();
  int64_t registers = target_.registerFile.back() * target_.registerBytes;
  int64_t most = registers / (type.byteCount() > registers / kLargeOperand ? kPartOfLarge : kPart);
  for (;;) {
    const Lengths &columns = grid.dims[1];
    if (columns.size() % 2 != 0 || std::ranges::any_of(columns, [&](int64_t c) { return c != columns[0]; })) return grid;
    BlockGrid joined{{grid.dims[0], Lengths(columns.size() / 2, 2 * columns[0])}};
    if (!rowsLayout(op, joined.shape(0)) || !(windows_.accessGrid(type, joined) == joined)) return grid;
    if (b_.context().vector(joined.shape(0), type.elem()).byteCount() > most) return grid;
    grid = std::move(joined);
  }
}

// Emits one load for each block of `grid`.
Values BlockLoads::loadWindows(const Op &op, const BlockGrid &grid) {
  const Value *tile = op.operand(0);
  bool swaps = transposes(op), known = roots_.root(tile) != nullptr;
  Values blocks;
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> origin = grid.origin(k), shape = grid.shape(k);
    std::vector<size_t> at = grid.at(k);
    const Layout *lanes = known ? classes_.layout(op.result(), shape) : nullptr;
    if (!lanes && loadsRows(op)) lanes = rowsLayout(op, shape);
    if (!lanes && loadsMatrices(op)) lanes = quadLayoutOfB(b_.context(), shape, tile->type().elem());
    Type result = b_.context().vector(shape, tile->type().elem(), lanes);
    if (lanes && swaps) lanes = transposed(b_.context(), lanes, std::vector<int64_t>{1, 0});
    if (swaps) std::swap(origin[0], origin[1]), std::swap(shape[0], shape[1]), std::swap(at[0], at[1]);
    Value *window = known ? windows_.at(tile, origin, shape, lanes) : values_.of(tile)[classes_.grid(tile).number(at)];
    blocks.push_back(values_.copy(op, {window}, {result})->result());
  }
  return blocks;
}

// --- prefetches ------------------------------------------------------------------------------------------------------

// A message may prefetch beyond the tile, which is harmless.
void BlockLoads::prefetchTile(const Op &op) {
  const Value *tile = op.operand(0);
  Type type = tile->type();
  if (isByColumns(tile)) type = b_.context().vector({type.extent(1), type.extent(0)}, type.elem());
  bool byMessages = messages_.whyNot(tile, false).empty();
  const BlockShape *shape = byMessages ? blockShape(target_, BlockUse::Prefetch, memoryBits(type.elem())) : nullptr;
  if (!shape) {
    const BlockGrid &grid = classes_.grid(tile);
    for (size_t k = 0; k < grid.count(); ++k) values_.copy(op, {windows_.of(tile, grid, k)}, {});
    return;
  }
  BlockGrid grid = messageGrid(type, *shape, false, classes_.plainGrid(type));
  for (size_t k = 0; k < grid.count(); ++k) {
    std::vector<int64_t> used = grid.shape(k);
    std::vector<int64_t> size = {smallestOver(used[0], shape->fewestRows), wholeBlocks(used[1], *shape)};
    Op *made = b_.create(OpKind::PrefetchNd, {messages_.descriptor(tile, grid.origin(k), size)}, {});
    // Locality 0 means no cache, 1 and 2 mean the outer cache only, and 3 means both.
    int64_t locality = PrefetchTileOp(op).locality().value_or(3);
    PrefetchNdOp prefetch(*made);
    prefetch.setL1Hint(locality == 3 ? PrefetchNdL1Hint::Cached : PrefetchNdL1Hint::Uncached);
    prefetch.setL3Hint(locality > 0 ? PrefetchNdL3Hint::Cached : PrefetchNdL3Hint::Uncached);
    setVc(made);
  }
}

} // namespace xt
