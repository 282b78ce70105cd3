// Assigns vector values to buffers in a worker's scratch memory. Values that are never live at the same time share a buffer.
#pragma once
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/analysis/fusion.h"
#include "targets/cpu/analysis/product_style.h"

#include <map>
#include <unordered_map>

namespace xt {

inline constexpr int64_t kBufferAlignment = 64;

// Memory layout of a vector of any rank, seen as rows of its last dimension. Rows start at multiples of 64 bytes, so whole
// registers may be read and written up to the pitch; the content past the last column is unspecified. A dense column
// (dense_columns.h) has no padding between its rows; whole registers may be read and written past its last row.
struct BufferShape {
  int64_t rows = 1, columns = 1;
  Elem elem = kF32Elem;
  int64_t pitch = 0; // bytes from row to row
  bool operator==(const BufferShape &) const = default;
  int64_t bytes() const; // saturated
  bool isDenseColumn() const { return rows > 1 && pitch < kBufferAlignment; }
};
BufferShape bufferShape(Type vector, Elem elem);
BufferShape denseColumnShape(Type vector, Elem elem);
BufferShape nestSumsShape(const Op &nest); // has room for whole panels

struct Buffer {
  BufferShape shape;
  int64_t offset = 0; // in the scratch memory, a multiple of kBufferAlignment
};

// Whether an op accesses elements of its vector operands by index. Such operands need a buffer.
bool readsBuffers(const Op &op);

// The element type in which tile_mma multiplies: f64 for f64, i32 for i8 and u8, else f32.
Elem mmaElem(Elem operand);

// The scratch buffers of a nest. The value is the operand number that stagingOf takes.
enum NestBuffer : size_t {
  kNestLeft,  // staged rows of `a`, nestStagedBytes each
  kNestPanel, // the packed panel of `b`: kNestPanelBytes for each row of K (with AMX two panels), then facts about the panel
  kNestCells, // the sums of one register tile, then a row of zeros and the row of a key (float_slices.h)
  // All sums, between blocks of K. A nest that has a store has such a buffer; another one adds to the buffer of its result.
  kNestSums,
  // Sums of the rows of `a`, one element per row. They are written four at a time, and no group of four crosses a cache line.
  kNestRowSums,
  kNestRows, // the numbers of the rows of `a`, if they are given and have no buffer of their own
  kNestBuffers
};
inline constexpr int64_t kNestDepthBytes = 4096, kNestPanelBytes = 256;
inline constexpr int64_t kMostPanels = 2; // with AMX; packed one after the other
static_assert(kMostPanels * kAmxRowBytes <= kNestPanelBytes);
inline constexpr int64_t kNestCellRows = kAmxSide, kNestZeroRow = kNestCellRows, kNestKeyRow = kNestZeroRow + 1;

// The maximum number of bytes that are staged of each row of `a`. Up to `few` rows get twice as many bytes each, because all of
// them still fit into an L2 cache of 2 MiB.
inline int64_t nestStagedBytes(int64_t rows, int64_t few = 192) { return rows <= few ? kNestDepthBytes : kNestDepthBytes / 2; }

// Operand number of the pair buffer of a tile_mma that multiplies pairs: row k of the buffer interleaves rows 2k and 2k + 1 of
// `b`.
inline constexpr size_t kMmaWords = 2;
// Operand number of the buffer for the sums that the AMX tiles hold at once, for a tile_mma that adds to an accumulator in
// them.
inline constexpr size_t kMmaCells = 3;

class BufferAssignment {
public:
  // Null for values that are inline and for values that are not vectors.
  const Buffer *bufferOf(const Value *value) const;
  // The scratch buffer that an op has under one of its operand numbers; null if the op reads the operand from the operand's own
  // buffer. A tile_mma has buffers for its operands 0 and 1 (converted to mmaElem unless it multiplies pairs), for the pairs of
  // `b` (kMmaWords) and for the sums of AMX tiles (kMmaCells). An op that readsBuffers has one for each operand without a
  // buffer. A nest has one for each NestBuffer, but kNestSums only if it has a store, and kNestRows only where that says so.
  const Buffer *stagingOf(const Op *op, size_t operand) const;
  int64_t scratchBytes() const { return scratchBytes_; } // saturated
  // The values with the largest buffers, largest first, for the message about scratch memory that is too large.
  struct Entry {
    const Value *value;
    const Buffer *buffer;
  };
  std::vector<Entry> largest(size_t count) const;

private:
  friend class BufferAssigner;
  std::vector<Buffer> buffers_;
  std::unordered_map<const Value *, size_t> values_;
  std::map<std::pair<const Op *, size_t>, size_t> staging_; // used for lookup only; iteration order would not be deterministic
  std::vector<const Value *> order_; // the keys of values_, in program order
  int64_t scratchBytes_ = 0;
};

// Loop-carried vectors, branch results and accumulators share one buffer with the values that they are copied from and to, if
// the live ranges do not overlap. Otherwise the emitter copies them.
//
// The emitter's side of the contract: an op reads all its operands before it writes its result, except that tile_mma reads its
// operands `a` and `b` (or their staging buffers) to the end, and fills the staging buffers before it touches its result.
// Values that enter a loop or leave a region together are all read before the first of their destinations is written.
BufferAssignment assignBuffers(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);

} // namespace xt
