// How a nest is computed. NestRules say which forms its code has; they are decided as the code is emitted. A NestPlan says how
// K, rows and columns are divided and what is prefetched; the kernel decides it for the sizes of each launch.
//
// Both are plain C++ without LLVM, so that each decision has a test. K is counted in elements or in steps: a step is what one
// instruction multiplies along K, an element or a word of two or four (ProductStyle). "In place" means that the microkernel
// reads the caller's matrix; "packed" (`b`) and "staged" (`a`) mean that it reads a copy in scratch memory. Flags are 0 or 1.
// tests/bench/cpu/tuning.md lists the measurements behind each constant.
#pragma once
#include "targets/cpu/products/nest_problem.h"

#include <cstdint>

namespace xt {

inline constexpr int64_t kMostSweptRows = 4; // maximum number of rows of `a` in a sweep, if `b` is converted

// The decisions that depend only on the product, its tiles and the processor. A kernel has these words in its table of numbers
// (KernelOutput::numbers), and passes their address on (NestSizes::rules).
struct NestRules {
  // Steps of K.
  int64_t elementsLog, fresh; // the binary logarithm of the elements of a step; flag: the sums start at 0
  int64_t depthUnit, blockUnit; // K is padded to a multiple of depthUnit elements, a block to blockUnit steps; powers of two
  // The maximum number of steps of a block, if all of K fits into one block (Once) and if it does not (Again), for rows of `a`
  // that are read in place or staged.
  int64_t inPlaceOnce, inPlaceAgain, stagedOnce, stagedAgain;
  // Rows of `a`.
  int64_t rows; // rows of the sums of a whole workgroup
  int64_t tileRows; // rows of a full tile of the microkernel
  // The table tilesGivenUpByRest(). Flags: smaller tiles take the last rows; these tiles have one row fewer.
  int64_t givenUp, hasRest, fewerByOne;
  // Columns of `b`.
  int64_t panelColumns, panelPitch, lanes; // columns, and bytes of a row, of a packed panel; elements or words of a register
  int64_t partColumns; // parts of a workgroup begin at multiples of this number of columns
  int64_t narrowTakesAnyRest; // flag: one or two narrow tiles take any columns that fill no panel
  int64_t prefetchingTiles; // the number of tiles of rows that together prefetch a whole panel
  // Operand `a`.
  int64_t leftTransposed; // flag
  int64_t
      leftReady; // flag: rows follow each other and need no conversion, transposition or slicing, so they may be read in place
  int64_t leftStep; // for words, whose elements must be adjacent in memory: bytes of an element; 0: elements with any stride
  int64_t leftTogether; // number of columns from which rows are staged even if they could be read in place; 0: never
  // Operand `b`. All are flags that say which forms the code has, except rightBytes, the size of an element.
  int64_t rightTransposed, rightBytes;
  int64_t maySweep; // few rows of `a` multiply whole rows of `b`
  int64_t mayBeDirect; // `b` is read in place
  int64_t mayPrefetchSource; // tiles prefetch the next panel in `b`
  int64_t mayCopy; // the first tile of rows packs `b` while it multiplies
  int64_t mayCopyPlain; // the first tile of rows also packs a `b` that could be read in place
  int64_t prefersInPlace; // loads that cross cache lines take no longer, so `b` is preferably read in place
  int64_t isWide; // a row of a panel has four cache lines or more
  // AMX, whose steps are words.
  int64_t inTiles, inSlices; // flags
  int64_t l1PairSteps; // maximum steps of a block for which two panels and the rows of a tile fit the L1 cache
  int64_t l1AloneSteps; // maximum steps of a block for which one panel of bf16 fits half of the L1 cache
  int64_t l1KeptSteps; // maximum steps of a block for which one panel fits three quarters of the L1 cache
  // Bytes of caches.
  int64_t l1PanelBytes; // the part of the L1 cache that a packed panel may take
  int64_t beyondL2; // a larger matrix counts as larger than the L2 cache
  int64_t l3Bytes; // thresholds that depend on the L3 cache are in proportion to it
};

// Words that a kernel writes before it calls xt_plan_nest. Strides are in bytes.
struct NestSizes {
  int64_t rules; // the address of the NestRules
  int64_t rows, columns; // size of the sums of this workgroup, in all its parts
  int64_t part, parts; // the index of this part of the workgroup, and the number of parts
  int64_t divides; // flag: parts may store while others still read; otherwise the first part computes all
  int64_t apart; // flag: the result overlaps neither `a` nor `b`, so stores may begin before everything has been read
  // The number of workgroups that one packed panel could serve (0: panels are not shared), and the number of groups of such
  // workgroups in the launch, times the parts.
  int64_t alike, columnGroups;
  int64_t threads; // number of threads of the launch
  // Bounds of `a` and `b`, with rows and columns as in memory, relative to the first element that is read. Low: 0 if that
  // element is in bounds.
  int64_t leftLow, leftRowHigh, leftColumnHigh, leftColumnStride;
  int64_t rightLow, rightRowHigh, rightColumnHigh, rightRowStride, rightPlace; // rightPlace: the offset of `b` in a cache line
};

// How the nest of a workgroup is computed. Words whose comment says "flag" are 0 or 1.
struct NestPlan {
  int64_t columnBegin, columnEnd; // the columns that this part computes
  int64_t shares, ownPanels; // flags: workgroups share packed panels; only those of one thread do
  int64_t elementDepth, depth; // K in elements, and in steps
  int64_t blocks, blockDepth; // blocks of K, and the steps of each but the last, which may have fewer
  int64_t turns; // iterations of the loop over blocks: one per block, and the epilogue turn unless fusesEpilogue is set
  // Flag: the epilogue uses sums in the last block, as soon as they are ready. Otherwise it runs in the epilogue turn, an extra
  // iteration after the last block.
  int64_t fusesEpilogue;
  int64_t leftInPlace, rightInPlace; // flags: rows of `a`, and panels of `b` with all columns in bounds, are read in place
  int64_t rightInside; // the end of the rows of `b` that are in bounds, if all columns that are read are in bounds, else -1
  int64_t sweeps, sweepPrefetches; // flags: the rows sweep over `b`; the sweep prefetches the next rows of `b`
  int64_t panelCount, insidePanels; // number of panels; how many of them are in bounds if the rows of `b` are
  int64_t endsByTwoNarrow; // flag: narrow tiles take the last two panels, the last of which begins one register earlier
  // The number of full tiles of rows; flag: `a` has enough rows for a tile that packs `b` while it multiplies.
  int64_t wholeTiles, hasRowsToCopy;
  int64_t copyPrefetchRows; // how many rows of `b` ahead a tile prefetches that packs `b`
  int64_t nextStep; // bytes of the next packed panel that a step prefetches
  // The number of tiles that prefetch the next panel in `b`, and how many of them may be the smaller tiles of the last rows.
  int64_t sourceTiles, lastSourceTiles;
  int64_t prefetchesNextBlock, prefetchesResult; // flags: tiles prefetch the next block of `b`, and lines of the result
  // AMX: the number of panels that are packed together; flags: each tile of rows is multiplied by both panels at once, and one
  // panel is kept in the L1 cache; the number of rows of the result that an iteration prefetches; how many rows of `b` ahead
  // packing prefetches.
  int64_t panelsEach, byRows, keepsRight, resultPrefetchRows, packPrefetchRows;
};

NestRules rulesOf(const NestProblem &problem);
NestPlan planNest(const NestRules &rules, const NestSizes &sizes);

// The memory of a call of xt_plan_nest: a kernel writes `sizes` and reads `plan`. `planned` holds the sizes for which `plan`
// was made; its word `rules` is 0 before the first plan.
struct NestCall {
  NestSizes sizes, planned;
  NestPlan plan;
};
inline constexpr const char *kPlanNestSymbol = "xt_plan_nest";

} // namespace xt

// Makes the plan for call->sizes, unless it has been made already (call->planned). Compiled kernels call this function by name
// (runtime_symbols.cc).
extern "C" void xt_plan_nest(xt::NestCall *call);
