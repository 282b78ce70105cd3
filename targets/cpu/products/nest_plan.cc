#include "targets/cpu/products/nest_plan.h"

#include "ir/elem_kinds.h"

#include <bit>
#include <cstring>
#include <limits>

namespace xt {
namespace {

constexpr int64_t kPage = 4096;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kPrefetchedRows = 256; // rows of b, enough for the few tiles of a panel to have time to prefetch the next one
constexpr int64_t kFewestRows = 16; // rows of a
constexpr int64_t kFewTiles = 24; // so few that loading a panel takes longer than computing its sums
constexpr int64_t kFromMemory = 24 * kMiB; // bytes of b that may not fit into the L3 cache
constexpr int64_t kPrefetchDistance = 16; // of packing, in rows of b

// Saturates at the ends of i64: a memref may have a huge extent or stride that stands for "no bound".
int64_t saturatedProduct(int64_t x, int64_t y) {
  using Limits = std::numeric_limits<int64_t>;
  int64_t product;
  if (!__builtin_mul_overflow(x, y, &product)) return product;
  return (x < 0) == (y < 0) ? Limits::max() : Limits::min();
}

// The most steps of K per block. If only wide panels of b are copied, deeper blocks write and read the sums less often. If sums
// are written more than once anyway, rows of a and two panels should leave room in the L2 cache, unless the L3 cache is fast.
// So should more than 64 staged rows.
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

// Rows of f64 by 4x24 are packed for many columns although they could be read in place; f32, and AVX-512, would take longer.
void decideLeft(const NestProblem &p, NestRules &r) {
  constexpr int64_t kManyColumns = 512;
  const Elem elem = p.left.elem;
  r.leftTransposed = p.left.transposed;
  r.leftReady = (p.inWords() ? p.stagedElem(elem) == elem : elem == p.leftElem()) && !p.left.interleaved &&
                !p.left.transposed && !p.inSlices();
  r.leftStep = p.inWords() ? p.left.bytes() : 0;
  r.leftTogether = p.tile.vectors == 3 && p.elem == Elem::F64 ? kManyColumns : 0;
}

void decideRight(const NestProblem &p, NestRules &r) {
  const Elem elem = p.right.elem;
  r.rightTransposed = p.right.transposed, r.rightBytes = p.right.bytes();
  r.maySweep = !p.right.transposed && p.right.isPlain();
  r.mayBeDirect = r.maySweep && elem == p.elem && !p.inSlices();
  r.mayPrefetchSource = r.maySweep && p.hasRest() && !p.inWords();
  // Products hide the conversion of f16 where the processor has instructions for it, and of bf16.
  const bool hidesConversion = elem == Elem::BF16 || (elem == Elem::F16 && p.convertsHalves);
  r.mayCopy = r.mayPrefetchSource && (r.mayBeDirect || hidesConversion);
  r.mayCopyPlain = r.mayBeDirect && p.hasRest();
  r.isWide = p.isWide();
  r.prefersInPlace = r.mayCopyPlain && r.isWide && p.tuning.lineSplitLoadsAreFree;
}

// Two panels and the rows of a tile take 384 bytes of the L1 cache per word of K, and a panel 128.
void decideTiles(const NestProblem &p, NestRules &r) {
  const int64_t l1 = p.tuning.l1Bytes, most = l1 / 4 * 3;
  r.inTiles = p.inTiles(), r.inSlices = p.inSlices();
  r.l1PairSteps = most / (3 * kAmxRowBytes) / p.slices();
  r.l1AloneSteps = p.isBf16() ? l1 / 2 / kAmxRowBytes : 0;
  r.l1KeptSteps = most / kAmxRowBytes;
}

} // namespace

NestRules rulesOf(const NestProblem &p) {
  constexpr int64_t kBesidePanel = 8 << 10; // of the L1 cache
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

// Makes a plan, one decision after the other; each uses those before it.
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
  // For powers of two.
  static int64_t roundUp(int64_t x, int64_t unit) { return (x + unit - 1) & -unit; }
  bool hasTilesUpTo(int64_t most) const { return panelRows_ < (most + 1) * r.tileRows; } // of rows
  bool hasFewTiles() const { return hasTilesUpTo(kFewTiles); }
  // Whether there are too few tiles to prefetch all of the next panel, if no other workgroups share it; for narrow panels, any
  // few tiles.
  bool hasVeryFewTiles() const { return r.isWide ? hasTilesUpTo(r.prefetchingTiles) : hasFewTiles(); }
  bool spansMore(int64_t bytes) const { return span_ > bytes; }
  // Whether b spans more than `bytes`, which was measured with 32 MiB of L3 cache and is scaled down for less.
  bool spansMoreScaled(int64_t bytes) const { return spansMore(scaledToL3(bytes, r.l3Bytes)); }
  bool prefetchesSource() const { return panelRows_ >= r.tileRows && hasFewTiles() && spansMore(r.beyondL2); }
  // The most rows of b, a multiple of 4 KiB apart, that stay in the L2 cache together: a panel's lines all have the same offset
  // in their pages then, so the cache has room for as many rows as it has pages. Half of them are used.
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
  int64_t panelRows_ = 0; // at least as many rows as a panel serves; the same number in all workgroups
  int64_t span_ = 0; // bytes from the first row of b that is read to the last
  int64_t strideAlignment_ = 0; // the largest power of two that divides the distance of b's rows; 0 for a distance of 0
  bool mayReadInPlace_ = false; // b is read in place, or packed by the first tile of rows, instead of being packed beforehand
  bool copies_ = false; // that tile packs it
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

// Where few workgroups share a panel, each thread packs its own, as lines that another thread has just written take longer to
// read. If there are columns for all threads, all workgroups of a column run on one thread. AMX is so fast that waiting for a
// panel that another thread packs pays only if the panel serves several workgroups of each thread.
void NestPlanner::share() {
  panelRows_ = s.rows;
  p.shares = p.ownPanels = 0;
  if (s.alike == 0) return;
  p.ownPanels = !r.inTiles && s.alike <= 2 * s.threads;
  const int64_t served = p.ownPanels && s.columnGroups < s.threads ? ceilDiv(s.alike, s.threads) : s.alike;
  p.shares = s.apart && served > (r.inTiles ? s.threads : 1);
  // Counts full workgroups, so that a workgroup with fewer rows at the edge mostly decides like the others, whose panels it
  // shares.
  if (p.shares) panelRows_ = saturatedProduct(r.rows, served);
}

// Products behind the ends of both a and b are 0 and are skipped. Words come in whole registers, if AMX is used; the padding is
// 0. A fresh nest has a step, so that each loop over K has an iteration.
void NestPlanner::boundDepth() {
  p.elementDepth = std::max(
      {r.leftTransposed ? s.leftRowHigh : s.leftColumnHigh, r.rightTransposed ? s.rightColumnHigh : s.rightRowHigh, r.fresh});
  p.depth = roundUp(p.elementDepth, r.depthUnit) >> r.elementsLog;
}

// a is read in place if all elements that are read are in bounds and need no conversion beforehand, unless packing it is
// faster. Words must be neighbours, and a row at least a register: the last register examined begins within the row. AMX takes
// whole tiles, and half a tile at the end.
void NestPlanner::placeLeft() {
  constexpr int64_t kHalfTile = kAmxSide / 2;
  bool inside = r.leftReady && s.leftLow == 0 && s.leftRowHigh >= s.rows && s.leftColumnHigh >= p.depth << r.elementsLog;
  if (r.leftStep) inside = inside && s.leftColumnStride == r.leftStep && p.depth >= r.lanes;
  if (r.inTiles) inside = inside && s.rows % kHalfTile == 0;
  const bool together = r.leftTogether && p.columnEnd - p.columnBegin >= r.leftTogether && s.rows > r.tileRows;
  p.leftInPlace = inside && !together;
}

// b is read in place if there are too few rows of a, in all workgroups that a packed panel would serve, to make up for packing
// it. One or two rows sweep over any b that is not packed, and up to four over one that is converted and comes from memory.
void NestPlanner::placeRight() {
  constexpr int64_t kOneOrTwo = 2, kFewAcross = 24, kSwept = 40 * kMiB, kLongRun = 4096;
  const int64_t fewRows = r.isWide ? 256 : 24;
  const auto stride = static_cast<uint64_t>(s.rightRowStride);
  span_ = saturatedProduct(s.rightRowStride, p.depth << r.elementsLog);
  strideAlignment_ = static_cast<int64_t>(stride & -stride);
  const bool few = panelRows_ <= fewRows;
  const bool fromMemory = !r.mayBeDirect && panelRows_ <= kMostSweptRows && spansMoreScaled(kSwept);
  p.sweeps = r.maySweep && few && (s.rows <= kOneOrTwo || fromMemory);
  // Short rows of a large b are not prefetched by hardware.
  p.sweepPrefetches = (p.columnEnd - p.columnBegin) * r.rightBytes < kLongRun && spansMore(r.beyondL2);
  const bool onLines = r.prefersInPlace || ((stride | static_cast<uint64_t>(s.rightPlace)) & (kCacheLine - 1)) == 0;
  mayReadInPlace_ = r.mayBeDirect && few && (onLines || panelRows_ <= kFewAcross);
  p.rightInside = s.rightLow == 0 && p.columnEnd <= s.rightColumnHigh ? s.rightRowHigh : -1;
}

// A tile that packs is mostly a full one; if all of many full tiles give their rows to smaller ones, as many rows will do (25
// as five times 5), and any rows if the tile also converts.
void NestPlanner::divideRows() {
  p.wholeTiles = r.hasRest ? wholeTilesOf(s.rows, r.tileRows, r.givenUp) : ceilDiv(s.rows, r.tileRows);
  const bool manyFew = r.fewerByOne && s.rows >= r.tileRows + r.tileRows / 2;
  p.hasRowsToCopy = r.mayBeDirect ? p.wholeTiles > 0 || manyFew : s.rows > 0;
}

// The first tile of rows packs panels that would otherwise be read in place if b may not fit into the L2 cache, as that tile
// prefetches rows ahead, or if rows of b map to the same sets of a cache, and a has enough rows to make up for it.
void NestPlanner::copyRight() {
  constexpr int64_t kTooFewRows = 48, kFew = 6, kHalfPage = 2048;
  const bool manyRows = panelRows_ > kTooFewRows;
  const bool pays = r.prefersInPlace ? isBetterCopied(manyRows) : (manyRows && hasSetConflicts()) || spansMore(r.beyondL2);
  copies_ = r.mayCopyPlain && pays && p.hasRowsToCopy;
  p.rightInPlace = mayReadInPlace_ && !copies_;
  // Fewer than the ways of the L1 cache if rows are so far apart that they map to the same sets.
  p.copyPrefetchRows = strideAlignment_ >= kHalfPage ? kFew : kPrefetchDistance;
}

// If loads may cross lines, tiles that prefetch the next panel of b in place take less time than packing, but not with many
// rows that map to the same sets and come from the L3 cache.
bool NestPlanner::isBetterCopied(bool manyRows) const {
  constexpr int64_t kLarge = 6 * kMiB;
  return manyRows && strideAlignment_ >= kPage && spansMoreScaled(kLarge) && !spansMoreScaled(kFromMemory);
}

// Whether a cache has less room for a panel of b in place than for its packed copy. Rows 512 bytes apart can use half of the L1
// cache's lines, and so on, which matters if the cache could hold the copy. Longer panels touch more pages than the first-level
// TLB has entries.
bool NestPlanner::hasSetConflicts() const {
  constexpr int64_t kManyPages = 96;
  const bool fits = saturatedProduct(p.depth, r.panelPitch) <= r.l1PanelBytes && strideAlignment_ >= 2 * r.panelPitch;
  return fits || (spansMore(kManyPages * kPage) && strideAlignment_ >= 4 * r.panelPitch);
}

// All blocks have the same depth, so that the last one is not only a few steps. There is at least one, which stores the initial
// value of the sums. Only the last block may have steps that do not fill an iteration. If sums could not be passed on before,
// one more turn passes all of them on; a sweep adds to whole rows of sums.
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
  if (mayReadInPlace_ && panelRows_ > r.tileRows) return std::min(deepestInPlace(), deepest); // several tiles read b
  return r.mayCopyPlain && prefetchesSource() ? std::min(kPrefetchedRows, deepest) : deepest;
}

// Rows of b that tile after tile of a's rows reads in place should stay in the L2 cache. At half the distance of
// rowsWithoutConflicts, twice as many fit. A processor whose loads may cross lines has room for more, and rows whose distance
// is no multiple of 1 KiB are spread over all sets.
int64_t NestPlanner::deepestInPlace() const {
  if (copies_) return deepestCopied();
  if (!r.prefersInPlace) return rowsWithoutConflicts() * kPage / std::max<int64_t>(std::min(strideAlignment_, kPage), 1);
  return strideAlignment_ >= kPage / 4 ? r.inPlaceOnce / 2 : r.inPlaceOnce;
}

// For rows that the first tile packs. A panel of 128 rows of 64 f32 stays in the L1 cache, which is better for few tiles, and
// for many tiles if b's rows map to the same sets.
int64_t NestPlanner::deepestCopied() const {
  constexpr int64_t kLarge = 8 * kMiB, kLargeOfFew = 12 * kMiB;
  const bool few = hasFewTiles();
  if (spansMoreScaled(few ? kLargeOfFew : kLarge) && !hasVeryFewTiles()) return kPrefetchedRows;
  return !few && strideAlignment_ < kPage ? r.inPlaceOnce : rowsWithoutConflicts();
}

// Whether b comes from beyond the L2 cache, for so few rows of a that its tiles have no time to prefetch it. The hardware then
// prefetches it if it sees few pages at once that are read forwards, a panel's width at a time: hardwarePrefetchRows. Whole
// rows are prefetched by hardware anyway, and with few panels there is little to prefetch. Not where loads may cross lines.
bool NestPlanner::reliesOnHardwarePrefetch() const {
  constexpr int64_t kOfFewest = 3 * kMiB, kOfNarrow = 12 * kMiB, kPanels = 4;
  if (!r.mayBeDirect || r.prefersInPlace || p.sweeps) return false;
  const int64_t from = panelRows_ <= kFewestRows ? kOfFewest : r.isWide ? kFromMemory : kOfNarrow;
  const bool across = p.columnEnd - p.columnBegin >= kPanels * r.panelColumns;
  return across && hasVeryFewTiles() && spansMoreScaled(from);
}

// 12 to 32 rows, at most as many as fit into 192 KiB; for more rows of a, whose sums are written and read for each block, 32.
int64_t NestPlanner::hardwarePrefetchRows() const {
  // A multiple of kTurns is a whole number of loop iterations of any tile.
  constexpr int64_t kFewRows = 32, kBytes = 192 << 10, kLeast = 12, kMost = 32, kTurns = 4;
  static_assert(kTurns % (2 * kStepsEachTurn) == 0 && kLeast % kTurns == 0 && kMost % kTurns == 0);
  const bool few = panelRows_ <= (r.isWide ? kFewRows : kFewestRows);
  const int64_t near = kBytes / std::max<int64_t>(s.rightRowStride, 1) / kTurns * kTurns;
  return std::max(std::min(near, kMost), few ? kLeast : kMost);
}

// Panels in bounds come first. If one register of columns is left behind panels of three registers, the last two panels are
// narrow, and the last one begins one register earlier. With AMX two panels are packed together, as a cache line of bytes holds
// words of both, and two neighbouring lines of bf16 take less time than one; but a bf16 panel that stays in the L1 cache alone
// is packed alone.
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

// Tiles prefetch the panel that is read from b next if it comes from beyond the L2 cache; where loads may cross lines, this
// slows the tiles of the last rows, unless b comes from memory. So few rows of a that no tile prefetches b, with panels that no
// other workgroups share, prefetch the next block. The lines of the result are prefetched if a tile does not take long.
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

// AMX: if both panels and the rows of a tile stay in the L1 cache, each tile of rows is multiplied by both panels; if one panel
// stays there while rows of a pass through, it is kept. Two rows of the result are prefetched per iteration, or with one or two
// iterations all of them.
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
