// What a target has, as data: what passes ask of hardware, and what `xtc --query` prints (seed 002's interface).
#pragma once
#include "ir/elem.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// One product that the hardware has: result[m, n] += a[m, k] * b[k, n], by one subgroup.
struct MmaShape {
  Elem a, b, result;
  int64_t m, n, k;
};

// What the base matrix of a 2D block message must be, in bytes, and where its blocks may begin; all 0: there are no such
// messages.
struct BlockRules {
  int64_t baseAlignment = 0;
  int64_t minimalWidth = 0, widthMultiple = 0;
  int64_t minimalPitch = 0, pitchMultiple = 0;
  int64_t columnMultiple = 0; // of a block's first column
  int64_t maximalExtent = 0;  // width, pitch (bytes) and height (rows)
  bool any() const { return baseAlignment != 0; }
};

enum class BlockUse : uint8_t {
  Load,
  LoadVnni,      // neighbours of a column side by side until they fill 32 bits
  LoadTransposed,
  Store,
  Prefetch,
};

// Blocks that one message moves: elements of `bits`, `columns` wide, a power of two of rows from the fewest to the most,
// and a power of two of them side by side, from `fewestBlocks` to `blocks`. Sizes are those in memory, also of blocks that
// are turned on the way.
struct BlockShape {
  BlockUse use;
  int bits;
  int64_t columns, fewestRows, mostRows, blocks;
  int64_t fewestBlocks = 1;
};

struct TargetInfo {
  std::string_view name, summary;
  std::span<const int64_t> subgroupSizes; // the first is what kernels with mma need
  std::span<const MmaShape> mma;          // best first, for each combination of types
  BlockRules blocks;
  std::span<const BlockShape> blockShapes;
  // 1D block messages, of neighbours in memory: how many words of 32 or 64 bits one moves, and bytes at most; none: there
  // are no such messages.
  std::span<const int64_t> lineWords;
  int64_t lineBytes = 0;
  // Messages to offsets of each lane's own: at most so many lanes, a power of two, and how many neighbours each takes; 0:
  // any, they go lane by lane.
  int64_t scatterLanes = 0;
  std::span<const int64_t> scatterChunks;
  int64_t slmBytes = 0;      // of a workgroup
  int64_t namedBarriers = 0; // of a workgroup
  int64_t lanesPerWorkgroup = 0;
  std::span<const int64_t> registerFile; // sizes of a lane's register file that a kernel may ask for, in registers
  int64_t registerBytes = 0;
  bool f64 = false;
};

// The widest shape that the target has for elements of so many bits, alone or several side by side; null: none.
const BlockShape *blockShape(const TargetInfo &target, BlockUse use, int bits);

// How messages to users and `xtc --query` write what a target has.
std::string_view blockUseName(BlockUse use);
std::string text(const BlockShape &shape);                     // "load, 16-bit elements: 1 to 32 rows of 16, up to 2 side by side"
std::vector<std::string> blockRuleLines(const BlockRules &rules); // in two lines
std::string lineMessageText(const TargetInfo &target);         // "1, 2, 4 or 8 words of 32 or 64 bits, up to 64 bytes, …"; "none"
std::string scatterMessageText(const TargetInfo &target);       // "up to 32, each taking 1, 2, 3, 4 or 8 neighbours"; "any"
std::string typesText(const MmaShape &shape);                  // "f16 x f16 -> f32"
std::string sizesText(const MmaShape &shape);                  // "8x16x16": M x N x K
std::string mmaTable(std::span<const MmaShape> shapes);        // lines of types, each with the sizes that they have

std::span<const TargetInfo> targetInfos();
// Null for an unknown name.
const TargetInfo *findTargetInfo(std::string_view name);

} // namespace xt
