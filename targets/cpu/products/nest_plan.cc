#include "targets/cpu/products/nest_plan.h"

#include "ir/elem_kinds.h"

#include <bit>
#include <cstring>
#include <limits>

namespace xt {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kPrefetchedRows = 256; // rows of `b`: enough to give the few tiles of a panel time to prefetch the next one
constexpr int64_t kFewestRows = 16; // rows of `a`
constexpr int64_t kFewTiles = 24; // tiles of rows; with so few, loading a panel takes longer than computing its sums
constexpr int64_t kFromMemory = 24 * kMiB; // the size from which `b` may not fit into the L3 cache
constexpr int64_t kPrefetchDistance = 16; // how far ahead packing prefetches, in rows of `b`

// Saturates at the ends of i64: a memref may have a huge extent or stride that stands for "no bound".
int64_t saturatedProduct(int64_t x, int64_t y) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t product;
  if (!__builtin_mul_overflow(x, y, &product)) return product;
  return (x < 0) == (y < 0) ? Limits::max() : Limits::min();
}

// Decides the maximum number of steps of K per block. If rows of `a` are read in place, so that only wide panels of `b` are
// copied, blocks are deepest, because deeper blocks write and read the sums less often. If K needs several blocks, so that sums
// are written more than once anyway, rows of `a` and two panels should leave room in the L2 cache, unless the L3 cache is fast.
// More than 64 staged rows should leave that room in any case.
void decideBlocks(const NestProblem &p, NestRules &r) {
  constexpr int64_t kFewRows = 64, kHalf = kNestDepthBytes / 2;
  auto all = [&](int64_t once, int64_t again) {
    r.inPlaceOnce = r.stagedOnce = once;
    r.inPlaceAgain = r.stagedAgain = again;
  };
  const int64_t bytes = p.bytes(), blockBytes = mostBlockBytes(p.tile, bytes, p.tuning);
  if (p.inSlices()) return all(kSlicedBytes / (bytes * p.slices()), kSlicedAgainBytes / (bytes * p.slices()));
  if (p.inTiles()) {
    const int64_t steps = amxBlockBytes(p.style, p.rows, p.left.transposed || p.right.transposed) / bytes;
    return all(steps, steps);
  }
  const int64_t staged = std::min(nestStagedBytes(p.rows), blockBytes);
  r.inPlaceOnce = blockBytes / bytes;
  r.inPlaceAgain = (p.tuning.l3IsFast ? blockBytes : kHalf) / bytes;
  r.stagedOnce = staged / bytes;
  r.stagedAgain = (p.rows <= kFewRows ? staged : std::min(staged, kHalf)) / bytes;
}

// With 4x24 tiles (nestTile), rows of f64 are staged for many columns although they could be read in place. With f32, and with
// AVX-512, that would take longer.
void decideLeft(const NestProblem &p, NestRules &r) {
  constexpr int64_t kManyColumns = 512;
  const Elem elem = p.left.elem;
  r.leftTransposed = p.left.transposed;
  r.leftReady = (p.inWords() ? p.stagedElem(elem) == elem : elem == p.leftElem()) && !p.left.interleaved &&
                !p.left.transposed && !p.inSlices() && !p.choosesLeft;
  r.leftStep = p.inWords() ? p.left.bytes() : 0;
  r.leftTogether = p.tile.vectors == 3 && p.elem == Elem::F64 ? kManyColumns : 0;
}

void decideRight(const NestProblem &p, NestRules &r) {
  const Elem elem = p.right.elem;
  r.rightTransposed = p.right.transposed, r.rightBytes = p.right.bytes();
  r.maySweep = !p.right.transposed && p.right.isPlain();
  r.mayBeDirect = r.maySweep && elem == p.elem && !p.inSlices();
  r.mayPrefetchSource = r.maySweep && p.hasRest() && !p.inWords();
  // The products hide the time of converting f16, where the processor has instructions for it, and bf16.
  const bool hidesConversion = elem == Elem::BF16 || (elem == Elem::F16 && p.convertsHalves);
  r.mayCopy = r.mayPrefetchSource && (r.mayBeDirect || hidesConversion);
  r.mayCopyPlain = r.mayBeDirect && p.hasRest();
  r.isWide = p.isWide();
  r.prefersInPlace = r.mayCopyPlain && r.isWide && p.tuning.lineSplitLoadsAreFree;
}

