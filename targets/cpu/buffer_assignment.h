// Where vector values live: buffers in a worker's scratch memory, shared by values that are never alive together.
#pragma once
#include "targets/cpu/cpu_info.h"
#include "targets/cpu/fusion.h"
#include "targets/cpu/product_style.h"

#include <map>
#include <unordered_map>

namespace xt {

inline constexpr int64_t kBufferAlignment = 64;

// A vector of any rank as rows of its last dimension. Rows start at multiples of 64 bytes, so whole registers may be
// read and written up to the pitch; what stands behind the last column is unspecified. Of a dense column (dense_columns.h)
// the rows stand side by side, and that holds behind the last row.
struct BufferShape {
  int64_t rows = 1, columns = 1;
  Elem elem = Elem::F32;
  int64_t pitch = 0; // bytes from row to row
  bool operator==(const BufferShape &) const = default;
  int64_t bytes() const; // saturated
  bool isDenseColumn() const { return rows > 1 && pitch < kBufferAlignment; }
};
BufferShape bufferShape(Type vector, Elem elem);
BufferShape denseColumnShape(Type vector, Elem elem);

struct Buffer {
  BufferShape shape;
  int64_t offset = 0; // in the scratch memory, a multiple of kBufferAlignment
};

// Whether an op picks elements of its vector operands by place: they need a buffer.
bool readsBuffers(const Op &op);

// The element type in which tile_mma multiplies: f64 for f64, i32 for i8 and u8, else f32.
Elem mmaElem(Elem operand);

// What a nest has in scratch memory, by the number that stagingOf takes.
enum NestBuffer : size_t {
  kNestLeft,  // rows of a, nestStagedBytes of each
  kNestPanel, // rows of K of b, kNestPanelBytes of each (AMX: of two panels), and behind them what is known of it
  kNestCells, // the sums of one microkernel, and behind them a row of zeros, and one of a key (float_slices.h)
  kNestSums,  // all sums, between blocks of K
  kNestRowSums, // of a, one element a row; written by fours, of which a cache line has whole ones
  kNestBuffers
};
inline constexpr int64_t kNestDepthBytes = 4096, kNestPanelBytes = 256;
inline constexpr int64_t kMostPanels = 2; // of AMX, packed one behind the other
static_assert(kMostPanels * kAmxRowBytes <= kNestPanelBytes);
inline constexpr int64_t kNestCellRows = kAmxSide, kNestZeroRow = kNestCellRows, kNestKeyRow = kNestZeroRow + 1;

// Of each of so many rows of a that are staged, at most: more of few, so that all of them stay in a second cache of 2 MiB.
inline int64_t nestStagedBytes(int64_t rows, int64_t few = 192) { return rows <= few ? kNestDepthBytes : kNestDepthBytes / 2; }

// Of a tile_mma that multiplies pairs, next to the staging of its operands: row k has rows 2k and 2k + 1 of b.
inline constexpr size_t kMmaWords = 2;
// Of one that is added to in AMX's tiles: the sums that those hold at once.
inline constexpr size_t kMmaCells = 3;

class BufferAssignment {
public:
  // Null for values that are inline and for those that are no vectors.
  const Buffer *bufferOf(const Value *value) const;
  // Where operand 0 or 1 of a tile_mma is put before multiplying, converted to mmaElem unless it multiplies pairs, and the
  // words of b (kMmaWords) if it does, and where sums of AMX's tiles lie (kMmaCells); or an operand without a buffer of an op
  // that picks its elements (readsBuffers), or a NestBuffer of a nest. Null where an operand is read from its own buffer.
  const Buffer *stagingOf(const Op *op, size_t operand) const;
  int64_t scratchBytes() const { return scratchBytes_; } // saturated
  // One line a value, in program order, with its bytes: for the message about scratch memory that is too large.
  struct Entry {
    const Value *value;
    const Buffer *buffer;
  };
  std::vector<Entry> largest(size_t count) const;

private:
  friend class BufferAssigner;
  std::vector<Buffer> buffers_;
  std::unordered_map<const Value *, size_t> values_;
  std::map<std::pair<const Op *, size_t>, size_t> staging_; // looked up only
  std::vector<const Value *> order_;                        // of values_, in program order
  int64_t scratchBytes_ = 0;
};

// Loop-carried vectors, branch results and accumulators share one buffer with the values that they come from and go to
// wherever their lives do not overlap; what cannot share is copied by the emitter.
//
// The emitter's side of the contract: an op reads what it reads before it writes its result, except that tile_mma reads
// its operands a and b (or their staging) to the end, and stages them before it touches its result. Values that enter a
// loop, or leave a region, together are all read before the first of their destinations is written.
BufferAssignment assignBuffers(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);

} // namespace xt
