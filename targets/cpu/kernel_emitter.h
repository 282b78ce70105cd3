// One kernel as one LLVM function.
//
// Launch ABI:  void kernel(const uint64_t *frame, int64_t begin, int64_t end, void *scratch)
// runs the workgroups with linear ids in [begin, end). The id counts the grid row-major, its last dimension (x)
// fastest.
//   frame[0..8]   lower, step, count of the grid's three dimensions, outermost (z) first; absent ones are 0, 1, 1
//   frame[9]      address of a word that the caller sets to kNoFailure. Where the program does what it must not, its
//                 workgroup ends, after it has lowered the word to workgroup id << 32 | failure number (atomically: the
//                 least of all stays). Workgroups behind one that has failed need not run
//   frame[10]     the LaunchOutput that takes what it prints, and gives the panels that workgroups share
//   frame[11]     into how many parts each workgroup is divided (KernelOutput::mostParts): then [begin, end) counts parts,
//                 those of one workgroup side by side. Parts may run at the same time
//   frame[12]     how many threads run the launch
//   frame[13]     which of the memrefs among the parameters lie apart, a bit for each pair (apartBit), from the caller; 0 is always
//                 right, and slower
//   frame[14]     address of KernelOutput::numbers
//   then per kernel parameter: a memref's data pointer, sizes, strides (in elements); or a scalar's register image in
//   the low bytes of one word (integers sign- or zero-extended).
// scratch: KernelCode::scratchBytes bytes at a multiple of 64, private to the caller for the time of the call; its
// content is neither read nor kept.
#pragma once
#include "targets/cpu/byte_range.h"
#include "targets/cpu/host_runtime.h"
#include "targets/cpu/cpu_info.h"
#include "targets/cpu/shared_operands.h"
#include "targets/cpu/streaming.h"
#include "targets/llvm/register_ops.h"
#include "ir/slm_layout.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace xt {

struct MmaMatrix;
struct MmaRight;

inline constexpr size_t kGridDims = 3;
inline constexpr size_t kGridWords = 3 * kGridDims;
// frame[9] and on, in their order.
enum RuntimeWord : size_t { kFailureWord, kOutputWord, kPartsWord, kThreadsWord, kApartWord, kNumbersWord, kRuntimeWords };
inline constexpr size_t kApartMemRefs = 11; // pairs of which have bits
inline constexpr uint64_t kNoFailure = ~uint64_t{0};
// A kernel at subgroup scope whose subgroups wait for each other, or at lane scope, is another function: kernel(frame,
// workgroup, n, scratch) runs one subgroup, or the lane n of all subgroups' lanes, of one workgroup, on a stack of its own. Its scratch memory starts with a header
// of kFiberHeader bytes: the address of the workgroup's shared local memory, and the FiberGroup.
inline constexpr int64_t kFiberHeader = kBufferAlignment;
// Whether a kernel is of that kind. Of others, shared local memory lies behind the buffers in scratch memory.
bool needsFibers(const Kernel &kernel);
inline constexpr int kMaxRegionDepth = 128; // nested regions of a kernel that the emitter takes
size_t frameWords(const Kernel &kernel);
// The place of a bit that says that no byte belongs to both of two different memrefs, the n-th ones among a kernel's
// parameters; nullopt: the word has no room for it.
constexpr std::optional<unsigned> apartBit(size_t memref, size_t other) {
  size_t later = std::max(memref, other), bit = later * (later - 1) / 2 + std::min(memref, other); // those of the first memrefs come first
  return memref != other && later < kApartMemRefs ? std::optional(static_cast<unsigned>(bit)) : std::nullopt;
}
// The function's name: "xt_kernel_" and the kernel's name.
std::string kernelSymbol(const Kernel &kernel);
// Of its KernelOutput::numbers, where they stand beside the function: "xt_numbers_" and the kernel's name.
std::string numbersSymbol(const std::string &kernelName);

class KernelEmitter {
public:
  KernelEmitter(llvm::Module &module, const Kernel &kernel, const CpuInfo &cpu, const FusionPlan &fusion,
                const BufferAssignment &buffers, const SlmLayout &slm);
  KernelOutput emit();

private:
  friend class FusedLoop;
  friend class NestEmitter;
  // The LLVM values of an IR value. Scalar: itself. MemRef: data, sizes, strides. Tile: TilePart. Vector: none.
  using Parts = LlvmValues;
  enum TilePart : size_t { kBase, kRows, kColumns, kRowStride, kColumnStride, kY, kX, kTileParts };
  // Of a scatter tile; its offsets are in its buffer.
  enum ScatterPart : size_t { kScatterBase, kScatterSize, kScatterStride, kScatterParts };

