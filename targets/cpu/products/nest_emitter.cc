#include "targets/cpu/products/nest_emitter.h"

#include "ir/constants.h"
#include "ir/nest_rows.h"
#include "ir/views/nest.h"

namespace xt {

NestEmitter::NestEmitter(KernelEmitter &emitter, const Op &nest, SharedPanels &panels)
    : n(emitter, nest, panels), p(n.problem), b(n.b), e_(emitter), reader_(n), slices_(n), packer_(n, reader_, slices_),
      stager_(n, reader_, slices_), sharing_(n), panels_(n, sharing_, packer_), sums_(n), prefetcher_(n),
      tiles_(registerTiles(n, reader_, prefetcher_, sums_)), amx_(n, slices_, sums_), sweep_(n, slices_) {
  if (tiles_) rows_.emplace(n, prefetcher_, sums_, *tiles_);
}

void NestEmitter::toBuffer() {
  e_.flow.moveAll({n.op.operand(2)}, {n.op.result()});
  FusedLoop sink(e_);
  sink.nestToBuffer(n.op.result(), n.buffer(kNestSums));
  run(sink, b.getTrue(), true);
}

void NestEmitter::toTile(const Op &store) {
  LlvmValue *apart = sharing_.isApart(store);
  FusedLoop sink(e_);
  sink.toTile(store.operand(0), store.operand(1));
  sharing_.choosePanels(store);
  run(sink, apart, store.operand(0) == n.op.result());
}

// `apart`: whether the sink may use sums as soon as they are ready; otherwise it runs after all sums have been computed.
void NestEmitter::run(FusedLoop &sink, LlvmValue *apart, bool storesSums) {
  LlvmValue *total = totalDepth();
  sink.prepare();
  sums_.setSink(sink, storesSums);
  auto [rows, columns] = sink.extents();
  if (LlvmValue *needed = sink.storedTile() ? nullptr : e_.tiles.neededRows(n.op.result())) rows = needed;
  n.left = windowOf(0, total);
  n.right = windowOf(1, total);
  plan(rows, columns, apart);
  numberRows();
  // Steps of K that are out of bounds of both `a` and `b` would only add zeros: they are skipped.
  if (!p.fresh && isFloat(p.elem)) addSkipped(b.CreateICmpSGT(total, n.elementDepth));
  LlvmValue *zeros = byteOffset(b, n.addressOf(kNestCells), n.number(kNestZeroRow * kNestPanelBytes));
  for (int v = 0; v < p.tile.vectors; ++v)
    b.CreateAlignedStore(e_.context.ops.zero(p.elem, p.lanes()), byteOffset(b, zeros, n.number(v * p.lanes() * p.bytes())),
                         n.vectorAlign());
  if (p.inTiles()) amx_.begin();
  forLoop(b, n.number(0), n.planned(&NestPlan::turns), n.number(1), [&](LlvmValue *block) { emitBlock(block); });
  if (p.inTiles()) amx_.end();
}

// Writes the numbers of the rows of `a` to a buffer, if they are given and have none.
void NestEmitter::numberRows() {
  Value *rows = nestRows(n.op);
  if (!rows || e_.context.buffers.bufferOf(rows)) return;
  FusedLoop loop(e_);
  loop.toBuffer(rows, n.buffer(kNestRows));
  loop.emit();
}

// The elements of K that all iterations of the nest cover.
LlvmValue *NestEmitter::totalDepth() {
  LlvmValue *step = e_.context.scalar(n.op.operand(5));
  if (constantInt(*n.op.operand(5)).value_or(0) <= 0)
    e_.context.failIf(b.CreateICmpSLE(step, n.number(0)),
                      e_.context.addFailure({n.op.operandRange(5), "the step of a `nest` must be positive", {}}));
  LlvmValue *trips = e_.flow.tripCount(e_.context.scalar(n.op.operand(3)), e_.context.scalar(n.op.operand(4)), step);
  int64_t extent = n.op.operand(0)->type().extent(NestOp(n.op).transposeA() ? 0 : 1);
  // Elements past the end of a matrix are 0, and no matrix in memory is deeper than this limit.
  LlvmValue *limit = e_.context.argument((int64_t{1} << 60) / extent);
  trips = b.CreateSelect(b.CreateICmpUGT(trips, limit), limit, trips);
  return b.CreateMul(trips, e_.context.argument(extent));
}

// Returns the access to operand `a` (0) or `b` (1) over all of K.
TileAccess NestEmitter::windowOf(size_t operand, LlvmValue *total) {
  const Value *tile = n.op.operand(operand);
  const bool transposes = operand == 0 ? NestOp(n.op).transposeA() : NestOp(n.op).transposeB();
  const bool down = (operand == 1) != transposes; // whether K runs down the rows
  LlvmValue *rows = down ? total : e_.context.argument(tile->type().extent(0)),
            *columns = down ? e_.context.argument(tile->type().extent(1)) : total;
  TileAccess access = e_.tiles.accessWindow(tile, rows, columns, nullptr);
  return tile->type().data().order == Order::ColumnMajor ? Transposer::transposed(access) : access;
}

// Writes the sizes, calls xt_plan_nest, and takes from its plan what all blocks need.
void NestEmitter::plan(LlvmValue *rows, LlvmValue *columns, LlvmValue *apart) {
  n.problem.left.unitStride = n.left.unitStride, n.problem.right.unitStride = n.right.unitStride;
  n.rules = rulesOf(p);
  n.plan.set(b, &NestSizes::rules, e_.context.numbersAddress(rulesAsWords(n.rules)));
  n.plan.set(b, &NestSizes::rows, rows);
  n.plan.set(b, &NestSizes::columns, columns);
  n.plan.set(b, &NestSizes::apart, b.CreateZExt(apart, b.getInt64Ty()));
  sharing_.setSizes();
  setSides();
  n.plan.called(e_.context.callHost(kPlanNestSymbol, {n.plan.address()}));
  const bool divides = e_.context.output.divides;
  n.rows = rows;
  n.columnBegin = divides ? n.planned(&NestPlan::columnBegin) : n.number(0);
  n.columns = divides ? n.planned(&NestPlan::columnEnd) : columns;
  n.shares = sharing_.mayShare() ? n.isSet(&NestPlan::shares) : nullptr;
  n.elementDepth = n.planned(&NestPlan::elementDepth);
  n.depth = p.inWords() ? n.planned(&NestPlan::depth) : n.elementDepth;
  n.leftInPlace = n.rules.leftReady ? n.isSet(&NestPlan::leftInPlace) : b.getFalse();
  n.leftRowStep = b.CreateSelect(n.leftInPlace, n.left.rowStride, n.pitchOf(kNestLeft));
  LlvmValue *bytes = n.number(p.leftBytes());
  n.leftStep = p.inWords() || n.left.unitStride ? bytes : b.CreateSelect(n.leftInPlace, n.left.columnStride, bytes);
}

void NestEmitter::setSides() {
  const TileAccess &left = n.left, &right = n.right;
  n.plan.set(b, &NestSizes::leftLow, b.CreateOr(left.rowLow, left.columnLow));
  n.plan.set(b, &NestSizes::leftRowHigh, left.rowHigh);
  n.plan.set(b, &NestSizes::leftColumnHigh, left.columnHigh);
  n.plan.set(b, &NestSizes::leftColumnStride, left.columnStride);
  n.plan.set(b, &NestSizes::rightLow, b.CreateOr(right.rowLow, right.columnLow));
  n.plan.set(b, &NestSizes::rightRowHigh, right.rowHigh);
  n.plan.set(b, &NestSizes::rightColumnHigh, right.columnHigh);
  n.plan.set(b, &NestSizes::rightRowStride, right.rowStride);
  LlvmValue *place = b.CreatePtrToInt(right.origin, b.getInt64Ty());
  n.plan.set(b, &NestSizes::rightPlace, b.CreateAnd(place, n.number(kCacheLine - 1)));
}

// Adds 0 to all sums if products have been skipped: these products of zeros would have turned a sum of -0 into +0. Adding the 0
// before the other products gives the same result as adding it after them.
void NestEmitter::addSkipped(LlvmValue *skipped) {
  const BufferShape &shape = n.buffer(kNestSums).shape;
  ifThen(b, skipped, [&] {
    forLoop(b, n.number(0), e_.context.argument(shape.rows), n.number(1), [&](LlvmValue *row) {
      forLoop(b, n.number(0), e_.context.argument(shape.columns), n.number(p.lanes()), [&](LlvmValue *column) {
        LlvmValue *at = byteOffset(b, n.rowOf(kNestSums, row), b.CreateMul(column, n.number(p.bytes())));
        LlvmValue *sum = b.CreateAlignedLoad(e_.context.ops.type(p.elem, p.lanes()), at, n.vectorAlign());
        b.CreateAlignedStore(b.CreateFAdd(sum, e_.context.ops.zero(p.elem, p.lanes())), at, n.vectorAlign());
      });
    });
  });
}

void NestEmitter::emitBlock(LlvmValue *index) {
  LlvmValue *count = n.planned(&NestPlan::blocks), *each = n.planned(&NestPlan::blockDepth);
  NestBlock block{};
  block.first = b.CreateMul(index, each);
  block.depth = most(b, least(b, each, b.CreateSub(n.depth, block.first)), n.number(0));
  block.isFirst = b.CreateICmpEQ(index, n.number(0));
  block.isLast = b.CreateICmpEQ(index, b.CreateSub(count, n.number(1)));
  block.isEpilogueTurn = b.CreateICmpEQ(index, count);
  block.ready = b.CreateOr(b.CreateAnd(block.isLast, n.isSet(&NestPlan::fusesEpilogue)), block.isEpilogueTurn);
  if (p.inTiles()) block.panels = n.planned(&NestPlan::panelsEach);
  LlvmValue *inMemory =
      byteOffset(b, n.left.origin, b.CreateMul(b.CreateMul(block.first, n.number(p.elements())), n.left.columnStride));
  block.left = b.CreateSelect(n.leftInPlace, inMemory, n.addressOf(kNestLeft));
  stager_.prepare(block);
  if (!n.rules.maySweep) return emitPanels(block);
  block.rightInside = panels_.isInsideRight(block);
  LlvmValue *sweeps =
      b.CreateAnd(b.CreateAnd(n.isSet(&NestPlan::sweeps), block.rightInside), b.CreateNot(block.isEpilogueTurn));
  ifThen(b, sweeps, [&] { sweep_.sweep(block); }, [&] { emitPanels(block); });
}

// Panels that are in bounds come before those that are not.
void NestEmitter::emitPanels(const NestBlock &block) {
  LlvmValue *wide = n.number(p.panelColumns());
  if (block.panels) wide = b.CreateMul(block.panels, wide);
  LlvmValue *count = n.planned(&NestPlan::panelCount), *first = sharing_.firstPanel(count),
            *last = b.CreateSub(count, n.number(1));
  LlvmValue *inside = n.rules.mayBeDirect || n.rules.mayCopy
                          ? b.CreateSelect(block.rightInside, n.planned(&NestPlan::insidePanels), n.number(0))
                          : nullptr;
  LlvmValue *twoNarrow = n.rules.narrowTakesAnyRest ? n.isSet(&NestPlan::endsByTwoNarrow) : b.getFalse();
  forLoop(b, n.number(0), count, n.number(1), [&](LlvmValue *turn) {
    LlvmValue *i = b.CreateAdd(turn, first);
    i = b.CreateSelect(b.CreateICmpSLT(i, count), i, b.CreateSub(i, count));
    LlvmValue *column = b.CreateAdd(n.columnBegin, b.CreateMul(i, wide));
    column = b.CreateSelect(b.CreateAnd(twoNarrow, b.CreateICmpEQ(i, last)), b.CreateSub(column, n.number(p.lanes())), column);
    NestPanel panel = panels_.panelAt(block, column, inside ? b.CreateICmpSLT(i, inside) : b.getFalse());
    if (rows_)
      rows_->emitRows(block, panel);
    else
      amx_.emitAmxRows(block, panel);
  });
}

} // namespace xt
