// The properties of a target as data: used by passes, and printed by `xtc --query` (the query interface of
// sycl_ext_oneapi_matrix).
#pragma once
#include "ir/elem.h"
#include "ir/layout/layout.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

// The types and sizes of a matrix product: result[m, n] = c[m, n] + a[m, k] * b[k, n].
struct MmaShape {
  Elem a, b, result;
  int64_t m, n, k;
  bool operator==(const MmaShape &) const = default;
};

// One dimension of a matrix that lanes hold in registers: the digits of its index, outermost first. Each is a digit of the
// lane's number, or of the register's, with a stride there (ir/layout/layout.h; register strides are not derived here).
class MmaOperandDim {
public:
  constexpr MmaOperandDim(std::initializer_list<Factor> digits) {
    for (const Factor &digit : digits) digits_[count_++] = digit;
  }
  constexpr std::span<const Factor> digits() const { return {digits_.data(), count_}; }

private:
  std::array<Factor, 3> digits_{};
  size_t count_ = 0;
};
// A register holds one element; elements that share a register of the hardware are in it by their numbers, the lowest first.
struct MmaOperandLayout {
  MmaOperandDim rows, columns;
};

// Who executes an instruction together. An open list: a warpgroup may follow.
enum class ProductScope : uint8_t { Subgroup };
// Where an instruction reads an operand.
enum class OperandPlace : uint8_t { Registers, SharedMemory };

// One matrix product in hardware. c and the result are in registers.
struct MmaInstruction : MmaShape {
  MmaOperandLayout aLayout, bLayout, cLayout; // of operands in registers; the result has that of c
  ProductScope scope = ProductScope::Subgroup;
  OperandPlace aPlace = OperandPlace::Registers, bPlace = OperandPlace::Registers;
  int64_t alignment = 0;   // in bytes, of operands in shared memory
  bool synchronous = true; // whether the result can be read at once, otherwise after a wait
  // Whether the instruction takes and gives values, so that an op with operands and a result stands for it.
  constexpr bool takesValues() const {
    return scope == ProductScope::Subgroup && aPlace == OperandPlace::Registers && bPlace == OperandPlace::Registers &&
           synchronous;
  }
};

// The requirements on the base matrix of a 2D block message, in bytes, and on the position of its blocks; all 0 if there are no
// such messages.
struct BlockRules {
  int64_t baseAlignment = 0;
  int64_t minimalWidth = 0, widthMultiple = 0;
  int64_t minimalPitch = 0, pitchMultiple = 0;
  int64_t columnMultiple = 0; // of a block's first column
  int64_t maximalExtent = 0; // width, pitch (bytes) and height (rows)
  bool any() const { return baseAlignment != 0; }
};

enum class BlockUse : uint8_t {
  Load,
  LoadVnni, // elements of a column are packed until they fill 32 bits
  LoadTransposed,
  Store,
  Prefetch,
};

// The blocks that one message moves: elements of `bits`, `columns` wide, a power of two of rows from `fewestRows` to
// `mostRows`, and a power of two of such blocks side by side, from `fewestBlocks` to `blocks`. Sizes are those in memory, also
// for blocks that the message transposes.
struct BlockShape {
  BlockUse use;
  int bits;
  int64_t columns, fewestRows, mostRows, blocks;
  int64_t fewestBlocks = 1;
};

// GPUs for which the same target makes code. An open list: each further target adds its own.
enum class GpuFamily : uint8_t { Xe };

struct TargetInfo {
  std::string_view name, summary;
  std::span<const int64_t> subgroupSizes; // the first is the best, and the only one for kernels with products
  std::span<const MmaInstruction> mma; // best first, for each combination of types
  BlockRules blocks;
  std::span<const BlockShape> blockShapes;
  // 1D block messages move contiguous memory: the allowed numbers of 32-bit or 64-bit words, and the most bytes; empty if there
  // are no such messages.
  std::span<const int64_t> lineWords;
  int64_t lineBytes = 0;
  // Messages with one offset per lane: the most lanes (a power of two), and the allowed numbers of consecutive elements per
  // lane. 0: no limit, accesses are done lane by lane.
  int64_t scatterLanes = 0;
  std::span<const int64_t> scatterChunks;
  int64_t slmBytes = 0; // per workgroup
  int64_t namedBarriers = 0; // per workgroup
  int64_t lanesPerWorkgroup = 0;
  std::span<const int64_t> registerFile; // register file sizes per thread that a kernel may choose, in registers
  int64_t registerBytes = 0;
  bool f64 = false;
  bool checksOverlaps = true; // launches that break the forms `disjoint` and `disjoint_or_same` run other code
  GpuFamily family = GpuFamily::Xe;
};

// The product of the target that takes values of these types and sizes; null if there is none.
const MmaInstruction *findProduct(const TargetInfo &target, const MmaShape &wanted);
std::vector<MmaShape> mmaShapes(const TargetInfo &target);

// The widest shape of a target for elements of `bits` bits that may move a single block; null if none.
const BlockShape *blockShape(const TargetInfo &target, BlockUse use, int bits);

// The texts for the properties of a target in messages to users and in `xtc --query`.
std::string_view blockUseName(BlockUse use);
std::string text(const BlockShape &shape); // "load, 16-bit elements: 1 to 32 rows of 16, up to 2 side by side"
std::vector<std::string> blockRuleLines(const BlockRules &rules); // in two lines
std::string lineMessageText(const TargetInfo &target); // "1, 2, 4 or 8 words of 32 or 64 bits, up to 64 bytes, …"; "none"
std::string scatterMessageText(const TargetInfo &target); // "up to 32, each taking 1, 2, 3, 4 or 8 neighbours"; "any"
std::string typesText(const MmaShape &shape); // "f16 x f16 -> f32"
std::string sizesText(const MmaShape &shape); // "8x16x16": M x N x K
std::string mmaTable(std::span<const MmaShape> shapes); // one line per combination of types, each with its sizes

std::span<const TargetInfo> targetInfos();
std::span<const TargetInfo> targetInfos(GpuFamily family); // those of one family are neighbours
// Null if the name is unknown.
const TargetInfo *findTargetInfo(std::string_view name);

} // namespace xt