  // kernel_emitter.cc: the function around the body, scalars
  void loadParameters(LlvmValue *frame);
  void emitWorkgroup(LlvmValue *id);
  void emitBlock(const Block &block);
  void emitOp(const Op &op);
  LlvmValue *scalar(const Value *value) const { return parts_.at(value)[0]; }
  LlvmValue *dimOf(const Op &op);
  // Where `condition` holds, reports the failure and leaves the workgroup; `before` is emitted in front of that.
  void failIf(
      LlvmValue *condition, int64_t failure, llvm::function_ref<void()> before = [] {});
  int64_t addFailure(Failure failure);

  // control_flow.cc: loops and branches
  void emitFor(const Op &op);
  void emitWhile(const Op &op);
  void emitIf(const Op &op);
  LlvmValue *tripCount(LlvmValue *lower, LlvmValue *upper, LlvmValue *step);
  Parts partsOfAll(llvm::ArrayRef<Value *> values) const;
  void setPartsOfAll(llvm::ArrayRef<Value *> values, llvm::ArrayRef<LlvmValue *> parts);
  static size_t partCount(Type type);
  static std::vector<bool> fixedParts(llvm::ArrayRef<Value *> params, llvm::ArrayRef<Value *> yielded);
  Parts carriedParts(llvm::ArrayRef<LlvmValue *> initial, const std::vector<bool> &fixed, llvm::BasicBlock *before);
  void carryOn(llvm::ArrayRef<LlvmValue *> carried, const std::vector<bool> &fixed, llvm::ArrayRef<LlvmValue *> next);
  // Puts what has a buffer into the buffers of its destinations, as if all at once.
  void moveAll(llvm::ArrayRef<Value *> from, llvm::ArrayRef<Value *> to);

