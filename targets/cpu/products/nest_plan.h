// How a nest is computed: which forms its code has, which is decided as the code is emitted (NestRules), and how K, rows and
// columns are divided and what is prefetched, which the kernel decides for the sizes of each launch (NestPlan).
//
// Both are plain C++ without LLVM, so that each decision has a test. K is counted in elements or in steps: a step is what one
// instruction multiplies along K, an element or a word of two or four (ProductStyle). "In place" means that the microkernel
// reads the caller's matrix; "packed" (b) and "staged" (a) mean that it reads a copy in scratch memory. Flags are 0 or 1.
// tests/bench/cpu/tuning.md lists the measurements behind each constant.
#pragma once
#include "targets/cpu/products/nest_problem.h"

#include <cstdint>

namespace xt {

inline constexpr int64_t kMostSweptRows = 4; // rows of a that sweep over a b that is converted

// Depends on the product, its tiles and the processor. A kernel passes these words on from its table of numbers
// (KernelOutput::numbers).
struct NestRules {
  // Steps of K.
  int64_t elementsLog, fresh; // the binary logarithm of the elements of a step; flag: the sums start at 0
  int64_t depthUnit, blockUnit; // K is padded to a multiple of these elements, and a block to one of these steps; powers of two
  // The most steps of a block: if all of K fits into one block (Once), and if it does not (Again), for rows of a that are read
  // in place or staged.
  int64_t inPlaceOnce, inPlaceAgain, stagedOnce, stagedAgain;
  // Rows of a.
  int64_t rows; // of the sums of a whole workgroup
  int64_t tileRows; // of the microkernel
  int64_t givenUp, hasRest, fewerByOne; // the table tilesGivenUpByRest; flags: smaller tiles take the last rows; by one row
  // Columns of b.
  int64_t panelColumns, panelPitch, lanes; // columns, and bytes of a row, of a packed panel; elements or words of a register
  int64_t partColumns; // columns of a part of a workgroup are a multiple of it
  int64_t narrowTakesAnyRest; // flag: one or two narrow tiles take any columns that fill no panel
  int64_t prefetchingTiles; // the number of tiles of rows that together prefetch all of a panel
  // a.
  int64_t leftTransposed; // flag
  int64_t leftReady; // flag: rows need no conversion, transposition or slicing, so they may be read in place
  int64_t leftStep; // for words, which must be neighbours, their bytes; 0: elements, which may be anywhere
  int64_t leftTogether; // the columns from which rows are staged all the same; 0: never
  // b. Flags, which say what the code has a form for, except rightBytes, of an element.
  int64_t rightTransposed, rightBytes;
  int64_t maySweep; // few rows of a multiply whole rows of b
  int64_t mayBeDirect; // b is read in place
  int64_t mayPrefetchSource; // tiles prefetch the next panel in b
  int64_t mayCopy; // the first tile of rows packs b while it multiplies
  int64_t mayCopyPlain; // the same for a b that could be read in place
  int64_t prefersInPlace; // loads that cross cache lines take no longer, so that b is rather read in place
  int64_t isWide; // a row of a panel has four cache lines or more
  // AMX, whose steps are words.
  int64_t inTiles, inSlices; // flags
  int64_t l1PairSteps; // the most steps for which two panels and the rows of a tile fit the L1 cache
  int64_t l1AloneSteps; // for which one panel of bf16 fits half of it
  int64_t l1KeptSteps; // for which one panel fits three quarters of it
  // Bytes of caches.
  int64_t l1PanelBytes; // the part of the L1 cache that a packed panel may take
  int64_t beyondL2; // a larger matrix counts as one that the L2 cache does not hold
  int64_t l3Bytes; // thresholds that depend on the L3 cache are in proportion to it
};

// Words that a kernel writes before it calls planNest. Strides are in bytes.
struct NestSizes {
  int64_t rules; // the address of the NestRules
  int64_t rows, columns; // of the sums that this workgroup computes, in all its parts
  int64_t part, parts; // this part of the workgroup, and how many there are
  int64_t divides; // flag: parts may store while others still read; otherwise the first part computes all
  int64_t apart; // flag: the result overlaps neither a nor b, so stores may begin before everything has been read
  int64_t alike, columnGroups; // workgroups that one packed panel could serve (0: panels are not shared); different panels
  int64_t threads; // of the launch
  // Bounds of a and b in the order of their memory, relative to the first element that is read. Low: 0 if that is in bounds.
  int64_t leftLow, leftRowHigh, leftColumnHigh, leftColumnStride;
  int64_t rightLow, rightRowHigh, rightColumnHigh, rightRowStride, rightPlace; // rightPlace: b's address within a cache line
};

// How the nest of a workgroup is computed. Words that say "flag" are 0 or 1.
struct NestPlan {
  int64_t columnBegin, columnEnd; // the columns that this part computes
  int64_t shares, ownPanels; // flags: workgroups share packed panels; only those of one thread do
  int64_t elementDepth, depth; // K in elements, and in steps
  int64_t blocks, blockDepth; // blocks of K, and the steps of each but the last, which may have fewer
  int64_t turns; // iterations over blocks: as many as there are, and the epilogue turn if fusesEpilogue is not set
  int64_t fusesEpilogue; // flag: the last block passes sums on as soon as they are ready; otherwise a turn of its own does
  int64_t leftInPlace, rightInPlace; // flags: rows of a, and panels of b whose columns are all in bounds, are read in place
  int64_t rightInside; // the end of b's rows if all columns that are read are in bounds, else -1
  int64_t sweeps, sweepPrefetches; // flags: the rows sweep over b; the sweep prefetches b's next rows
  int64_t panelCount, insidePanels; // panels; how many of them are in bounds if the rows of b are
  int64_t endsByTwoNarrow; // flag: narrow tiles take the last two panels, the last of which begins one register earlier
  int64_t wholeTiles, hasRowsToCopy; // full tiles of rows; flag: a has the rows for a tile that packs b while it multiplies
  int64_t copyPrefetchRows; // how many rows of b ahead such a tile prefetches
  int64_t nextStep; // bytes of the next packed panel that a step prefetches
  int64_t sourceTiles, lastSourceTiles; // tiles that prefetch the next panel in b; how many of them may be of the last rows
  int64_t prefetchesNextBlock, prefetchesResult; // flags: tiles prefetch b's next rows, and the lines of the result
  // AMX: panels packed together; flags: each tile of rows is multiplied by both at once, and one panel is kept in the L1 cache;
  // rows of the result that an iteration prefetches; how many rows of b ahead packing prefetches.
  int64_t panelsEach, byRows, keepsRight, resultPrefetchRows, packPrefetchRows;
};

NestRules rulesOf(const NestProblem &problem);
NestPlan planNest(const NestRules &rules, const NestSizes &sizes);

// The memory of a call: a kernel writes `sizes` and reads `plan`. `planned` are the sizes that the plan is of; its word `rules`
// is 0 at first.
struct NestCall {
  NestSizes sizes, planned;
  NestPlan plan;
};
inline constexpr const char *kPlanNestSymbol = "xt_plan_nest";

} // namespace xt

// Called by name from compiled kernels (runtime_symbols.cc): plans call->sizes, unless these are planned already.
extern "C" void xt_plan_nest(xt::NestCall *call);
