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
  choosePanels(store, apart);
  storesSums_ = store.operand(0) == op_.result();
  run(sink, apart);
}

// `inPlace`: the sink may take sums as soon as they are ready; otherwise it runs after all have been computed.
void NestEmitter::run(FusedLoop &sink, LlvmValue *inPlace) {
  LlvmValue *total = totalDepth();
  sink.prepare();
  stored_ = sink.storedTile();
  stores_ = storesSums_ && stored_->elem == elem_ && stored_->unitStride;
  std::tie(rows_, columns_) = sink.extents();
  chooseColumns();
  left_ = sideOf(0, total);
  right_ = sideOf(1, total);
  boundDepth(total);
  chooseLeft();
  chooseRight();
  wholeTiles_ = wholeTiles();
  copiesInPlace_ = copiesInPlace();
  asksForSource_ = asksForSource();
  isForeseen_ = isForeseen();
  asksForNextBlock_ = asksForNextBlock();
  LlvmValue *asking =
      tile_.fewerByOne ? b.CreateUDiv(rows_, number(tile_.rows)) : wholeTiles_; // tiles of the last rows prefetch, too
  if (!inWords()) nextStep_ = b.CreateAdd(b.CreateUDiv(number(panelPitch()), most(asking, number(1))), number(1));
  inPlace = b.CreateAnd(inPlace, b.CreateNot(sweeps_)); // a sweep adds to whole rows of sums
  LlvmValue *zeros = byteOffset(b, addressOf(kNestCells), number(kNestZeroRow * kNestPanelBytes));
  keyAddress_ = byteOffset(b, addressOf(kNestCells), number(kNestKeyRow * kNestPanelBytes));
  for (int v = 0; v < tile_.vectors; ++v)
    b.CreateAlignedStore(e_.ops_.zero(elem_, lanes_), byteOffset(b, zeros, number(v * lanes_ * bytes_)), vectorAlign());

  if (usesTiles(style_)) tiles_.begin(e_.ops_.stackSlot(0));
  // All blocks have the same depth, so that the last one is not only a few steps. There is at least one, which stores the
  // initial value of the sums.
  LlvmValue *deepest = deepestBlock();
  LlvmValue *count = b.CreateUDiv(b.CreateAdd(depth_, b.CreateSub(deepest, number(1))), deepest);
  count = most(count, number(1));
  // If sums could not be passed on before, one more turn passes all of them on.
  LlvmValue *turns = b.CreateSelect(inPlace, count, b.CreateAdd(count, number(1)));
  forLoop(b, number(0), turns, number(1), [&](LlvmValue *block) { emitBlock(block, count, sink, inPlace); });
  if (usesTiles(style_)) tiles_.end();
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

// Products behind the ends of both a and b are 0 and are skipped. Words come in whole registers, if AMX is used; the padding is
// 0.
void NestEmitter::boundDepth(LlvmValue *total) {
  LlvmValue *ofLeft = left_.turned ? left_.access.rowHigh : left_.access.columnHigh;
  LlvmValue *ofRight = right_.turned ? right_.access.columnHigh : right_.access.rowHigh;
  depth_ = most(ofLeft, ofRight);
  if (fresh_) depth_ = most(depth_, number(1)); // so that each loop over K has an iteration; the elements are 0 then
  if (!fresh_ && isFloat(elem_)) addSkipped(b.CreateICmpSGT(total, depth_));
  int64_t words = usesTiles(style_) ? lanes_ : 1, each = elements_ * words;
  elementDepth_ = depth_;
  if (inWords()) depth_ = b.CreateMul(b.CreateUDiv(b.CreateAdd(depth_, number(each - 1)), number(each)), number(words));
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

// a is read in place if all elements that are read are in bounds and need no conversion beforehand, unless packing it is
// faster.
void NestEmitter::chooseLeft() {
  const KernelEmitter::TileAccess &a = left_.access;
  leftInPlace_ = b.getFalse();
  leftElem_ = convertsElements(e_.cpu_, op_) ? a.elem : elem_;
  bool ready = (inWords() ? stagedElem(a.elem) == a.elem : a.elem == leftElem_) && a.pack == 1 && !left_.turned && !inSlices();
  if (ready) {
    leftInPlace_ = b.CreateAnd(b.CreateICmpEQ(a.rowLow, number(0)), b.CreateICmpEQ(a.columnLow, number(0)));
    leftInPlace_ = b.CreateAnd(leftInPlace_, b.CreateICmpSGE(a.rowHigh, rows_));
    leftInPlace_ = b.CreateAnd(leftInPlace_, b.CreateICmpSGE(a.columnHigh, b.CreateMul(depth_, number(elements_))));
  }
  if (ready &&
      inWords()) { // words must be neighbours, and a row at least a register: the last register examined begins within the row
    leftInPlace_ = b.CreateAnd(leftInPlace_, b.CreateICmpEQ(a.columnStride, number(elemInfo(a.elem).storageBytes)));
    leftInPlace_ = b.CreateAnd(leftInPlace_, b.CreateICmpSGE(depth_, number(lanes_)));
  }
  if (ready && usesTiles(style_)) // whole tiles, and half a tile at the end
    leftInPlace_ =
        b.CreateAnd(leftInPlace_, b.CreateICmpEQ(b.CreateURem(rows_, number(TileMicrokernel::kRows / 2)), number(0)));
  leftInPlace_ = b.CreateAnd(leftInPlace_, b.CreateNot(putsLeftTogether()));
  leftRowStep_ = b.CreateSelect(leftInPlace_, a.rowStride, pitchOf(kNestLeft));
  leftStep_ = inWords() || a.unitStride ? number(leftElemBytes())
                                        : b.CreateSelect(leftInPlace_, a.columnStride, number(leftElemBytes()));
}

// Whether rows of a are packed although they could be read in place. Rows of f64 by 4x24, for many columns: 0.92 of the time of
// 1024x1024x1024 and 0.85 to 0.9 of 2048x2048x2048, with 96 or 128 rows per workgroup; f32, and AVX-512, would take 1 to 4%
// more (Intel Xeon with AMX). Not for a single tile of rows.
LlvmValue *NestEmitter::putsLeftTogether() {
  constexpr int64_t kManyColumns = 512;
  if (tile_.vectors != 3 || elem_ != Elem::F64) return b.getFalse();
  LlvmValue *wide = b.CreateICmpSGE(b.CreateSub(columns_, columnBegin_), number(kManyColumns));
  return b.CreateAnd(wide, b.CreateICmpSGT(rows_, number(tile_.rows)));
}

// The most steps of K per block. If only wide panels of b are copied, deeper blocks write and read the sums less often:
// 1024x1024x1024 of f32 takes 2% less time with blocks of 1024 than of 512. If sums are written more than once anyway, rows of
// a and two panels should leave room in the L2 cache: 4096x4096x4096 takes 4.6% less with blocks of 512 (Intel Xeon with AMX).
// (With nearThirdCache it takes 2% more, f64 1000x1000x1000 2.5%, 2048x2048x2048 up to 1.5%.) More than 64 staged rows should
// leave room, too: f16 4096x4096x4096 with 128 rows takes 2% less, f64 2048x2048x2048 with 64 rows 3% more. f32 with a turned
// a, 1024x1024x1024 with 192 rows, takes 2% less in one block (the same Xeon).
LlvmValue *NestEmitter::deepestBlock() {
  constexpr int64_t kFewRows = 64, kHalf = kNestDepthBytes / 2;
  const int64_t rows = op_.result()->type().extent(0), blockBytes = mostBlockBytes(tile_, bytes_);
  if (inSlices()) {
    LlvmValue *inOne = number(kSlicedBytes / stepBytes());
    return b.CreateSelect(b.CreateICmpSLE(depth_, inOne), inOne, number(kSlicedAgainBytes / stepBytes()));
  }
  if (usesTiles(style_)) return e_.argument(amxBlockBytes(style_, rows, left_.turned || right_.turned) / bytes_);
  const int64_t staged = std::min(nestStagedBytes(rows), blockBytes),
                stagedAgain = rows <= kFewRows ? staged : std::min(staged, kHalf);
  LlvmValue *inOne = b.CreateSelect(leftInPlace_, number(blockBytes / bytes_), e_.argument(staged / bytes_));
  const int64_t inPlaceAgain = e_.cpu_.tuning.nearThirdCache ? blockBytes : kHalf;
  LlvmValue *inMore = b.CreateSelect(leftInPlace_, number(inPlaceAgain / bytes_), e_.argument(stagedAgain / bytes_));
  LlvmValue *deepest = b.CreateSelect(b.CreateICmpSLE(depth_, inOne), inOne, inMore);
  if (!mayBeDirect()) return deepest;
  LlvmValue *isRead = b.CreateAnd(rightInPlace_, b.CreateICmpSGT(panelRows_, number(tile_.rows))); // by several tiles
  LlvmValue *asked = mayCopyPlain() ? b.CreateSelect(asksForSource_, number(kAskedRows), deepest) : deepest;
  LlvmValue *fits = b.CreateSelect(isRead, deepestInPlace(), asked);
  return least(b.CreateSelect(isForeseen_, foreseenRows(), fits), deepest);
}

// Rows of b that tile after tile of a's rows reads in place should stay in the L2 cache. If they are a multiple of 4 KiB apart,
// all lines of a panel have the same offset in their pages, and a cache of 32 pages per way (1 MiB in 8 ways, 2 MiB in 16) has
// room for 256 such rows or 512; half of the former are used. At half the distance, twice as many fit. 64x1024x1024 of f32
// takes 0.42 of the time that it takes in one block (Intel Xeon with AMX).
LlvmValue *NestEmitter::deepestInPlace() {
  LlvmValue *inPlace =
      prefersInPlace() ? deepestAcrossLines()
                       : b.CreateUDiv(number(kCrowdedRows * kPage), most(least(powerOfTwoApart(), number(kPage)), number(1)));
  return mayCopyPlain() ? b.CreateSelect(copiesInPlace_, deepestCopied(), inPlace) : inPlace;
}

// A Zen 5 has room for more: 64x1024x1024 of f32 takes 3 and 1% more with blocks of 1024 and of 256 rows than of 512. Rows
// whose distance is no multiple of 1 KiB do not crowd any sets, and 64x1000x1000 takes 1% less in one block.
LlvmValue *NestEmitter::deepestAcrossLines() {
  LlvmValue *crowds = b.CreateICmpSGE(powerOfTwoApart(), number(kPage / 4));
  return b.CreateSelect(crowds, number(kNestDepthBytes / 2 / bytes_), number(kNestDepthBytes / bytes_));
}

// For rows that the first tile packs. A panel of 128 rows of 64 f32 stays in the L1 cache, which is better for few tiles, and
// for many tiles if b's rows map to the same sets. For f32, blocks of 256 and of 512 rows take these percentages of the time of
// 128 (Intel Xeon with AMX): 64x1536x1536 104 and 106, 128x512x1024 102 and 105, 256x512x512 101 and 98; with a large b,
// 192x1536x1536 93 and 93, 128x2048x2048 76 and 81.
LlvmValue *NestEmitter::deepestCopied() {
  constexpr int64_t kLarge = 8 << 20, kLargeOfFew = 12 << 20;
  LlvmValue *large = spansMore(b.CreateSelect(hasFewTiles(), number(kLargeOfFew), number(kLarge)));
  LlvmValue *whole = b.CreateAnd(b.CreateNot(hasFewTiles()), b.CreateICmpSLT(powerOfTwoApart(), number(kPage)));
  LlvmValue *near = b.CreateSelect(whole, number(kNestDepthBytes / bytes_), number(kCrowdedRows));
  return b.CreateSelect(b.CreateAnd(large, b.CreateNot(hasVeryFewTiles())), number(kAskedRows), near);
}

// Whether b comes from beyond the L2 cache, for so few rows of a that its tiles have no time to prefetch it. The hardware then
// prefetches it if it sees few pages at once that are read forwards, a panel's width at a time: foreseenRows. Whole rows are
// prefetched by hardware anyway, and with few panels there is little to prefetch. A Zen 5 takes longer with such blocks:
// reading b in place, in deep blocks, f32 4x1024x1024 takes 0.61 of the time, 12x4096x4096 0.63, 24x4096x4096 0.8, 16x2048x2048
// 0.88.
LlvmValue *NestEmitter::isForeseen() {
  if (!mayBeDirect() || prefersInPlace()) return b.getFalse();
  constexpr int64_t kOfFewest = 3 << 20, kOfNarrow = 12 << 20; // bytes of b
  constexpr int64_t kPanels = 4;
  LlvmValue *from = b.CreateSelect(b.CreateICmpSLE(panelRows_, number(kFewestRows)), number(kOfFewest),
                                   number(isWide() ? kFromMemory : kOfNarrow));
  LlvmValue *across = b.CreateICmpSGE(b.CreateSub(columns_, columnBegin_), number(kPanels * panelColumns()));
  return b.CreateAnd(b.CreateAnd(b.CreateNot(sweeps_), across), b.CreateAnd(hasVeryFewTiles(), spansMore(from)));
}

// 12 to 32 rows, at most as many as fit into 192 KiB; for more rows of a, whose sums are written and read for each block, 32.
// f32 takes this part of the time, with AVX-512 and AVX2 (Intel Xeon with AMX): compared with blocks of 32 rows if b has 64
// MiB, 8x4096x4096 0.9 and 0.8, 16x4096x4096 0.8 and 0.85, 32x4096x4096 0.93 and 1.15; compared with blocks of 128 rows if b
// has 16 MiB, 8x2048x2048 0.8 and 0.7, 16x2048x2048 0.95 and 0.83, 64x2048x2048 0.8 with AVX2; if it has 4 MiB, 8x1024x1024 0.8
// and 0.65.
LlvmValue *NestEmitter::foreseenRows() {
  // A multiple of kTurns is a whole number of loop iterations of any tile.
  constexpr int64_t kFewRows = 32, kBytes = 192 << 10, kLeast = 12, kMost = 32, kTurns = 4;
  static_assert(kTurns % (2 * kStepsEachTurn) == 0 && kLeast % kTurns == 0 && kMost % kTurns == 0);
  LlvmValue *few = b.CreateICmpSLE(panelRows_, number(isWide() ? kFewRows : kFewestRows));
  LlvmValue *near = b.CreateAnd(b.CreateUDiv(number(kBytes), most(right_.access.rowStride, number(1))), number(-kTurns));
  return most(least(near, number(kMost)), b.CreateSelect(few, number(kLeast), number(kMost)));
}

// The largest power of two that divides the distance of b's rows; 0 for a distance of 0.
LlvmValue *NestEmitter::powerOfTwoApart() { return b.CreateAnd(right_.access.rowStride, b.CreateNeg(right_.access.rowStride)); }

LlvmValue *NestEmitter::nearRows() {
  constexpr int64_t kFew = 6, kHalfPage = 2048;
  return b.CreateSelect(b.CreateICmpSGE(powerOfTwoApart(), number(kHalfPage)), number(kFew), number(kRowsAhead));
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

void NestEmitter::emitBlock(LlvmValue *index, LlvmValue *count, FusedLoop &sink, LlvmValue *inPlace) {
  LlvmValue *each = b.CreateUDiv(b.CreateAdd(depth_, b.CreateSub(count, number(1))), count);
  // Only the last block may have steps that do not fill an iteration. It is not empty, because the deepest block is a whole
  // number of iterations.
  each = roundedUp(each, inWords() ? lanes_ : tile_.steps);
  Block block{};
  block.first = b.CreateMul(index, each);
  block.depth = most(least(each, b.CreateSub(depth_, block.first)), number(0));
  block.isFirst = b.CreateICmpEQ(index, number(0));
  block.isLast = b.CreateICmpEQ(index, b.CreateSub(count, number(1)));
  block.handsOn = b.CreateICmpEQ(index, count);
  block.ready = b.CreateOr(b.CreateAnd(block.isLast, inPlace), block.handsOn);
  if (usesTiles(style_)) block.panels = panelsOf(block);
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
  if (!maySweep()) return emitPanels(block, sink);
  block.rightInside = isInsideRight(block);
  LlvmValue *sweeps = b.CreateAnd(b.CreateAnd(sweeps_, block.rightInside), b.CreateNot(block.handsOn));
  ifThen(b, sweeps, [&] { sweep(block); }, [&] { emitPanels(block, sink); });
}

// Panels that are in bounds come before those that are not.
void NestEmitter::emitPanels(const Block &block, FusedLoop &sink) {
  LlvmValue *wide = block.panels ? b.CreateMul(block.panels, number(panelColumns())) : number(panelColumns()),
            *columns = most(b.CreateSub(columns_, columnBegin_), number(0));
  LlvmValue *count = b.CreateUDiv(b.CreateAdd(columns, b.CreateSub(wide, number(1))), wide);
  LlvmValue *inside =
      mayBeDirect() || mayCopy() ? b.CreateSelect(block.rightInside, b.CreateUDiv(columns, wide), number(0)) : nullptr;
  LlvmValue *first = firstPanel(count), *last = b.CreateSub(count, number(1)), *twoNarrow = endsByTwoNarrow(columns);
  if (inside) inside = b.CreateSelect(twoNarrow, least(inside, b.CreateSub(last, number(1))), inside);
  forLoop(b, number(0), count, number(1), [&](LlvmValue *turn) {
    LlvmValue *i = b.CreateAdd(turn, first);
    i = b.CreateSelect(b.CreateICmpSLT(i, count), i, b.CreateSub(i, count));
    LlvmValue *column = b.CreateAdd(columnBegin_, b.CreateMul(i, wide));
    column = b.CreateSelect(b.CreateAnd(twoNarrow, b.CreateICmpEQ(i, last)), b.CreateSub(column, number(lanes_)), column);
    LlvmValue *isInside = inside ? b.CreateICmpSLT(i, inside) : b.getFalse();
    Panel panel = mayBeDirect() ? plainPanel(block, column, isInside) : packPanel(block, column, isCopied(block, isInside));
    if (usesTiles(style_))
      emitAmxRows(block, panel, sink);
    else
      emitRows(block, panel, sink);
  });
}

// Whether one register of columns is left behind panels of three registers. The last two panels are then narrow, and the last
// one begins one register earlier.
LlvmValue *NestEmitter::endsByTwoNarrow(LlvmValue *columns) {
  if (!narrowTakesAnyRest(tile_)) return b.getFalse();
  LlvmValue *rest = b.CreateURem(b.CreateSub(columns, number(1)), number(panelColumns())); // minus 1
  return b.CreateAnd(b.CreateICmpSGT(columns, number(panelColumns())), b.CreateICmpSLT(rest, number(lanes_)));
}

// The panel that a workgroup begins with. Of the workgroups that share panels, every second one begins in the middle, so that
// two threads do not wait for the panels that the other packs: bytes and bf16 of 1024x1024x1024 with a turned a, in tiles of
// 64x1024, take 0.93 of the time with two threads, f32 0.98, and f32 with a turned b in tiles of 64x1024 0.92 (Zen 5). There is
// no wait for panels that tiles pack while they multiply: f16 takes the same time either way.
LlvmValue *NestEmitter::firstPanel(LlvmValue *count) {
  if (!shares_ || (!inWords() && !left_.turned && mayCopy())) return number(0);
  return b.CreateSelect(b.CreateAnd(shares_, isOddAmongAlike_), b.CreateUDiv(count, number(2)), number(0));
}

bool NestEmitter::mayBeDirect() const { return maySweep() && right_.access.elem == elem_ && !inSlices(); }

// b is read in place if there are too few rows of a, in all workgroups that a packed panel would serve, to make up for packing
// it. Measured: packing pays for panels of four lines (AVX-512) from 250 to 500 rows on, depending on b's size; for panels of
// one line (AVX2, 16 columns), where each line is in another page, from 24 rows on (Zen 4); and for panels whose registers
// cross lines, from 25 to 37 rows on (Intel Xeon with AMX). Panels that crowd a part of the caches are packed for fewer rows:
// copiesInPlace.
void NestEmitter::chooseRight() {
  constexpr int64_t kOneOrTwo = 2, kFewAcross = 24;
  const int64_t kFewRows = isWide() ? 256 : 24;
  // Counts full workgroups, so that a workgroup with fewer rows at the edge mostly decides like the others, whose panels it
  // shares.
  panelRows_ =
      shares_ ? b.CreateSelect(shares_, b.CreateMul(e_.argument(op_.result()->type().extent(0)), served_), rows_) : rows_;
  LlvmValue *few = b.CreateICmpSLE(panelRows_, number(kFewRows));
  sweeps_ = b.getFalse();
  if (maySweep()) {
    sweeps_ = b.CreateICmpSLE(rows_, number(kOneOrTwo));
    if (!mayBeDirect()) sweeps_ = b.CreateOr(sweeps_, b.CreateICmpSLE(panelRows_, sweptFromMemory()));
    sweeps_ = b.CreateAnd(few, sweeps_);
  }
  LlvmValue *place = b.CreateOr(right_.access.rowStride, b.CreatePtrToInt(right_.access.origin, b.getInt64Ty()));
  LlvmValue *onLines = prefersInPlace() ? b.getTrue() : b.CreateICmpEQ(b.CreateAnd(place, number(kCacheLine - 1)), number(0));
  rightInPlace_ = b.CreateAnd(few, b.CreateOr(onLines, b.CreateICmpSLE(panelRows_, number(kFewAcross))));
}

// Whether all of b that is read is in bounds.
LlvmValue *NestEmitter::isInsideRight(const Block &block) {
  const KernelEmitter::TileAccess &from = right_.access;
  LlvmValue *inside = b.CreateAnd(b.CreateICmpEQ(from.columnLow, number(0)), b.CreateICmpEQ(from.rowLow, number(0)));
  inside = b.CreateAnd(inside, b.CreateICmpSLE(columns_, from.columnHigh));
  LlvmValue *end = least(b.CreateMul(b.CreateAdd(block.first, block.depth), number(elements_)), elementDepth_);
  return b.CreateAnd(inside, b.CreateICmpSLE(end, from.rowHigh));
}

} // namespace xt