// Two panels and the rows of a tile take 384 bytes of the L1 cache per word of K; one panel takes 128.
void decideTiles(const NestProblem &p, NestRules &r) {
  const int64_t l1 = p.tuning.l1Bytes, most = l1 / 4 * 3;
  r.inTiles = p.inTiles(), r.inSlices = p.inSlices();
  r.l1PairSteps = most / (3 * kAmxRowBytes) / p.slices();
  r.l1AloneSteps = p.isBf16() ? l1 / 2 / kAmxRowBytes : 0;
  r.l1KeptSteps = most / kAmxRowBytes;
}

} // namespace

NestRules rulesOf(const NestProblem &p) {
  constexpr int64_t kBesidePanel = 8 << 10; // bytes of the L1 cache that are left for other data
  NestRules r{};
  r.elementsLog = std::countr_zero(static_cast<unsigned>(p.elements()));
  r.fresh = p.fresh;
  r.depthUnit = int64_t{p.elements()} * (p.inTiles() ? p.tile.lanes : 1);
  r.blockUnit = p.inWords() ? p.tile.lanes : p.tile.steps;
  decideBlocks(p, r);
  r.rows = p.rows;
  r.tileRows = p.tile.rows, r.hasRest = p.hasRest(), r.fewerByOne = p.tile.fewerByOne;
  r.givenUp = p.hasRest() ? tilesGivenUpByRest(p.tile) : 0;
  r.panelColumns = p.panelColumns(), r.panelPitch = p.panelPitch(), r.lanes = p.tile.lanes;
  r.partColumns = columnsOfPart(p.tile, p.style);
  r.narrowTakesAnyRest = narrowTakesAnyRest(p.tile);
  r.prefetchingTiles = p.linesOfSource() * p.tile.steps;
  decideLeft(p, r);
  decideRight(p, r);
  decideTiles(p, r);
  r.l1PanelBytes = p.tuning.l1Bytes - kBesidePanel;
  r.beyondL2 = p.tuning.beyondL2Bytes(), r.l3Bytes = p.tuning.l3Bytes;
  return r;
}

namespace {

// Makes a plan in several steps, each of which uses the decisions of the previous steps.
class NestPlanner {
public:
  NestPlanner(const NestRules &rules, const NestSizes &sizes, NestPlan &plan) : r(rules), s(sizes), p(plan) {}
  void plan() {
    divide();
    share();
    boundDepth();
    placeLeft();
    placeRight();
    divideRows();
    copyRight();
    divideDepth();
    dividePanels();
    prefetchRight();
    arrangeTiles();
  }

private:
  static int64_t ceilDiv(int64_t x, int64_t y) { return x / y + (x % y > 0); } // for x >= 0; x + y might overflow
  // `unit` must be a power of two.
  static int64_t roundUp(int64_t x, int64_t unit) { return (x + unit - 1) & -unit; }
  // Whether a panel is multiplied by at most `most` full tiles of rows.
  bool hasTilesUpTo(int64_t most) const { return panelRows_ < (most + 1) * r.tileRows; }
  bool hasFewTiles() const { return hasTilesUpTo(kFewTiles); }
  // Whether there are too few tiles to prefetch all of the next panel, if no other workgroups share it. For narrow panels:
  // whether there are few tiles.
  bool hasVeryFewTiles() const { return r.isWide ? hasTilesUpTo(r.prefetchingTiles) : hasFewTiles(); }
  bool spansMore(int64_t bytes) const { return span_ > bytes; }
  // Whether `b` spans more than `bytes`, a number that was measured with 32 MiB of L3 cache and is scaled down for smaller
  // caches.
  bool spansMoreScaled(int64_t bytes) const { return spansMore(scaledToL3(bytes, r.l3Bytes)); }
  bool prefetchesSource() const { return panelRows_ >= r.tileRows && hasFewTiles() && spansMore(r.beyondL2); }
  // The maximum number of rows of `b` that stay in the L2 cache together if the distance between rows is a multiple of 4 KiB.
  // The lines of a panel then all have the same offset in their pages, so the cache has room for as many rows as it has pages.
  // Half of them are used.
  int64_t rowsWithoutConflicts() const { return r.beyondL2 / kPage / 2; }

