// Emits one kernel as one LLVM function (runtime/launch_abi.h).
#pragma once
#include "ir/gpu/slm_layout.h"
#include "targets/cpu/analysis/cpu_info.h"
#include "targets/cpu/analysis/shared_operands.h"
#include "targets/cpu/analysis/streaming.h"
#include "targets/cpu/runtime/host_runtime.h"
#include "targets/cpu/runtime/launch_abi.h"
#include "targets/cpu/vector/byte_range.h"
#include "targets/llvm/register_ops.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace xt {

class KernelEmitter;

// The emitter of ops that multiply matrices. It stands above this folder; whoever makes a KernelEmitter says how it is made.
class ProductEmitter {
public:
  virtual ~ProductEmitter() = default;
  // Decides into how many parts a workgroup may be divided.
  virtual void divide(KernelOutput &output) = 0;
  // Emits a nest into the buffer of its result, or, with a store, into the tile that is stored to.
  virtual void emitNest(const Op &nest, const Op *store) = 0;
  virtual void emitMma(const Op &mma) = 0;
};
using MakeProductEmitter = std::unique_ptr<ProductEmitter> (*)(KernelEmitter &);

inline constexpr int kMaxRegionDepth = 128; // the emitter accepts regions nested this deep

class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                const BufferAssignment &buffers, const SlmLayout &slm, MakeProductEmitter products);
  KernelOutput emit();

  // The LLVM values of an IR value. Scalar: the value. MemRef: data, sizes, strides. Tile: TilePart. Vector: none.
  using Parts = LlvmValues;
  enum TilePart : size_t { kBase, kRows, kColumns, kRowStride, kColumnStride, kY, kX, kTileParts };
  // The parts of a scatter tile; its offsets are in its buffer.
  enum ScatterPart : size_t { kScatterBase, kScatterSize, kScatterStride, kScatterParts };

private:
  friend class FusedLoop;
  // kernel_emitter.cc: the function around the body, scalars
  void loadParameters(LlvmValue *frame);
  void emitWorkgroup(LlvmValue *id);
  void emitBlock(const Block &block);
  void emitOp(const Op &op);
  LlvmValue *dimOf(const Op &op);

public:
  LlvmValue *scalar(const Value *value) const { return parts_.at(value)[0]; }
  // If `condition` holds, reports the failure and leaves the workgroup; `before` emits code that runs before the report.
  void failIf(LlvmValue *condition, int64_t failure, llvm::function_ref<void()> before = [] {});
  int64_t addFailure(Failure failure);

private:
  // control_flow.cc: loops and branches
  void emitFor(const Op &op);
  void emitWhile(const Op &op);
  void emitIf(const Op &op);
  Parts partsOfAll(llvm::ArrayRef<Value *> values) const;
  void setPartsOfAll(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts);
  static size_t partCount(Type type);
  static std::vector<bool> fixedParts(llvm::ArrayRef<Value *> params, llvm::ArrayRef<Value *> yielded);
  Parts carriedParts(llvm::ArrayRef<LlvmValue *> initial, const std::vector<bool> &fixed, llvm::BasicBlock *before);
  void carryOn(llvm::ArrayRef<LlvmValue *> carried, const std::vector<bool> &fixed, llvm::ArrayRef<LlvmValue *> next);