  // tile_access.cc: tiles and the memory behind them
  struct TileAccess { // what a loop over a tile needs, computed before it
    Elem elem;
    LlvmValue *base;                     // address of the first element of all
    LlvmValue *origin;                   // address of element (0, 0), which may lie outside the base
    LlvmValue *rowLow, *rowHigh;         // the rows inside the base, relative to the tile
    LlvmValue *columnLow, *columnHigh;   // and the columns
    LlvmValue *rowStride, *columnStride; // bytes
    int64_t pack;                        // rows side by side in memory; above 1 `origin` is that of the base,
    LlvmValue *firstRow;                 // … whose row this is
    bool unitStride;                     // columns are neighbours, known now
    bool maybeUnitStride;                // … or may turn out to be
    LlvmValue *padding = nullptr;        // storage form of one element
    LlvmValue *streams = nullptr;        // whole registers are stored past the caches; null: they are not
    LlvmValue *ahead = nullptr;          // bytes to what is loaded later, which is asked for; null: nothing is
  };
  struct RowAccess { // one row of it
    LlvmValue *pointer;
    LlvmValue *high; // columnHigh, or 0 for a row outside
  };
  Parts initTile(const Op &op);
  Parts moveTile(const Op &op);
  TileAccess accessTile(const Value *tile, const AttrValue *padding);
  // The same of a window of so many rows and columns from the tile's first element on.
  TileAccess accessWindow(const Value *tile, LlvmValue *rows, LlvmValue *columns, const AttrValue *padding);
  // Of a tile's offset, how many of its `extent` rows or columns stand in front of the base's first.
  LlvmValue *inFrontOf(LlvmValue *offset, LlvmValue *extent);
  LlvmValue *upTo(LlvmValue *value, LlvmValue *extent); // and not below 0
  // Whether index `at` of a tile (0 or more) is not in front of the base.
  LlvmValue *isFromLow(LlvmValue *at, LlvmValue *low) { return isKnownZero(low) ? b.getTrue() : b.CreateICmpSGE(at, low); }
  static bool isKnownZero(const LlvmValue *value) {
    auto *known = llvm::dyn_cast<llvm::ConstantInt>(value);
    return known && known->isZero();
  }
  // Of a store that findStreamedStores knows; null: never. `storeWhole` stores a chunk that is whole, past the caches where
  // that holds and the address is a multiple of its size.
  LlvmValue *isStreamed(const Value *tile, const TileAccess &access);
  void storeWhole(const TileAccess &access, LlvmValue *address, LlvmValue *value);
  LlvmValue *rowDistance(const TileAccess &access, LlvmValue *row);
  RowAccess accessRow(const TileAccess &access, LlvmValue *row);
  // `lanes` elements from column `column`; storage form.
  LlvmValue *loadChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  void storeChunk(const TileAccess &access, const RowAccess &row, LlvmValue *column, LlvmValue *value, int lanes);
  LlvmValue *chunkIsWhole(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  // Bit i: column + i is inside of a row whose end is `high`. For 64 columns.
  LlvmValue *insideBits(const TileAccess &access, LlvmValue *high, LlvmValue *column);
  LlvmValue *laneMask(LlvmValue *bits, int lanes); // the lowest bits, one for each lane
  LlvmValue *chunkMask(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes);
  void forEachLane(const TileAccess &access, const RowAccess &row, LlvmValue *column, int lanes,
                   llvm::function_ref<void(LlvmValue *valid, LlvmValue *address, LlvmValue *laneByte)> body);
  llvm::Align memoryAlign() const { return llvm::Align(1); }

  // byte_range.cc
  ByteRange matrixBytes(const Value *tile);
  ByteRange memrefBytes(const Value *memref);
  std::optional<ByteRange> bytesAround(const Value *tile);
  LlvmValue *areTilesApart(const Value *tile, const Value *other);
  LlvmValue *isApartFrom(const Value *tile, const Value *memref); // one of the parameters
  LlvmValue *areParametersApart(const Value *memref, const Value *other);

  // in_place_load.cc
  struct Lines { // rows of a load: in memory, or in its buffer
    LlvmValue *address, *pitch;
  };
  void emitLoad(const Op &op); // that has a loop of its own
  LlvmValue *isInside(const TileAccess &access, int64_t rows, int64_t columns);

  // load_ahead.cc
  // From what is loaded to what a workgroup soon behind this one loads, or the next step of a loop; null: that is not known.
  LlvmValue *bytesAhead(const Value *tile, const TileAccess &access);
  LlvmValue *bytesToLaterWorkgroup(const Op &init, const TileAccess &access, int64_t bytes);
  LlvmValue *bytesToNextStep(const Value &tile, const TileAccess &access);
  // What the loop that loads asks for; null: it does not. Where a loop behind it reads the buffer, that shall (takeAhead).
  LlvmValue *aheadNowOrLater(const Op &load, const TileAccess &access);
  bool isReadAgain(const Op &load) const; // from its buffer, by a loop behind it
  std::optional<TileAccess> takeAhead(const Value *load); // what that loop asks for; nullopt: it does not
  void askAhead(const TileAccess &access, const RowAccess &row, LlvmValue *column);
  void askFor(LlvmValue *address, bool toFirst = false); // a line, into the second cache, or the first one (CpuInfo::asksIntoFirstCache)

  // mma_emitter.cc
  void emitMma(const Op &op);
  void multiplyInTiles(const Op &op, const MmaMatrix &left, const MmaMatrix &right, const MmaMatrix &sum);
  MmaMatrix matrixOf(const Buffer &buffer);
  MmaMatrix mmaOperand(const Op &op, size_t i);
  MmaRight prepareRight(const Op &mma);
  const Buffer *preparedBuffer(const Op &mma); // where it puts it
  void prefetchAhead(const TileAccess &access, int64_t rows, int64_t rowBytes); // of rows of a tile

  // shared_panels.cc
  LlvmValue *alikeWorkgroups(const std::vector<bool> &dims);
  LlvmValue *isOddAmongAlike(const std::vector<bool> &dims);
  struct SharedPanel {
    LlvmValue *address, *found, *mustFill;
  };
  void shareBy(const std::vector<bool> &dims, Type sum);
  SharedPanel takePanel(LlvmValue *shares, LlvmValue *isOwn, LlvmValues key, LlvmValue *bytes);
  void panelIsReady(const SharedPanel &panel);
  LlvmValue *keySlot(size_t words); // on the stack
  MmaRight sharedRight(const Op &mma);

  // picking_emitter.cc: vector ops that take elements from other places, one element after the other
  using ElementBody = llvm::function_ref<void(LlvmValue *row, LlvmValue *column)>;
  void forEachElement(const BufferShape &shape, ElementBody body);
  // Where an operand lies; evaluates it there first if it has no buffer of its own.
  const Buffer &pickable(const Op &op, size_t operand);
  LlvmValue *elementAddress(const Buffer &buffer, LlvmValue *row, LlvmValue *column);
  LlvmValue *loadFrom(const Buffer &buffer, LlvmValue *row, LlvmValue *column); // register form
  void storeTo(const Buffer &buffer, LlvmValue *row, LlvmValue *column, LlvmValue *value);
  struct Place { // of an element of a vector of any rank
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

  // transpose_emitter.cc: squares turned in registers
  void emitTranspose(const Op &op);
  void emitPermutation(const Op &op, const std::vector<int64_t> &permutation, const Buffer &from, const Buffer &to);
  void emitTransposedLoad(const Op &op);
  void turnInto(const Buffer &to, llvm::function_ref<LlvmValues(LlvmValue *row, LlvmValue *column, int lanes)> square);
  struct Run {
    LlvmValue *first;
    int64_t count;
  };
  LlvmValue *areInside(const TileAccess &access, Run rows, Run columns); // all of them
  // The rows of a square that is inside, in their storage form, where columns are neighbours.
  LlvmValues insideSquare(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes);
  // Its rows wherever it is.
  LlvmValues squareAtEdge(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes);
  // line(0) to line(count - 1), of storage type `type`, and behind them anything: as many as a line has elements.
  LlvmValues squareOf(llvm::Type *type, LlvmValue *count, llvm::function_ref<LlvmValue *(LlvmValue *i)> line);
  static TileAccess turned(TileAccess access);
  static constexpr int kSquareLines = 16;
  LlvmValue *squareSlot(); // on the stack: so many registers

  // gather_emitter.cc: scatter tiles, atomics and single elements of memory
  Parts initScatterTile(const Op &op);
  Parts moveScatterTile(const Op &op);
  void emitGather(const Op &op);
  void emitScatter(const Op &op);
  void emitAtomic(const Op &op);
  // The address of an element that a scatter tile points to, or of the stack slot where it is outside.
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

  // host_calls.cc: what a kernel asks of the process around it
  // The result's type; null: none.
  LlvmValue *callHost(const char *name, llvm::ArrayRef<LlvmValue *> args, llvm::Type *result = nullptr);
  LlvmValue *barrierPlace(const Op &op);
  void allocNamedBarriers(const Op &op);
  Parts createNamedBarrier(const Op &op);
  void meetAtNamedBarrier(const Op &op);
  void emitPrintOrAssert(const Op &op);
  void emitAssert(const Op &op);
  LlvmValue *speaker(const Op &op);
  LlvmValue *inWhole(const Op &op, LlvmValue *element);
  void emitBarrierOrFence(const Op &op);

  // lane_emitter.cc: what lanes give each other
  void emitShuffle(const Op &op);
  void emitSubgroupReduce(const Op &op);
  void giveToLanes(const Op &op);
  LlvmValue *givenBy(LlvmValue *lane);

  // A number in which kernels with other tiles differ: read from KernelOutput::numbers, so that their code is the same.
  LlvmValue *argument(int64_t value);
  LlvmValue *constant(const Op &op); // a scalar

  LlvmValue *bufferAddress(const Buffer &buffer);
  LlvmValue *pitchOf(const Buffer &buffer);
  LlvmValue *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

  llvm::Module &module_;
  const Kernel &kernel_;
  const CpuInfo &cpu_;
  const FusionPlan &fusion_;
  const BufferAssignment &buffers_;
  const SlmLayout &slmLayout_;
  const StreamedStores streamed_;
  const SharedOperands shared_;
  llvm::IRBuilder<> b;
  RegisterOps ops_;
  LlvmValue *scratch_ = nullptr, *slm_ = nullptr, *square_ = nullptr, *key_ = nullptr;
  int64_t panelPlaces_ = 0; // that take panels, so far
  LlvmValue *coordinates_[kGridDims] = {}; // of the workgroup
  LlvmValue *subgroup_ = nullptr, *workgroup_ = nullptr, *lane_ = nullptr;
  LlvmValue *failureWord_ = nullptr, *runtime_ = nullptr, *fiber_ = nullptr;
  bool fences_ = false; // something may have been stored past the caches
  LlvmValue *partCount_ = nullptr, *part_ = nullptr; // how many, and which
  LlvmValue *threads_ = nullptr;
  LlvmValue *apartBits_ = nullptr, *numbers_ = nullptr;
  std::unordered_set<const LlvmValue *> notNegative_; // known not to be
  llvm::BasicBlock *workgroupEnd_ = nullptr;
  KernelOutput output_;
  LlvmValue *grid_[kGridDims][3] = {}; // lower, step, count
  std::unordered_map<const Value *, Parts> parts_;
  std::unordered_map<const Value *, Lines> inPlace_;    // of loads that may be read where they lie
  std::unordered_map<const Value *, TileAccess> ahead_; // of loads, for takeAhead
  const Block *block_ = nullptr;                        // that is emitted
};

} // namespace xt