  void divide();
  void share();
  void boundDepth();
  void placeLeft();
  void placeRight();
  void divideRows();
  void copyRight();
  bool isBetterCopied(bool manyRows) const;
  bool hasSetConflicts() const;
  void divideDepth();
  int64_t deepestBlock() const;
  int64_t deepestInPlace() const;
  int64_t deepestCopied() const;
  bool reliesOnHardwarePrefetch() const;
  int64_t hardwarePrefetchRows() const;
  void dividePanels();
  void prefetchRight();
  void arrangeTiles();

  const NestRules &r;
  const NestSizes &s;
  NestPlan &p;
  int64_t panelRows_ = 0; // at least the number of rows of `a` that a panel serves; the same in all workgroups
  int64_t span_ = 0; // bytes from the first row of `b` that is read to the last
  int64_t strideAlignment_ = 0; // the largest power of two that divides the distance between rows of `b`; 0 if it is 0
  bool mayReadInPlace_ = false; // `b` is read in place or packed by the first tile of rows, instead of being packed beforehand
  bool copies_ = false; // the first tile of rows packs a `b` that could be read in place
  bool reliesOnHardwarePrefetch_ = false;
};

// A part computes its share of the columns. If nothing may be stored before all parts have read everything, the first part
// computes all columns.
void NestPlanner::divide() {
  p.columnBegin = 0;
  p.columnEnd = s.columns;
  if (s.parts == 1) return;
  if (!s.divides) {
    p.columnBegin = s.part == 0 ? 0 : s.columns;
    return;
  }
  const int64_t units = ceilDiv(s.columns, r.partColumns);
  auto share = [&](int64_t part) { return units * part / s.parts * r.partColumns; };
  p.columnBegin = share(s.part);
  p.columnEnd = std::min(share(s.part + 1), s.columns);
}

// If few workgroups share a panel, each thread packs its own, because lines that another thread has just written take longer to
// read. If there are columns for all threads, all workgroups of a column run on one thread. AMX is so fast that waiting for a
// panel that another thread packs pays only if the panel serves several workgroups of each thread.
void NestPlanner::share() {
  panelRows_ = s.rows;
  p.shares = p.ownPanels = 0;
  if (s.alike == 0) return;
  p.ownPanels = !r.inTiles && s.alike <= 2 * s.threads;
  const int64_t served = p.ownPanels && s.columnGroups < s.threads ? ceilDiv(s.alike, s.threads) : s.alike;
  p.shares = s.apart && served > (r.inTiles ? s.threads : 1);
  // Counts the rows of full workgroups, so that a workgroup with fewer rows at the edge mostly decides like the others, whose
  // panels it shares.
  if (p.shares) panelRows_ = saturatedProduct(r.rows, served);
}

// Steps of K that are out of bounds of both `a` and `b` would only add zeros: they are skipped. With AMX, the words of a row
// are padded with zeros to whole registers. A nest whose sums start at 0 has at least one step, so that each loop over K has an
// iteration.
void NestPlanner::boundDepth() {
  p.elementDepth = std::max(
      {r.leftTransposed ? s.leftRowHigh : s.leftColumnHigh, r.rightTransposed ? s.rightColumnHigh : s.rightRowHigh, r.fresh});
  p.depth = roundUp(p.elementDepth, r.depthUnit) >> r.elementsLog;
}

// `a` is read in place if all elements that are read are in bounds and need no conversion beforehand, unless staging it is
// faster. The elements of words must be adjacent in memory, and a row must have at least a register of words, because the last
// register that is examined begins within the row. AMX multiplies whole tiles, and half a tile at the end, so the number of
// rows must be a multiple of half a tile.
void NestPlanner::placeLeft() {
  constexpr int64_t kHalfTile = kAmxSide / 2;
  bool inside = r.leftReady && s.leftLow == 0 && s.leftRowHigh >= s.rows && s.leftColumnHigh >= p.depth << r.elementsLog;
  if (r.leftStep) inside = inside && s.leftColumnStride == r.leftStep && p.depth >= r.lanes;
  if (r.inTiles) inside = inside && s.rows % kHalfTile == 0;
  const bool together = r.leftTogether && p.columnEnd - p.columnBegin >= r.leftTogether && s.rows > r.tileRows;
  p.leftInPlace = inside && !together;
}

// `b` is read in place if there are too few rows of `a`, in all workgroups that a packed panel would serve, to make up for
// packing it. One or two rows sweep over any `b` that is not packed, and up to four over one that is converted and comes from
// memory.
void NestPlanner::placeRight() {
  constexpr int64_t kOneOrTwo = 2, kFewAcross = 24, kSwept = 40 * kMiB, kLongRun = 4096;
  const int64_t fewRows = r.isWide ? 256 : 24;
  const auto stride = static_cast<uint64_t>(s.rightRowStride);
  span_ = saturatedProduct(s.rightRowStride, p.depth << r.elementsLog);
  strideAlignment_ = static_cast<int64_t>(stride & -stride);
  const bool few = panelRows_ <= fewRows;
  const bool fromMemory = !r.mayBeDirect && panelRows_ <= kMostSweptRows && spansMoreScaled(kSwept);
  p.sweeps = r.maySweep && few && (s.rows <= kOneOrTwo || fromMemory);
  // Short rows of a large `b` are not prefetched by hardware.
  p.sweepPrefetches = (p.columnEnd - p.columnBegin) * r.rightBytes < kLongRun && spansMore(r.beyondL2);
  const bool onLines = r.prefersInPlace || ((stride | static_cast<uint64_t>(s.rightPlace)) & (kCacheLine - 1)) == 0;
  mayReadInPlace_ = r.mayBeDirect && few && (onLines || panelRows_ <= kFewAcross);
  p.rightInside = s.rightLow == 0 && p.columnEnd <= s.rightColumnHigh ? s.rightRowHigh : -1;
}

// Decides the number of full tiles, and whether `a` has enough rows for a first tile that packs `b`. In general, it needs a
// full tile. If all of the full tiles have given their rows to smaller ones, one and a half times the rows of a full tile are
// enough (25 rows are computed as five times 5). If the tile also converts `b`, any number of rows is enough.
void NestPlanner::divideRows() {
  p.wholeTiles = r.hasRest ? wholeTilesOf(s.rows, r.tileRows, r.givenUp) : ceilDiv(s.rows, r.tileRows);
  const bool manyFew = r.fewerByOne && s.rows >= r.tileRows + r.tileRows / 2;
  p.hasRowsToCopy = r.mayBeDirect ? p.wholeTiles > 0 || manyFew : s.rows > 0;
}

// Decides whether the first tile of rows packs panels that would otherwise be read in place. It does so if `b` may not fit into
// the L2 cache, because that tile prefetches rows ahead, or if rows of `b` map to the same sets of a cache and `a` has enough
// rows to make up for the packing.
void NestPlanner::copyRight() {
  constexpr int64_t kTooFewRows = 48, kFew = 6, kHalfPage = 2048;
  const bool manyRows = panelRows_ > kTooFewRows;
  const bool pays = r.prefersInPlace ? isBetterCopied(manyRows) : (manyRows && hasSetConflicts()) || spansMore(r.beyondL2);
  copies_ = r.mayCopyPlain && pays && p.hasRowsToCopy;
  p.rightInPlace = mayReadInPlace_ && !copies_;
  // Fewer rows than the L1 cache has ways, if rows are so far apart that they map to the same sets.
  p.copyPrefetchRows = strideAlignment_ >= kHalfPage ? kFew : kPrefetchDistance;
}

// Whether the first tile should pack a `b` that could be read in place, on a processor on which loads that cross cache lines
// take no longer. There, reading in place, with tiles that prefetch the next panel in `b`, takes less time than packing, except
// for many rows of `a` if the rows of `b` map to the same sets and come from the L3 cache.
bool NestPlanner::isBetterCopied(bool manyRows) const {
  constexpr int64_t kLarge = 6 * kMiB;
  return manyRows && strideAlignment_ >= kPage && spansMoreScaled(kLarge) && !spansMoreScaled(kFromMemory);
}

// Whether a cache has less room for a panel of `b` in place than for its packed copy, because the rows map to some of the
// cache's sets only. Rows that are 512 bytes apart, for example, can use half of the L1 cache's lines if a panel is 256 bytes
// wide. This matters if the cache could hold the packed copy. Longer panels touch more pages than the first-level TLB has
// entries.
bool NestPlanner::hasSetConflicts() const {
  constexpr int64_t kManyPages = 96;
  const bool fits = saturatedProduct(p.depth, r.panelPitch) <= r.l1PanelBytes && strideAlignment_ >= 2 * r.panelPitch;
  return fits || (spansMore(kManyPages * kPage) && strideAlignment_ >= 4 * r.panelPitch);
}

// All blocks have the same depth, so that the last one is not only a few steps. There is at least one block, which stores the
// initial value of the sums. Only the last block may have steps that do not fill an iteration. If the epilogue may not run in
// the last block, it runs in an extra iteration, the epilogue turn. After a sweep it always does, because a sweep adds to whole
// rows of sums.
void NestPlanner::divideDepth() {
  reliesOnHardwarePrefetch_ = reliesOnHardwarePrefetch();
  const int64_t deepest = deepestBlock();
  p.blocks = p.depth <= deepest ? 1 : ceilDiv(p.depth, deepest);
  p.blockDepth = roundUp(p.blocks == 1 ? p.depth : ceilDiv(p.depth, p.blocks), r.blockUnit);
  p.fusesEpilogue = s.apart && !p.sweeps;
  p.turns = p.fusesEpilogue ? p.blocks : p.blocks + 1;
}

int64_t NestPlanner::deepestBlock() const {
  const int64_t once = p.leftInPlace ? r.inPlaceOnce : r.stagedOnce, again = p.leftInPlace ? r.inPlaceAgain : r.stagedAgain;
  const int64_t deepest = p.depth <= once ? once : again;
  if (!r.mayBeDirect) return deepest;
  if (reliesOnHardwarePrefetch_) return std::min(hardwarePrefetchRows(), deepest);
  if (mayReadInPlace_ && panelRows_ > r.tileRows) return std::min(deepestInPlace(), deepest); // several tiles read `b`
  return r.mayCopyPlain && prefetchesSource() ? std::min(kPrefetchedRows, deepest) : deepest;
}

// The rows of `b` in a block should stay in the L2 cache if they are read in place, because each tile of rows of `a` reads them
// again. At half the distance that rowsWithoutConflicts() assumes, twice as many rows fit. A processor on which loads that
// cross cache lines are free has room for more, and there, rows whose distance is no multiple of 1 KiB are spread over all
// sets.
int64_t NestPlanner::deepestInPlace() const {
  if (copies_) return deepestCopied();
  if (!r.prefersInPlace) return rowsWithoutConflicts() * kPage / std::max<int64_t>(std::min(strideAlignment_, kPage), 1);
  return strideAlignment_ >= kPage / 4 ? r.inPlaceOnce / 2 : r.inPlaceOnce;
}

// The maximum depth of blocks whose rows of `b` the first tile packs. A panel of 128 rows of 64 f32 stays in the L1 cache,
// which is better for few tiles, and for many tiles if the rows of `b` map to the same sets.
int64_t NestPlanner::deepestCopied() const {
  constexpr int64_t kLarge = 8 * kMiB, kLargeOfFew = 12 * kMiB;
  const bool few = hasFewTiles();
  if (spansMoreScaled(few ? kLargeOfFew : kLarge) && !hasVeryFewTiles()) return kPrefetchedRows;
  return !few && strideAlignment_ < kPage ? r.inPlaceOnce : rowsWithoutConflicts();
}

// Whether blocks are so short that the hardware prefetches `b`: it does so if it sees only a few pages at once, which are read
// forwards by the width of a panel at a time (hardwarePrefetchRows). This is used if `b` comes from beyond the L2 cache, and
// there are so few rows of `a` that its tiles have no time to prefetch `b`. It is not used for sweeps, because the hardware
// prefetches whole rows anyway, nor for a few panels, where there is little to prefetch, nor on processors on which loads that
// cross cache lines are free.
bool NestPlanner::reliesOnHardwarePrefetch() const {
  constexpr int64_t kOfFewest = 3 * kMiB, kOfNarrow = 12 * kMiB, kPanels = 4;
  if (!r.mayBeDirect || r.prefersInPlace || p.sweeps) return false;
  const int64_t from = panelRows_ <= kFewestRows ? kOfFewest : r.isWide ? kFromMemory : kOfNarrow;
  const bool across = p.columnEnd - p.columnBegin >= kPanels * r.panelColumns;
  return across && hasVeryFewTiles() && spansMoreScaled(from);
}

// Returns the number of rows of `b` in a block: as many as fit into 192 KiB, but at least 12 and at most 32. For more than a
// few rows of `a`, whose sums are written and read for each block, returns 32.
int64_t NestPlanner::hardwarePrefetchRows() const {
  // A multiple of kTurns is a whole number of loop iterations of any tile.
  constexpr int64_t kFewRows = 32, kBytes = 192 << 10, kLeast = 12, kMost = 32, kTurns = 4;
  static_assert(kTurns % (2 * kStepsEachTurn) == 0 && kLeast % kTurns == 0 && kMost % kTurns == 0);
  const bool few = panelRows_ <= (r.isWide ? kFewRows : kFewestRows);
  const int64_t near = kBytes / std::max<int64_t>(s.rightRowStride, 1) / kTurns * kTurns;
  return std::max(std::min(near, kMost), few ? kLeast : kMost);
}

// Panels in bounds come first. If at most one register of columns remains after the panels of three registers, the last two
// panels are narrow, and the last one begins one register earlier. With AMX two panels are packed together, because a cache
// line of bytes holds words of both, and two adjacent lines of bf16 take less time than two single ones; but a bf16 panel that
// can stay in the L1 cache only alone is packed alone.
void NestPlanner::dividePanels() {
  p.panelsEach = 1;
  if (r.inTiles) {
    const bool alone = p.blockDepth > r.l1PairSteps && p.blockDepth <= r.l1AloneSteps;
    p.panelsEach = alone ? 1 : kMostPanels;
  }
  const int64_t wide = p.panelsEach * r.panelColumns, columns = std::max<int64_t>(p.columnEnd - p.columnBegin, 0);
  p.insidePanels = columns / wide;
  const int64_t rest = columns - p.insidePanels * wide;
  p.panelCount = p.insidePanels + (rest > 0);
  p.endsByTwoNarrow = r.narrowTakesAnyRest && columns > wide && rest > 0 && rest <= r.lanes;
  if (p.endsByTwoNarrow) p.insidePanels = std::min(p.insidePanels, p.panelCount - 2);
}

// Tiles prefetch the panel that is read from `b` next if it comes from beyond the L2 cache. On processors on which loads that
// cross cache lines are free, this slows the tiles of the last rows, so those prefetch only if `b` comes from memory. If there
// are so few rows of `a` that no tile prefetches `b`, and no other workgroups share the panels, the next block is prefetched.
// The lines of the result are prefetched if a tile does not take long.
void NestPlanner::prefetchRight() {
  constexpr int64_t kFar = 12 * kMiB, kFewSteps = 127;
  const int64_t prefetching = std::max<int64_t>(r.fewerByOne ? s.rows / r.tileRows : p.wholeTiles, 1);
  p.nextStep = r.panelPitch / prefetching + 1;
  p.sourceTiles = r.mayPrefetchSource && prefetchesSource() ? r.prefetchingTiles : 0;
  p.lastSourceTiles = !r.prefersInPlace || spansMoreScaled(kFar) ? p.sourceTiles : 0;
  p.prefetchesNextBlock = r.mayCopyPlain && !r.prefersInPlace && spansMoreScaled(kFromMemory) && reliesOnHardwarePrefetch_ &&
                          hasTilesUpTo(1) && !p.hasRowsToCopy;
  p.prefetchesResult = std::min(p.blockDepth, p.depth) <= kFewSteps;
}

// AMX: if both panels and the rows of a tile fit the L1 cache, each tile of rows is multiplied by both panels. If only one
// panel fits, it is kept there, and rows of `a` bypass the cache. Each iteration prefetches two rows of the result; if there
// are only one or two iterations, they prefetch all rows.
void NestPlanner::arrangeTiles() {
  constexpr int64_t kDepth = kAmxSide / 2;
  const bool near = p.blockDepth <= r.l1PairSteps;
  p.byRows = near;
  p.keepsRight = !near && p.blockDepth <= r.l1KeptSteps;
  p.resultPrefetchRows = p.blockDepth <= kDepth ? kAmxSide : p.blockDepth <= 2 * kDepth ? kAmxSide / 2 : 2;
  p.packPrefetchRows = r.inSlices && s.rows <= kFewestRows ? 2 * kPrefetchDistance : kPrefetchDistance;
}

} // namespace

NestPlan planNest(const NestRules &rules, const NestSizes &sizes) {
  NestPlan plan{};
  NestPlanner(rules, sizes, plan).plan();
  return plan;
}

} // namespace xt

// Most workgroups of a launch have the same sizes as the one before.
extern "C" void xt_plan_nest(xt::NestCall *call) {
  if (std::memcmp(&call->sizes, &call->planned, sizeof call->sizes) == 0) return;
  const auto *rules = reinterpret_cast<const xt::NestRules *>(static_cast<uintptr_t>(call->sizes.rules));
  xt::NestPlanner(*rules, call->sizes, call->plan).plan();
  call->planned = call->sizes;
}