public:
  LlvmValue *tripCount(LlvmValue *lower, LlvmValue *upper, LlvmValue *step);
  // Copies the values that have buffers into the buffers of their destinations, as one parallel copy.
  void moveAll(llvm::ArrayRef<Value *> from, llvm::ArrayRef<Value *> to);

  // tile_access.cc: tiles and the memory behind them
  struct TileAccess { // the values that a loop over a tile needs, computed before the loop
    Elem elem;
    LlvmValue *base;                     // address of the first element of the whole matrix
    LlvmValue *origin;                   // address of element (0, 0), which may lie outside the base
    LlvmValue *rowLow, *rowHigh;         // the rows inside the base, relative to the tile
    LlvmValue *columnLow, *columnHigh;   // and the columns
    LlvmValue *rowStride, *columnStride; // bytes
    int64_t pack;                        // rows that are interleaved in memory; above 1 `origin` is that of the base,
    LlvmValue *firstRow;                 // … and this is the tile's first row
    bool unitStride;                     // columns are neighbours, known at compile time
    bool maybeUnitStride;                // … or may turn out to be at run time
    LlvmValue *padding = nullptr;        // storage form of one element
    LlvmValue *streams = nullptr;        // whether whole registers are stored non-temporally; null: never
    LlvmValue *ahead = nullptr;          // bytes to data that is loaded later and prefetched now; null: nothing is prefetched
  };
  struct RowAccess { // one row of a TileAccess
    LlvmValue *pointer;
    LlvmValue *high; // columnHigh, or 0 for a row that is out of bounds
  };
  Parts initTile(const Op &op);
  Parts moveTile(const Op &op);
  TileAccess accessTile(const Value *tile, const AttrValue *padding);
  // The same for a window of the given rows and columns that starts at the tile's first element.
  TileAccess accessWindow(const Value *tile, LlvmValue *rows, LlvmValue *columns, const AttrValue *padding);
  // The number of a tile's `extent` rows or columns that are in front of the base's first, given the tile's offset.
  LlvmValue *inFrontOf(LlvmValue *offset, LlvmValue *extent);
  LlvmValue *upTo(LlvmValue *value, LlvmValue *extent); // clamped to [0, extent]
  // Whether index `at` of a tile (0 or more) is not in front of the base.
  LlvmValue *isFromLow(LlvmValue *at, LlvmValue *low) { return isKnownZero(low) ? b.getTrue() : b.CreateICmpSGE(at, low); }
  static bool isKnownZero(const LlvmValue *value) {
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(value);
    return known && known->isZero();
  }
  // isStreamed: whether a store uses non-temporal stores; null: never (findStreamedStores does not list it). storeWhole: stores
  // a whole chunk, non-temporally if that holds and the address is aligned to the chunk's size.
  LlvmValue *isStreamed(const Value *tile, const TileAccess &access);
  void storeWhole(const TileAccess &access, LlvmValue *address, LlvmValue *value);
  LlvmValue *rowDistance(const TileAccess &access, LlvmValue *row);
  RowAccess accessRow(const TileAccess &access, LlvmValue *row);
  // `lanes` elements from column `column` on, in storage form.
  LlvmValue *loadChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  void storeChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, LlvmValue *value, int lanes);
  LlvmValue *chunkIsWhole(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  // Bit i tells whether column + i is within a row whose end is `high`, for 64 columns.
  LlvmValue *insideBits(const TileAccess &access, LlvmValue *high, LlvmValue *column);
  LlvmValue *laneMask(LlvmValue *bits, int lanes); // the lowest bits, one per lane
  LlvmValue *chunkMask(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  void forEachLane(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes,
                   llvm::function_ref<void(LlvmValue *valid, LlvmValue *address, LlvmValue *laneByte)> body);
  llvm::Align memoryAlign() const { return llvm::Align(1); }

  // byte_range.cc
  ByteRange matrixBytes(const Value *tile);
  ByteRange memrefBytes(const Value *memref);
  std::optional<ByteRange> bytesAround(const Value *tile);
  LlvmValue *areTilesApart(const Value *tile, const Value *other);
  LlvmValue *isApartFrom(const Value *tile, const Value *memref); // the memref is one of the parameters
  LlvmValue *areParametersApart(const Value *memref, const Value *other);

  // in_place_load.cc
  struct Lines { // the rows of a load: in memory, or in its buffer
    LlvmValue *address, *pitch;
  };
  void emitLoad(const Op &op); // for a load with its own loop
  LlvmValue *isInside(const TileAccess &access, int64_t rows, int64_t columns);

  // load_ahead.cc
  // The distance from the data that is loaded now to the data that a workgroup soon after this one, or the next iteration of a
  // loop, loads. Null: not known.
  LlvmValue *bytesAhead(const Value *tile, const TileAccess &access);
  LlvmValue *bytesToLaterWorkgroup(const Op &init, const TileAccess &access, int64_t bytes);
  LlvmValue *bytesToNextStep(const Value &tile, const TileAccess &access);
  // The distance at which the loading loop prefetches; null: it does not. If a later loop reads the buffer, that loop
  // prefetches instead (takeAhead).
  LlvmValue *aheadNowOrLater(const Op &load, const TileAccess &access);
  bool isReadAgain(const Op &load) const; // whether a later loop reads its buffer
  std::optional<TileAccess> takeAhead(const Value *load); // the data that this later loop prefetches; nullopt: none
  void askAhead(const TileAccess &access, const RowAccess &row, LlvmValue *column);
  void
  askFor(LlvmValue *address,
         bool toFirst = false); // prefetches a line into the L2 cache, or into the L1 cache (CpuTuning::prefetchesLateToSecond)

private:
  // picking_emitter.cc: vector ops that move elements, one element at a time
  using ElementBody = llvm::function_ref<void(LlvmValue *row, LlvmValue *column)>;
  void forEachElement(const BufferShape &shape, ElementBody body);
  // The buffer of an operand; if it has none, evaluates the operand into a staging buffer first.
  const Buffer &pickable(const Op &op, size_t operand);
  LlvmValue *elementAddress(const Buffer &buffer, LlvmValue *row, LlvmValue *column);
  LlvmValue *loadFrom(const Buffer &buffer, LlvmValue *row, LlvmValue *column); // register form
  void storeTo(const Buffer &buffer, LlvmValue *row, LlvmValue *column, LlvmValue *value);
  struct Place { // the position of an element of a vector of any rank
    LlvmValue *inside, *row, *column;
  };
  Place placeOf(const Op &op, Type vector, size_t firstIndex);
  void emitReduction(const Op &op);
  void emitBlockBroadcast(const Op &op);
  void emitReshape(const Op &op);
  LlvmValue *emitExtract(const Op &op);
  void emitInsert(const Op &op);
  void emitExtractSlice(const Op &op);
  void emitInsertSlice(const Op &op);
  std::pair<LlvmValue *, LlvmValue *> placeInWhole(const Op &op, Type part, Type whole, LlvmValue *row, LlvmValue *column);

  // transpose_emitter.cc: transposes of squares in registers
  void emitTranspose(const Op &op);
  void emitPermutation(const Op &op, const std::vector<int64_t> &permutation, const Buffer &from, const Buffer &to);
  void turnInto(const Buffer &to, llvm::function_ref<LlvmValues(LlvmValue *row, LlvmValue *column, int lanes)> square);

public:
  void emitTransposedLoad(const Op &op);
  struct Run {
    LlvmValue *first;
    int64_t count;
  };
  LlvmValue *areInside(const TileAccess &access, Run rows, Run columns); // whether all of them are in bounds
  // The rows of a square that is in bounds, in storage form. Its columns are neighbours in memory.
  LlvmValues insideSquare(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes);
  // The rows of a square that may be partly out of bounds.
  LlvmValues squareAtEdge(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes);
  // The registers line(0) to line(count - 1), of storage type `type`, followed by arbitrary ones up to the number of elements
  // of a line.
  LlvmValues squareOf(llvm::Type *type, LlvmValue *count, llvm::function_ref<LlvmValue *(LlvmValue *i)> line);
  static TileAccess turned(TileAccess access);

private:
  static constexpr int kSquareLines = 16;
  LlvmValue *squareSlot(); // kSquareLines registers on the stack

  // gather_emitter.cc: scatter tiles, atomics and single elements of memory
  Parts initScatterTile(const Op &op);
  Parts moveScatterTile(const Op &op);
  void emitGather(const Op &op);
  void emitScatter(const Op &op);
  void emitAtomic(const Op &op);
  // The address of an element that a scatter tile points to, or of a stack slot if it is out of bounds.
  struct ScatterAccess {
    LlvmValue *inside, *address;
  };
  ScatterAccess scatterAccess(const Value *tile, const Buffer &offsets, LlvmValue *row, LlvmValue *column);
  LlvmValue *updateAtomically(std::string_view kind, Elem elem, LlvmValue *address, LlvmValue *value);
  Parts castMemRef(const Op &op);
  Parts slmBuffer(const Op &op);
  ScatterAccess elementOfMemRef(const Op &op, size_t memref);
  LlvmValue *loadElement(const Op &op);
  void storeElement(const Op &op);

public:
  // host_calls.cc: calls from a kernel to the host process
  // `result`: the type of the result; null: none.
  LlvmValue *callHost(const char *name, llvm::ArrayRef<LlvmValue *> args, llvm::Type *result = nullptr);

private:
  LlvmValue *barrierPlace(const Op &op);
  void allocNamedBarriers(const Op &op);
  Parts createNamedBarrier(const Op &op);
  void meetAtNamedBarrier(const Op &op);
  void emitPrintOrAssert(const Op &op);
  void emitAssert(const Op &op);
  LlvmValue *speaker(const Op &op);
  LlvmValue *inWhole(const Op &op, LlvmValue *element);
  void emitBarrierOrFence(const Op &op);

  // lane_emitter.cc: exchange between lanes
  void emitShuffle(const Op &op);
  void emitSubgroupReduce(const Op &op);
  LlvmValue *constant(const Op &op); // of a scalar type
  void giveToLanes(const Op &op);
  LlvmValue *givenBy(LlvmValue *lane);

public:
  // A number that may differ between kernels with other tiles. It is loaded from KernelOutput::numbers, so that such kernels
  // have the same code.
  LlvmValue *argument(int64_t value);
  LlvmValue *numbersAddress(llvm::ArrayRef<int64_t> values); // of consecutive words there, as an i64
  LlvmValue *bufferAddress(const Buffer &buffer);
  LlvmValue *pitchOf(const Buffer &buffer);
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

  llvm::Module &module_;
  const Kernel &kernel_;
  const CpuInfo &cpu_;
  const FusionPlan &fusion_;
  const BufferAssignment &buffers_;
  const SharedOperands shared_;
  llvm::IRBuilder<> b;
  RegisterOps ops_;
  KernelOutput output_;
  std::unordered_map<const Value *, Parts> parts_;
  LlvmValue *coordinates_[kGridDims] = {}; // of the workgroup
  LlvmValue *grid_[kGridDims][3] = {}; // lower, step, count
  LlvmValue *partCount_ = nullptr, *part_ = nullptr; // the number of parts, and the current part
  LlvmValue *threads_ = nullptr, *runtime_ = nullptr;

private:
  const std::unique_ptr<ProductEmitter> products_;
  const SlmLayout &slmLayout_;
  const StreamedStores streamed_;
  LlvmValue *scratch_ = nullptr, *slm_ = nullptr, *square_ = nullptr;
  LlvmValue *subgroup_ = nullptr, *workgroup_ = nullptr, *lane_ = nullptr;
  LlvmValue *failureWord_ = nullptr, *fiber_ = nullptr;
  bool fences_ = false; // whether there may have been non-temporal stores
  LlvmValue *apartBits_ = nullptr, *numbers_ = nullptr;
  std::unordered_set<const LlvmValue *> notNegative_; // values known to be 0 or more
  llvm::BasicBlock *workgroupEnd_ = nullptr;
  std::unordered_map<const Value *, Lines> inPlace_; // loads that may be read in place
  std::unordered_map<const Value *, TileAccess> ahead_; // by load, for takeAhead
  const Block *block_ = nullptr; // the block that is being emitted
};

} // namespace xt
