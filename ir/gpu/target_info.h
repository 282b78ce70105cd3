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

// One dimension of a matrix that lanes hold in registers: the digits of its index, outermost first. Each digit is a part of
// the lane's number or of the register's number, with a stride in that number (ir/layout/layout.h; here, the strides of
// registers are given, not derived).
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
// The layout of an operand. Register numbers count elements: each register holds one. Elements that share a register of the
// hardware are packed into it in the order of these numbers, lowest first.
struct MmaOperandLayout {
  MmaOperandDim rows, columns;
};

// The lanes that execute an instruction together. More scopes, such as a warpgroup, can be added.
enum class ProductScope : uint8_t { Subgroup };
// Where an instruction reads an operand.
enum class OperandPlace : uint8_t { Registers, SharedMemory };

// One matrix product in hardware. Operand `c` and the result are in registers.
struct MmaInstruction : MmaShape {
  MmaOperandLayout aLayout, bLayout, cLayout; // the layouts of operands in registers; the result has cLayout
  ProductScope scope = ProductScope::Subgroup;
  OperandPlace aPlace = OperandPlace::Registers, bPlace = OperandPlace::Registers;
  int64_t alignment = 0;   // bytes, for operands in shared memory
  bool synchronous = true; // whether the result can be read at once, otherwise after a wait
  // Whether the operands and the result are values: all are in a subgroup's registers, and the result can be read at once.
  // Then an op with operands and a result can represent the instruction.
  constexpr bool takesValues() const {
    return scope == ProductScope::Subgroup && aPlace == OperandPlace::Registers && bPlace == OperandPlace::Registers &&
           synchronous;
  }
};

// The requirements of 2D block messages on their base matrix, in bytes, and on the position of blocks in it; all 0 if there
// are no such messages.
struct BlockRules {
  int64_t baseAlignment = 0;
  int64_t minimalWidth = 0, widthMultiple = 0;
  int64_t minimalPitch = 0, pitchMultiple = 0;
  int64_t columnMultiple = 0; // the position of a block's first column, in bytes
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

// The blocks that one message moves: elements of `bits` bits, `columns` wide, a power of two of rows from `fewestRows` to
// `mostRows`, and a power of two of such blocks side by side, from `fewestBlocks` to `blocks`. Sizes are those in memory, also
// for blocks that the message transposes.
struct BlockShape {
  BlockUse use;
  int bits;
  int64_t columns, fewestRows, mostRows, blocks;
  int64_t fewestBlocks = 1;
};

// A family of GPUs for which one target makes code. Each further target for GPUs adds its own.
enum class GpuFamily : uint8_t { Xe, Nvidia };

struct TargetInfo {
  std::string_view name, summary;
  std::span<const int64_t> subgroupSizes; // preferred size first; kernels with products can only use the first
  std::span<const MmaInstruction> mma = {}; // best first, for each combination of types
  BlockRules blocks = {};
  std::span<const BlockShape> blockShapes = {};
  // 1D block messages move contiguous memory: the allowed numbers of 32-bit or 64-bit words, and the maximum number of
  // bytes; empty if there are no such messages.
  std::span<const int64_t> lineWords = {};
  int64_t lineBytes = 0;
  // Messages with one offset per lane: the maximum number of lanes (a power of two), and the allowed numbers of consecutive
  // elements per lane. If `scatterLanes` is 0, there is no limit, and accesses are done lane by lane.
  int64_t scatterLanes = 0;
  std::span<const int64_t> scatterChunks = {};
  int64_t slmBytes = 0; // per workgroup
  int64_t namedBarriers = 0; // per workgroup
  int64_t lanesPerWorkgroup = 0;
  std::span<const int64_t> registerFile; // register file sizes per thread that a kernel may choose, in registers
  int64_t registerBytes = 0;
  bool f64 = false;
  bool checksOverlaps = true; // whether a launch that breaks the forms `disjoint` and `disjoint_or_same` runs other code
  GpuFamily family = GpuFamily::Xe;
  bool anyDevice = false; // names no hardware: kernels run on any device with these limits, or with its own if it tells them
  // Products are instructions of SPV_KHR_cooperative_matrix. Only the device knows which lane holds which element of such a
  // matrix, so that lanes and matrices exchange elements through shared local memory (matrixScratchBytes). The layouts of the
  // operands in `mma` are those in which lanes pass and get elements.
  bool cooperativeMatrices = false;
  // Asynchronous copies from global to shared local memory: the numbers of bytes that a lane copies with one instruction, most
  // first; both addresses are multiples of that number. Groups of copies land in the order in which they were committed. Empty:
  // the target has no such copies.
  std::span<const int64_t> asyncCopyBytes = {};
  // Whether a subgroup loads 8 rows of 16 bytes from shared local memory with one instruction, up to four such matrices at a time,
  // so that lane 4 r + c gets word c of row r, or of the transpose in elements of 16 bits (NVIDIA's ldmatrix).
  bool matrixLoads = false;
};

// The bytes of shared local memory that each subgroup of a kernel with products needs beside its buffers: room for one operand
// of the largest product. 0 if products take their operands from the lanes.
int64_t matrixScratchBytes(const TargetInfo &target);

// The target's instruction for a product of these types and sizes, among those whose operands and result are values
// (takesValues); null if there is none.
const MmaInstruction *findProduct(const TargetInfo &target, const MmaShape &wanted);
bool hasProducts(const TargetInfo &target, std::span<const MmaInstruction> products); // of all these types and sizes
std::vector<MmaShape> mmaShapes(const TargetInfo &target);

// The widest shape for elements of `bits` bits that can move a single block; null if there is none.
const BlockShape *blockShape(const TargetInfo &target, BlockUse use, int bits);

// These functions return texts for the properties of a target, in messages to users and in `xtc --query`.
std::string_view blockUseName(BlockUse use);
std::string text(const BlockShape &shape); // "load, 16-bit elements: 1 to 32 rows of 16, up to 2 side by side"
std::vector<std::string> blockRuleLines(const BlockRules &rules); // in two lines
// "1, 2, 4 or 8 words of 32 or 64 bits, up to 64 bytes, aligned to the word"; "none"
std::string lineMessageText(const TargetInfo &target);
// "up to 32, a power of two, each with 1, 2 or 4 contiguous elements"; "any"
std::string scatterMessageText(const TargetInfo &target);
std::string typesText(const MmaShape &shape); // "f16 x f16 -> f32"
std::string sizesText(const MmaShape &shape); // "8x16x16": M x N x K
std::string mmaTable(std::span<const MmaShape> shapes); // one line per combination of types, each with its sizes

std::span<const TargetInfo> targetInfos();
std::span<const TargetInfo> targetInfos(GpuFamily family); // the targets of a family are adjacent in the list of all
// Null if the name is unknown.
const TargetInfo *findTargetInfo(std::string_view name);

} // namespace xt
