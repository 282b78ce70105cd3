#include "targets/cpu/nest_emitter.h"

#include "ir/constants.h"
#include "targets/cpu/analysis/cpu_info.h"

namespace xt {

namespace {

bool isSigned(const Op &nest, size_t operand) { return !elemInfo(nest.operand(operand)->type().elem()).isUnsigned; }

} // namespace

NestEmitter::NestEmitter(KernelEmitter &emitter, const Op &nest)
    : e_(emitter), b(emitter.b), op_(nest), elem_(mmaElem(nest.operand(0)->type().elem())),
      bytes_(elemInfo(elem_).storageBytes), style_(productStyle(emitter.cpu_, nest)), elements_(stepElements(style_)),
      slices_(style_ == ProductStyle::TilesSliced ? sliceCount(nest.operand(0)->type().elem()) : 1),
      tile_(nestTile(emitter.cpu_, nest)), lanes_(tile_.lanes), movesLeft_(movesLeftBytes(emitter.cpu_, nest)),
      movesRight_(movesBytes(emitter.cpu_, nest) && !movesLeft_), fresh_(e_.fusion_.storeOf(nest) != nullptr),
      microkernel_(emitter.b, emitter.ops_, emitter.cpu_, elem_, lanes_),
      tiles_(emitter.b, asksForLeast() ? TileMicrokernel::Type::Bf16 : TileMicrokernel::Type::Bytes, isSigned(nest, 0),
             isSigned(nest, 1)) {
  microkernel_.setLeftUnsigned(isSigned(nest, 0) == movesLeft_);
}

void NestEmitter::toBuffer() {
  const Buffer &result = *e_.buffers_.bufferOf(op_.result());
  FusedLoop start(e_), sink(e_);
  start.toBuffer(op_.operand(2), buffer(kNestSums));
  start.emit();
  sink.nestToBuffer(op_.result(), result);
  run(sink, b.getTrue());
}

void NestEmitter::toTile(const Op &store) {
  LlvmValue *apart = isApart(store);
  FusedLoop sink(e_);
  sink.toTile(store.operand(0), store.operand(1));
  choosePanels(store);
  storesSums_ = store.operand(0) == op_.result();
  run(sink, apart);
}

// `apart`: the sink may take sums as soon as they are ready; otherwise it runs after all have been computed.
void NestEmitter::run(FusedLoop &sink, LlvmValue *apart) {
  LlvmValue *total = totalDepth();
  sink.prepare();
  stored_ = sink.storedTile();
  stores_ = storesSums_ && stored_->elem == elem_ && stored_->unitStride;
  auto [rows, columns] = sink.extents();
  left_ = sideOf(0, total);
  right_ = sideOf(1, total);
  plan(rows, columns, apart);
  // Products behind the ends of both a and b are 0 and are skipped.
  if (!fresh_ && isFloat(elem_)) addSkipped(b.CreateICmpSGT(total, elementDepth_));
  LlvmValue *zeros = byteOffset(b, addressOf(kNestCells), number(kNestZeroRow * kNestPanelBytes));
  keyAddress_ = byteOffset(b, addressOf(kNestCells), number(kNestKeyRow * kNestPanelBytes));
  for (int v = 0; v < tile_.vectors; ++v)
    b.CreateAlignedStore(e_.ops_.zero(elem_, lanes_), byteOffset(b, zeros, number(v * lanes_ * bytes_)), vectorAlign());
  if (usesTiles(style_)) tiles_.begin(e_.ops_.stackSlot(0));
  forLoop(b, number(0), planned(&NestPlan::turns), number(1), [&](LlvmValue *block) { emitBlock(block, sink); });
  if (usesTiles(style_)) tiles_.end();
}

// Writes the sizes, calls planNest, and takes from its plan what all blocks need.
void NestEmitter::plan(LlvmValue *rows, LlvmValue *columns, LlvmValue *apart) {
  const KernelEmitter::TileAccess &left = left_.access, &right = right_.access;
  NestProblem problem = nestProblem(e_.cpu_, op_, fresh_);
  problem.left = {left.elem, left_.turned, left.unitStride, left.pack > 1};
  problem.right = {right.elem, right_.turned, right.unitStride, right.pack > 1};
  rules_ = rulesOf(problem);
  leftElem_ = problem.leftElem();
  const bool divides = e_.output_.divides;
  auto word = [&](LlvmValue *value) { return b.CreateZExtOrBitCast(value, b.getInt64Ty()); };
  plan_.emplace(e_.nestCall());
  plan_->set(b, &NestSizes::rules, e_.numbersAddress(rulesAsWords(rules_)));
  plan_->set(b, &NestSizes::rows, rows);
  plan_->set(b, &NestSizes::columns, columns);
  plan_->set(b, &NestSizes::part, divides ? e_.part_ : number(0));
  plan_->set(b, &NestSizes::parts, divides ? e_.partCount_ : number(1));
  plan_->set(b, &NestSizes::divides, divides ? word(divides_) : number(1));
  plan_->set(b, &NestSizes::apart, word(apart));
  plan_->set(b, &NestSizes::alike, alike_ ? alike_ : number(0));
  plan_->set(b, &NestSizes::columnGroups, alike_ ? columnGroups_ : number(0));
  plan_->set(b, &NestSizes::threads, e_.threads_);
  plan_->set(b, &NestSizes::leftLow, b.CreateOr(left.rowLow, left.columnLow));
  plan_->set(b, &NestSizes::leftRowHigh, left.rowHigh);
  plan_->set(b, &NestSizes::leftColumnHigh, left.columnHigh);
  plan_->set(b, &NestSizes::leftColumnStride, left.columnStride);
  plan_->set(b, &NestSizes::rightLow, b.CreateOr(right.rowLow, right.columnLow));
  plan_->set(b, &NestSizes::rightRowHigh, right.rowHigh);
  plan_->set(b, &NestSizes::rightColumnHigh, right.columnHigh);
  plan_->set(b, &NestSizes::rightRowStride, right.rowStride);
  LlvmValue *place = b.CreatePtrToInt(right.origin, b.getInt64Ty());
  plan_->set(b, &NestSizes::rightPlace, b.CreateAnd(place, number(kCacheLine - 1)));
  plan_->called(e_.callHost(kPlanNestSymbol, {plan_->address()}));
  rows_ = rows;
  columnBegin_ = divides ? planned(&NestPlan::columnBegin) : number(0);
  columns_ = divides ? planned(&NestPlan::columnEnd) : columns;
  shares_ = alike_ ? holds(&NestPlan::shares) : nullptr;
  elementDepth_ = planned(&NestPlan::elementDepth);
  depth_ = inWords() ? planned(&NestPlan::depth) : elementDepth_;
  leftInPlace_ = rules_.leftReady ? holds(&NestPlan::leftInPlace) : b.getFalse();
  leftRowStep_ = b.CreateSelect(leftInPlace_, left.rowStride, pitchOf(kNestLeft));
  leftStep_ = inWords() || left.unitStride ? number(leftElemBytes())
                                           : b.CreateSelect(leftInPlace_, left.columnStride, number(leftElemBytes()));
}

// The elements of K that all iterations of the nest cover.
LlvmValue *NestEmitter::totalDepth() {
  LlvmValue *step = e_.scalar(op_.operand(5));
  if (constantInt(*op_.operand(5)).value_or(0) <= 0)
    e_.failIf(b.CreateICmpSLE(step, number(0)),
              e_.addFailure({op_.operandRange(5), "the step of a `nest` must be positive", {}}));
  LlvmValue *trips = e_.tripCount(e_.scalar(op_.operand(3)), e_.scalar(op_.operand(4)), step);
  int64_t extent = op_.operand(0)->type().extent(op_.attr("transpose_a") ? 0 : 1);
  // No matrix in memory is deeper, and elements behind its end are 0.
  LlvmValue *limit = e_.argument((int64_t{1} << 60) / extent);
  trips = b.CreateSelect(b.CreateICmpUGT(trips, limit), limit, trips);
  return b.CreateMul(trips, e_.argument(extent));
}

NestEmitter::Side NestEmitter::sideOf(size_t operand, LlvmValue *total) {
  const Value *tile = op_.operand(operand);
  bool transposed = op_.attr(operand == 0 ? "transpose_a" : "transpose_b") != nullptr;
  bool down = (operand == 1) != transposed; // whether K runs down the rows
  LlvmValue *rows = down ? total : e_.argument(tile->type().extent(0)),
            *columns = down ? e_.argument(tile->type().extent(1)) : total;
  KernelEmitter::TileAccess access = e_.accessWindow(tile, rows, columns, nullptr);
  if (tile->type().data().order == Order::ColumnMajor && access.pack == 1) {
    access = KernelEmitter::turned(access);
    transposed = !transposed;
  }
  return {access, transposed};
}

// The skipped products of zeros would turn a sum of -0 into +0. They can be added first or last with the same result.
void NestEmitter::addSkipped(LlvmValue *skipped) {
  const BufferShape &shape = buffer(kNestSums).shape;
  ifThen(b, skipped, [&] {
    forLoop(b, number(0), e_.argument(shape.rows), number(1), [&](LlvmValue *row) {
      forLoop(b, number(0), e_.argument(shape.columns), number(lanes_), [&](LlvmValue *column) {
        LlvmValue *at = byteOffset(b, rowOf(kNestSums, row), b.CreateMul(column, number(bytes_)));
        LlvmValue *sum = b.CreateAlignedLoad(e_.ops_.type(elem_, lanes_), at, vectorAlign());
        b.CreateAlignedStore(b.CreateFAdd(sum, e_.ops_.zero(elem_, lanes_)), at, vectorAlign());
      });
    });
  });
}

// Bytes of a row of a in this block. Staged rows are padded to whole registers.
LlvmValue *NestEmitter::leftBytes(const Block &block) {
  LlvmValue *bytes = b.CreateMul(block.depth, number(bytes_)), *registerBytes = number(lanes_ * bytes_);
  LlvmValue *whole = b.CreateAnd(b.CreateAdd(bytes, b.CreateSub(registerBytes, number(1))), b.CreateNeg(registerBytes));
  return b.CreateSelect(leftInPlace_, bytes, whole);
}

// The words of a in this block. Rows without gaps are treated as one row.
WordMatrix NestEmitter::wordsOf(const Block &block) {
  LlvmValue *bytes = leftBytes(block), *dense = b.CreateICmpEQ(bytes, leftRowStep_);
  return {block.left, b.CreateSelect(dense, number(1), rows_), leftRowStep_,
          b.CreateSelect(dense, b.CreateMul(bytes, rows_), bytes)};
}

void NestEmitter::emitBlock(LlvmValue *index, FusedLoop &sink) {
  LlvmValue *count = planned(&NestPlan::blocks), *each = planned(&NestPlan::blockDepth);
  Block block{};
  block.first = b.CreateMul(index, each);
  block.depth = most(least(each, b.CreateSub(depth_, block.first)), number(0));
  block.isFirst = b.CreateICmpEQ(index, number(0));
  block.isLast = b.CreateICmpEQ(index, b.CreateSub(count, number(1)));
  block.handsOn = b.CreateICmpEQ(index, count);
  block.ready = b.CreateOr(b.CreateAnd(block.isLast, holds(&NestPlan::inPlace)), block.handsOn);
  if (usesTiles(style_)) block.panels = planned(&NestPlan::panelsEach);
  LlvmValue *inMemory =
      byteOffset(b, left_.access.origin, b.CreateMul(b.CreateMul(block.first, number(elements_)), left_.access.columnStride));
  block.left = b.CreateSelect(leftInPlace_, inMemory, addressOf(kNestLeft));
  ifThen(b, b.CreateNot(leftInPlace_), [&] {
    stageLeft(block);
    if (isBf16()) fillLastWord(block);
  });
  if (isBf16() && !looksBeside()) block.least = leastMagnitude(b, wordsOf(block), lanes_);
  if (inSlices()) block.least = knownKey();
  if (movesRight_) sumLeftRows(block);
  if (!rules_.maySweep) return emitPanels(block, sink);
  block.rightInside = isInsideRight(block);
  LlvmValue *sweeps = b.CreateAnd(b.CreateAnd(holds(&NestPlan::sweeps), block.rightInside), b.CreateNot(block.handsOn));
  ifThen(b, sweeps, [&] { sweep(block); }, [&] { emitPanels(block, sink); });
}

// Panels that are in bounds come before those that are not.
void NestEmitter::emitPanels(const Block &block, FusedLoop &sink) {
  LlvmValue *wide = block.panels ? b.CreateMul(block.panels, number(panelColumns())) : number(panelColumns());
  LlvmValue *count = planned(&NestPlan::panelCount), *first = firstPanel(count), *last = b.CreateSub(count, number(1));
  LlvmValue *inside = rules_.mayBeDirect || rules_.mayCopy
                          ? b.CreateSelect(block.rightInside, planned(&NestPlan::insidePanels), number(0))
                          : nullptr;
  LlvmValue *twoNarrow = rules_.narrowTakesAnyRest ? holds(&NestPlan::endsByTwoNarrow) : b.getFalse();
  forLoop(b, number(0), count, number(1), [&](LlvmValue *turn) {
    LlvmValue *i = b.CreateAdd(turn, first);
    i = b.CreateSelect(b.CreateICmpSLT(i, count), i, b.CreateSub(i, count));
    LlvmValue *column = b.CreateAdd(columnBegin_, b.CreateMul(i, wide));
    column = b.CreateSelect(b.CreateAnd(twoNarrow, b.CreateICmpEQ(i, last)), b.CreateSub(column, number(lanes_)), column);
    LlvmValue *isInside = inside ? b.CreateICmpSLT(i, inside) : b.getFalse();
    Panel panel =
        rules_.mayBeDirect ? plainPanel(block, column, isInside) : packPanel(block, column, isCopied(block, isInside));
    if (usesTiles(style_))
      emitAmxRows(block, panel, sink);
    else
      emitRows(block, panel, sink);
  });
}

// The panel that a workgroup begins with. Of the workgroups that share panels, every second one begins in the middle, so that
// two threads do not wait for the panels that the other packs: bytes and bf16 of 1024x1024x1024 with a turned a, in tiles of
// 64x1024, take 0.93 of the time with two threads, f32 0.98, and f32 with a turned b in tiles of 64x1024 0.92 (Zen 5). There is
// no wait for panels that tiles pack while they multiply: f16 takes the same time either way.
LlvmValue *NestEmitter::firstPanel(LlvmValue *count) {
  if (!shares_ || (!inWords() && !left_.turned && rules_.mayCopy)) return number(0);
  return b.CreateSelect(b.CreateAnd(shares_, isOddAmongAlike_), b.CreateUDiv(count, number(2)), number(0));
}

// Whether all of b that is read is in bounds.
LlvmValue *NestEmitter::isInsideRight(const Block &block) {
  LlvmValue *end = least(b.CreateMul(b.CreateAdd(block.first, block.depth), number(elements_)), elementDepth_);
  return b.CreateICmpSLE(end, planned(&NestPlan::rightInside));
}

} // namespace xt
