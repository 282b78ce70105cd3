// How a nest is computed. What depends on the product, its tiles and the processor is decided as the code is emitted
// (NestRules); what depends on sizes and addresses at run time is decided by planNest, which the kernel calls before each nest.
// tests/bench/cpu/tuning.md lists the measurements behind each constant.
#pragma once
#include "targets/cpu/products/nest_problem.h"

#include <cstdint>

namespace xt {

inline constexpr int64_t kMostSweptRows = 4; // rows of a that sweep over a b that is converted

// Words that a kernel passes on from its table of numbers (KernelOutput::numbers).
struct NestRules {
  // Steps of K.
  int64_t elementsLog, fresh; // the binary logarithm of the elements of K in a step
  int64_t depthUnit, blockUnit; // elements of which a depth is a multiple, and steps of a block: powers of two
  int64_t inPlaceOnce, inPlaceAgain, stagedOnce, stagedAgain; // the most steps of a block, if all of K fits into one, and else
  // Rows and columns.
  int64_t rows; // of the sums of a workgroup
  int64_t tileRows, givenUp, hasRest, fewerByOne; // givenUp: four bits for each number of remaining rows (tilesGivenUp)
  int64_t panelColumns, panelPitch, lanes, partColumns, narrowTakesAnyRest;
  int64_t prefetchingTiles; // the number of tiles that can prefetch all of a panel
  // a: whether it may be read in place at all, which needs words of leftStep bytes that are neighbours (0: any elements).
  int64_t leftTransposed, leftReady, leftStep, leftTogether; // leftTogether: columns from which rows are packed all the same
  // b: which forms the code has.
  int64_t rightTransposed, rightBytes;
  int64_t maySweep; // over whole rows of b
  int64_t mayBeDirect; // read b in place
  int64_t mayPrefetchSource; // prefetch the next panel in b
  int64_t mayCopy; // the first tile of rows packs b while it multiplies
  int64_t mayCopyPlain; // … a b that could be read in place
  int64_t prefersInPlace; // loads may cross lines
  int64_t isWide; // panels have four cache lines or more
  // AMX; its words of K are steps.
  int64_t inTiles, inSlices;
  int64_t l1PairSteps; // two panels and the rows of a tile stay in the L1 cache
  int64_t l1AloneSteps, l1KeptSteps; // one panel does: of bf16 with as much room beside it, or with rows of a that pass through
  // Bytes of caches.
  int64_t l1PanelBytes; // of the L1 cache, for a packed panel
  int64_t secondCache, thirdCache; // matrices that are larger come from beyond the L2 cache; measured L3 sizes in proportion
};

// Words that a kernel writes before it calls planNest.
struct NestSizes {
  int64_t rules; // the address of the NestRules
  int64_t rows, columns; // of the sums that are computed, in all parts of the workgroup
  int64_t part, parts, divides; // divides: parts may store while others read; else the first one computes all
  int64_t apart; // stores may begin before everything has been read
  int64_t alike, columnGroups,
      threads; // workgroups that a packed panel could serve (0: panels are not shared), different panels
  int64_t leftLow, leftRowHigh, leftColumnHigh, leftColumnStride; // Low: 0 if the first row and column are in bounds
  int64_t rightLow, rightRowHigh, rightColumnHigh, rightRowStride, rightPlace; // rightPlace: address within a cache line
};

struct NestPlan {
  int64_t columnBegin, columnEnd; // the columns that this part computes
  int64_t shares, ownPanels; // workgroups share packed panels; only those of one thread do
  int64_t elementDepth, depth; // elements of K, and steps
  int64_t blocks, blockDepth, turns; // blocks of K; steps of each but the last; blocks and the extra turn that hands sums on
  int64_t inPlace; // sums are passed on as soon as they are ready
  int64_t leftInPlace; // rows of a are read in place
  int64_t rightInPlace; // whole panels of b are read in place
  int64_t rightInside; // the end of b's rows if all columns that are read are in bounds, else -1
  int64_t sweeps, sweepPrefetches; // the rows sweep over b; prefetching its next rows
  int64_t panelCount, insidePanels, endsByTwoNarrow; // panels; those in bounds if the rows of b are; how they end
  int64_t wholeTiles, hasRowsToCopy; // full tiles of rows; whether a has the rows for a tile that packs
  int64_t copyPrefetchRows; // how many rows ahead a tile that packs prefetches
  int64_t nextStep; // bytes of the next packed panel that a step prefetches
  int64_t sourceTiles, lastSourceTiles; // tiles that prefetch the next panel in b; those of them that may be of the last rows
  int64_t prefetchesNextBlock, prefetchesResult; // prefetches of b's next rows, and of the result
  int64_t panelsEach, byRows, keepsRight, resultPrefetchRows,
      packPrefetchRows; // AMX: panels packed together, the order of tiles, prefetches
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

extern "C" void xt_plan_nest(xt::NestCall *call);
