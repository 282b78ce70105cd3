// Emits tiles, and loads from and stores to the memory that tiles describe.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

struct TileAccess { // the values that a loop over a tile needs, computed before the loop
  Elem elem;
  LlvmValue *base;                     // address of the first element of the whole matrix
  LlvmValue *origin;                   // address of element (0, 0), which may lie outside the base
  LlvmValue *rowLow, *rowHigh;         // the rows inside the base, relative to the tile
  LlvmValue *columnLow, *columnHigh;   // the columns inside the base, relative to the tile
  LlvmValue *rowStride, *columnStride; // bytes
  int64_t pack;                        // rows that are interleaved in memory; if above 1, `origin` is in row 0 of the base
  LlvmValue *firstRow;                 // the tile's first row within the base
  bool unitStride;                     // columns are known to be adjacent in memory at compile time
  bool maybeUnitStride;                // columns are adjacent in memory, or may turn out to be at run time
  LlvmValue *padding = nullptr;        // the value of elements out of bounds, in storage form
  LlvmValue *streams = nullptr;        // whether whole registers are stored non-temporally; null: never
  LlvmValue *ahead = nullptr;          // bytes to data that is loaded later and prefetched now; null: nothing is prefetched
};
struct RowAccess { // one row of a TileAccess
  LlvmValue *pointer;
  LlvmValue *high; // columnHigh, or 0 for a row that is out of bounds
};

class TileMemory {
public:
  TileMemory(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  Parts initTile(const Op &op);
  Parts moveTile(const Op &op);
  TileAccess accessTile(const Value *tile, const AttrValue *padding);
  // Like accessTile(), for a window of the given rows and columns that starts at the tile's first element.
  TileAccess accessWindow(const Value *tile, LlvmValue *rows, LlvmValue *columns, const AttrValue *padding);
  // Whether row or column `at` of a tile (0 or more) is not before the first one of the base. `low`: rowLow or columnLow.
  LlvmValue *isFromLow(LlvmValue *at, LlvmValue *low) { return isKnownZero(low) ? b.getTrue() : b.CreateICmpSGE(at, low); }
  static bool isKnownZero(const LlvmValue *value) {
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(value);
    return known && known->isZero();
  }
  // Whether a store uses non-temporal stores; null: never (findStreamedStores does not list it).
  LlvmValue *isStreamed(const Value *tile, const TileAccess &access);
  LlvmValue *rowDistance(const TileAccess &access, LlvmValue *row);
  RowAccess accessRow(const TileAccess &access, LlvmValue *row);
  // Like accessRow(), for a row that may be any of the tile's matrix, or none of it.
  RowAccess accessRowOfBase(const Value *tile, const TileAccess &access, LlvmValue *row);
  // Loads `lanes` elements from column `column` on, in storage form.
  LlvmValue *loadChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  void storeChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, LlvmValue *value, int lanes);
  // Returns a mask of 64 columns: bit i is set if column + i is within a row whose end is `high`.
  LlvmValue *insideBits(const TileAccess &access, LlvmValue *high, LlvmValue *column);
  LlvmValue *laneMask(LlvmValue *bits, int lanes); // a mask of the lowest bits, one per lane
  llvm::Align memoryAlign() const { return llvm::Align(1); }

  // Whether the first `rows` rows of a tile are in bounds, in all of its columns.
  LlvmValue *isInside(const TileAccess &access, LlvmValue *rows, int64_t columns);
  // The number of rows of a vector that have to be computed (NeededRows); null: all.
  LlvmValue *neededRows(const Value *value);
  // Prefetches a line into the L2 cache, or into the L1 cache (CpuTuning::l2PrefetchIsLate).
  void prefetchLine(LlvmValue *address, bool toL1 = false);

private:
  // The number of a tile's `extent` rows or columns that are before the first one of the base, if the tile begins at `offset`.
  LlvmValue *inFrontOf(LlvmValue *offset, LlvmValue *extent);
  LlvmValue *upTo(LlvmValue *value, LlvmValue *extent); // clamped to [0, extent]
  LlvmValue *chunkIsWhole(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  LlvmValue *chunkMask(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  void forEachLane(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes,
                   llvm::function_ref<void(LlvmValue *valid, LlvmValue *address, LlvmValue *laneByte)> body);
  // Stores a whole chunk, non-temporally if the access streams and the address is aligned to the chunk's size.
  void storeWhole(const TileAccess &access, LlvmValue *address, LlvmValue *value);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
};

} // namespace xt
