// `nest`: the K loop of a matrix product, packed and blocked.
//
// K is cut into blocks of at most mostBlockBytes, nestStagedBytes if a is staged, or amxBlockBytes. For each block and each
// panel of b's columns, which is as wide as a register tile, the panel is packed (and converted or transposed if necessary),
// packed by the first tile of rows while it multiplies, or, for few rows of a, read in place (nest_packing.cc). The microkernel
// then iterates over the rows of a (nest_rows.cc, nest_amx.cc), reading them from memory directly if possible, otherwise from
// staged rows. One or two rows of a, or a few if a large b is converted, sweep over whole rows of b instead (nest_sweep.cc).
//
// Sums stay in registers during a block and in scratch memory between blocks. After the last block they are stored to the
// result directly if nothing else is computed from them; otherwise they pass, through a few cells that stay in the L1 cache, to
// the loop that uses them.
#pragma once
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/microkernel.h"
#include "targets/cpu/nest_plan_call.h"
#include "targets/cpu/products/register_tile.h"
#include "targets/cpu/tile_microkernel.h"
#include "targets/cpu/words.h"

namespace xt {

class NestEmitter {
public:
  NestEmitter(KernelEmitter &emitter, const Op &nest);
  // The number of parts that the work of a workgroup can be divided into, by panels of columns. It is 0 unless all that the
  // kernel does is to store values computed from one nest.
  static int64_t mostParts(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);
  // Whether dividing a workgroup repeats little work: no part has to scan, transpose or convert all of a first, as every other
  // part would, too. (Every part copies rows that cannot be read in place.) With two threads, bytes 37x1111x513 divided into
  // parts takes 0.95 of the time, bf16 0.97 (Zen 5). (f64 is packed for many columns only, where packing takes little of the
  // time.)
  static bool partsAreCheap(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);
  // Writes all sums to the result's own buffer.
  void toBuffer();
  // Computes the store's value from the sums and writes it to the store's tile.
  void toTile(const Op &store);

private:
  // Operand a or b in memory, over all of K. `turned`: it is transposed in memory, so that its rows, whose elements are
  // neighbours, run along the other dimension than in the product. The rows of a turned a are steps of K, those of a turned b
  // are columns.
  struct Side {
    KernelEmitter::TileAccess access;
    bool turned;
  };
  struct Block { // a block of K
    LlvmValue *first, *depth; // in steps
    LlvmValue *isFirst, *isLast;
    LlvmValue *handsOn; // an extra turn after the last block: nothing is multiplied, and the sums are passed to their consumer
    LlvmValue *ready; // the sums after this block are final and may be used as they are computed
    LlvmValue *left; // address of a[0, first]
    LlvmValue *least; // least magnitude of a: of bf16, or the key of sliced floats; not set if looksBeside
    LlvmValue *rightInside; // whether all of b that is read is in bounds
    LlvmValue *panels; // the most panels of b that are packed together, with AMX; null: 1
  };
  // The destination of packing: the first panel, bytes from panel to panel, their number (Panel::panels), and the columns of
  // one panel (Panel::width).
  struct Packed {
    LlvmValue *first, *panelStep, *panels, *width;
  };
  // Rows of b that are in bounds: the bits of their columns that are in bounds (insideBits), and the columns that are packed at
  // once. Null: bounds are checked for each row and column.
  struct Inside {
    LlvmValue *bits = nullptr;
    int64_t columns = 0;
  };
  struct Steps { // [begin, end) of the block that starts at `first`
    LlvmValue *first, *begin, *end;
  };
  // The place of a panel's sums: its first row, bytes from row to row within a tile, and bytes per row of a to the start of a
  // tile.
  struct Sums {
    LlvmValue *first, *step, *tileStep;
  };
  // The prefetches of a panel's tiles. The first tile prefetches from `first` on, each later one tileStep bytes further, and
  // `step` is the distance per loop iteration. The `tilesInSource` tiles after the first one, which may copy, instead prefetch
  // the next panel that is copied or read in place, at `source` (askedBy); tiles of the last rows do so only if they are among
  // the first `lastInSource` ones.
  struct Next {
    LlvmValue *first, *tileStep, *step;
    LlvmValue *source = nullptr, *tilesInSource = nullptr, *lastInSource = nullptr;
  };
  struct Panel {
    LlvmValue *column; // its first column
    LlvmValue *right; // address of b[first row of the block, column]
    LlvmValue *step; // bytes from one row of K to the next
    LlvmValue *least; // least magnitude of b, as in Block
    KernelEmitter::SharedPanel shared;
    LlvmValue *columnSums = nullptr; // if movesLeft_: the address of its column sums, from which its sums start
    LlvmValue *leftLeast = nullptr; // if looksBeside: the least magnitude that a may have (leastBeside)
    LlvmValue *width = nullptr; // columns that are multiplied; null: the full width of a panel, whatever is in bounds
    LlvmValue *panels = nullptr; // consecutive packed panels from this one on, at most kMostPanels; null: 1
    LlvmValue *source = nullptr,
              *asks = nullptr; // address in b, and whether tiles may prefetch the next panel there; null unless mayAskForSource
    LlvmValue *copies = nullptr; // if mayCopy: whether the first tile of rows packs it (copying())
    LlvmValue *copyTo = nullptr; // the rows that are read are packed here; null: they are not
    LlvmValue *narrow = nullptr; // whether narrowTile() or middleTile() takes its rows, unless bf16 are converted; null: never
    LlvmValue *middle = nullptr; // whether it is middleTile(); null: it is narrowTile()
    // Set by placeSums. The final sums are stored to the result if `stores` holds, otherwise to the cells, one tile after the
    // other.
    LlvmValue *stores = nullptr;
    LlvmValue *begins = nullptr; // whether the sums start at 0, whatever `before` is
    Sums before{}, last{}, after{}; // before this block, at the end, and after this block
    Next next{};
  };

  struct RowTiles { // numbers of tiles of a panel: full ones, which come first, and all
    LlvmValue *whole, *count;
  };
  struct Tile {
    LlvmValue *index, *row, *rowEnd;
  };

  void run(FusedLoop &sink, LlvmValue *apart);
  void plan(LlvmValue *rows, LlvmValue *columns, LlvmValue *apart);
  LlvmValue *planned(int64_t NestPlan::*word) { return plan_->get(b, word); }
  LlvmValue *holds(int64_t NestPlan::*word) { return plan_->holds(b, word); }
  void addSkipped(LlvmValue *skipped);
  LlvmValue *totalDepth();
  Side sideOf(size_t operand, LlvmValue *total);
  void emitBlock(LlvmValue *index, FusedLoop &sink);
  void stageLeft(const Block &block);
  LlvmValue *stageWhole(const KernelEmitter::TileAccess &from, const KernelEmitter::RowAccess &row, LlvmValue *line,
                        LlvmValue *first, LlvmValue *depth);
  void stageRow(LlvmValue *line, LlvmValue *k, LlvmValue *value);
  Panel plainPanel(const Block &block, LlvmValue *column, LlvmValue *isInside);
  Panel packPanel(const Block &block, LlvmValue *column, LlvmValue *copied);
  LlvmValue *isCopied(const Block &block, LlvmValue *isInside);
  bool copyingRepeatsRows() const { return !rules_.mayBeDirect; } // because the copy also converts
  KernelEmitter::SharedPanel takePanel(const Block &block, const Panel &panel);
  void fillPanel(const Block &block, const Panel &panel);
  LlvmValue *packInto(const Block &block, LlvmValue *column, const Packed &to);
  LlvmValue *packTurned(const Block &block, LlvmValue *column, const Packed &to);
  LlvmValue *packInside(LlvmValue *column, const Packed &to, Steps steps);
  LlvmValue *insideSteps(const Block &block, LlvmValue *column, const Packed &to);
  bool endsInside() const;
  void fillRows(const Packed &to, Steps steps); // with zeros
  LlvmValue *packRows(LlvmValue *column, const Packed &to, Steps steps, const Inside &inside, LlvmValue *least);
  LlvmValue *packedAt(const Packed &to, LlvmValue *line, LlvmValue *n);
  LlvmValue *packedLine(const Packed &to, LlvmValue *step) {
    return byteOffset(b, to.first, b.CreateMul(packedWord(step), number(panelPitch())));
  }
  void prefetchRows(LlvmValue *step, LlvmValue *column, int64_t columns);
  LlvmValue *panelChunk(const KernelEmitter::RowAccess &row, LlvmValue *column, LlvmValue *n, LlvmValue *inside, int count);
  // Transposes a window in squares of registers. `put` receives the lines of a square: the window's columns from `column` on,
  // each with the rows from `row` on. K runs down the rows of a, and along the rows of b.
  void stageTurned(bool ofLeft, LlvmValue *row, LlvmValue *rows, LlvmValue *column, LlvmValue *columns,
                   llvm::function_ref<void(const LlvmValues &lines, LlvmValue *column, LlvmValue *row)> put);
  LlvmValues squareAt(bool ofLeft, LlvmValue *row, LlvmValue *column);
  LlvmValue *multiplied(Elem from, LlvmValue *chunk); // from storage form to the type that is multiplied in
  LlvmValue *inAllLanes(Elem from, LlvmValue *at); // broadcasts the element at `at`
  LlvmValue *registerAt(Elem from, LlvmValue *at, int count); // an unaligned load, in storage form
  LlvmValue *isInsideRight(const Block &block);
  LlvmValue *sourceOf(const Block &block, LlvmValue *column);
  void emitPanels(const Block &block, FusedLoop &sink);
  LlvmValue *firstPanel(LlvmValue *count);
  // nest_sweep.cc
  static constexpr int64_t kSweptRows = 8; // rows of b at once
  void sweep(const Block &block);
  void sweepRows(const Block &block, LlvmValue *k, int64_t count, std::pair<LlvmValue *, LlvmValue *> columns,
                 llvm::function_ref<LlvmValue *(int64_t i, LlvmValue *column)> load);
  LlvmValues sweptFactors(const Block &block, LlvmValue *row, LlvmValue *k, int64_t count);
  LlvmValue *sumsAt(LlvmValue *row, LlvmValue *column) {
    return byteOffset(b, rowOf(kNestSums, row), b.CreateMul(column, number(bytes_)));
  }
  // Whether a smaller tile takes the last rows.
  bool hasRest() const { return lastRowsTile(tile_).rows < tile_.rows && !usesTiles(style_); }
  void emitRows(const Block &block, Panel panel, FusedLoop &sink);
  bool hasNarrow() const { return tile_.narrow > 0 && hasRest(); }
  void askForNextBlock(const Block &block, const Panel &panel);
  LlvmValue *turnsOf(const Block &block) { return b.CreateUDiv(block.depth, number(tile_.steps)); }
  LlvmValue *isNarrow(LlvmValue *column);
  LlvmValue *isMiddle(LlvmValue *column);
  LlvmValue *widthAt(LlvmValue *column); // Panel::width of a panel there
  LlvmValue *widthOf(const Panel &panel); // in columns
  RowTiles tilesOf(const Block &block, const Panel &panel);
  LlvmValues emitTile(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile);
  Microkernel::Operands operandsOf(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile);
  void ofEachSum(const Sums &sums, const Tile &tile, const Microkernel::Operands &operands,
                 llvm::function_ref<void(LlvmValue *at)> visit);
  LlvmValues sumsBefore(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands);
  void storeSums(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands, const LlvmValues &sums);
  void emitFirstTile(const Block &block, const Panel &panel, const Tile &tile);
  Panel copying(const Panel &panel);
  void readSource(Microkernel::Operands &operands);
  Next nextOf(const Block &block, const Panel &panel);
  LlvmValue *toNextSource(const Block &block, const Panel &panel);
  std::pair<LlvmValue *, LlvmValue *> askedBy(const Block &block, const Panel &panel, const Tile &tile,
                                              LlvmValue *tilesInSource);
  LlvmValues multiplyBytes(const Panel &panel, const Microkernel::Operands &operands, LlvmValue *row, LlvmValues sums);
  LlvmValues pairsBegin(const Panel &panel, const Microkernel::Operands &operands);
  void storePairs(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands, const LlvmValues &products);
  LlvmValues multiplyPairs(const Block &block, const Panel &panel, const Tile &tile, Microkernel::Operands &operands);
  LlvmValues missedOrConverted(const Block &block, const Panel &panel, const Tile &tile, LlvmValue *missedBefore,
                               llvm::function_ref<LlvmValues()> multiply);
  void convertTile(const Block &block, const Panel &panel, const Tile &tile);
  void placeSums(const Block &block, Panel &panel);
  Sums choose(LlvmValue *condition, const Sums &x, const Sums &y);
  Sums cells() { return {addressOf(kNestCells), number(kNestPanelBytes), number(0)}; } // every tile reuses them
  LlvmValue *leftOf(const Block &block, const Tile &tile) {
    return byteOffset(b, block.left, b.CreateMul(tile.row, leftRowStep_));
  }
  LlvmValue *sumsAt(const Sums &sums, const Tile &tile) {
    return byteOffset(b, sums.first, b.CreateMul(tile.row, sums.tileStep));
  }
  bool storesRows() const { return stored_ && stored_->unitStride; }
  LlvmValue *asksForStored(const Block &block);
  void prefetchStored(LlvmValue *first, LlvmValue *step, LlvmValue *rows);
  LlvmValue *storedRow(const Panel &panel, LlvmValue *row);
  void prefetchStoredRow(LlvmValue *line);
  LlvmValue *isInsideStored(const Panel &panel);
  void sinkTile(const Block &block, const Panel &panel, const Tile &tile, FusedLoop &sink);

  // nest_amx.cc
  struct Asked { // rows of the result that a tile prefetches: the first, bytes from row to row, and their number
    LlvmValue *first, *step, *rows;
  };
  LlvmValue *panelsFrom(const Block &block, LlvmValue *column);
  void emitAmxRows(const Block &block, Panel first, FusedLoop &sink);
  Panel choose(LlvmValue *condition, const Panel &x, const Panel &y);
  void emitAmxTile(const Block &block, const Panel &panel, const Tile &tile);
  void multiplyWhole(const Block &block, const Panel &panel, const Tile &tile, const TileMicrokernel::Operands &operands);
  Asked askedOf(const Block &block, const Panel &panel, const Tile &tile);
  LlvmValue *askedAt(const Asked &asked, LlvmValue *turn, LlvmValue *rows);
  void askFor(const Asked &asked, LlvmValue *turn, LlvmValue *rows);
  void askForTwo(const Asked &asked, LlvmValue *turn);
  void multiplyConverted(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start);
  void addTile(const Panel &panel, const Tile &tile);

  // nest_slices.cc
  LlvmValue *packedWord(LlvmValue *step);
  void forgetKey();
  void addToKey(const LlvmValues &floats);
  LlvmValue *knownKey();
  void stageSlices(LlvmValue *line, LlvmValue *k, LlvmValue *floats);
  LlvmValue *packTurnedSlices(const Block &block, LlvmValue *column, const Packed &to);
  void packPairs(LlvmValue *step, LlvmValue *column, LlvmValue *line, const Packed &to, const Inside &inside);
  void packSlices(const Packed &to, LlvmValue *line, LlvmValue *n, LlvmValue *even, LlvmValue *odd);
  std::pair<LlvmValue *, LlvmValue *> floatsAt(LlvmValue *address, int64_t sliceStep);
  static constexpr int64_t kUnslicedBytes = 2048; // of a row of a
  void unsliceRows(LlvmValue *first, LlvmValue *rows, LlvmValue *depth, LlvmValue *to);
  void unslicePanel(LlvmValue *first, LlvmValue *depth, LlvmValue *to);
  void multiplyUnsliced(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start);

  // nest_sharing.cc: memory that does not overlap, parts of the work, shared panels
  LlvmValue *isApart(const Op &store);
  void choosePanels(const Op &store);

  // A step of K is an element, or, with styles other than Elements, a word of neighbours along K: nest_words.cc.
  bool inWords() const { return style_ != ProductStyle::Elements; }
  bool inSlices() const { return slices_ > 1; }
  bool readsWords() const { return inWords() && !inSlices(); } // otherwise it reads elements and builds words from them
  int64_t stepBytes() const { return bytes_ * slices_; } // of a staged row of a
  // The element type that words are made of.
  Elem stagedElem(Elem elem) const { return style_ != ProductStyle::DotShorts ? elem : Elem::I16; }
  LlvmValue *inStaged(Elem from, LlvmValue *chunk);
  bool isBf16() const { return style_ == ProductStyle::DotBf16 || style_ == ProductStyle::TilesBf16; }
  LlvmValue *asWords(Elem from, LlvmValue *chunk);
  LlvmValue *wordsAlong(const KernelEmitter::TileAccess &from, const KernelEmitter::RowAccess &row, LlvmValue *step);
  std::vector<KernelEmitter::RowAccess> rowsOf(const KernelEmitter::TileAccess &from, LlvmValue *step, bool inside);
  LlvmValue *wordsAcross(const KernelEmitter::TileAccess &from, LlvmValue *step, LlvmValue *column, bool inside);
  int64_t wordsTogether(const Inside &inside) const;
  LlvmValues packWords(LlvmValue *step, LlvmValue *column, LlvmValue *line, const Packed &to, const Inside &inside,
                       LlvmValues known);
  void fillLastWord(const Block &block);
  LlvmValue *moved(LlvmValue *words);
  LlvmValue *movedRight(LlvmValue *words) { return movesRight_ ? moved(words) : words; }
  LlvmValue *columnSumsOf(const Packed &to) { return byteOffset(b, to.first, to.panelStep); }
  LlvmValues panelRow(LlvmValue *at);
  void storePanelRow(const LlvmValues &registers, LlvmValue *at);
  LlvmValue *addedToColumn(LlvmValue *sum, LlvmValue *words);
  void sumPackedColumns(const Block &block, const Packed &to);
  void turnColumnSums(LlvmValue *at);
  bool looksBeside() const {
    return style_ == ProductStyle::DotBf16;
  } // finds the least magnitude of a while tiles are multiplied, not before
  bool asksForLeast() const { return isBf16() || inSlices(); }
  LlvmValue *areNormal(const Block &block, const Panel &panel);
  LlvmValue *leftBytes(const Block &block);
  WordMatrix wordsOf(const Block &block);
  void sumLeftRows(const Block &block);
  LlvmValue *panelBytes(const Block &block);
  LlvmValue *behindPanels(const Block &block, const Panel &panel);
  LlvmValue *toNextPanel(const Block &block, const Panel &panel);

  LlvmValue *number(int64_t value) { return e_.number(value); }
  LlvmValue *least(LlvmValue *x, LlvmValue *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  LlvmValue *roundedUp(LlvmValue *x, int64_t unit) {
    return b.CreateMul(b.CreateUDiv(b.CreateAdd(x, number(unit - 1)), number(unit)), number(unit));
  }
  LlvmValue *most(LlvmValue *x, LlvmValue *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  const Buffer &buffer(NestBuffer which) { return *e_.buffers_.stagingOf(&op_, which); }
  LlvmValue *addressOf(NestBuffer which) { return e_.bufferAddress(buffer(which)); }
  LlvmValue *pitchOf(NestBuffer which) { return e_.pitchOf(buffer(which)); }
  LlvmValue *rowOf(NestBuffer which, LlvmValue *row) {
    return byteOffset(b, addressOf(which), b.CreateMul(row, pitchOf(which)));
  }
  int64_t panelColumns() const { return tile_.vectors * lanes_; }
  int64_t linesOfSource() const { return (sourcePitch() + kCacheLine - 1) / kCacheLine; } // cache lines per row
  int64_t leftElemBytes() const { return elemInfo(leftElem_).storageBytes; }
  int64_t sourceBytes() const { return elemInfo(right_.access.elem).storageBytes; }
  int64_t sourcePitch() const { return panelColumns() * sourceBytes(); } // bytes of a panel's part of a row, in b
  LlvmValue *columnsOf(const Packed &to) {
    return to.width ? to.width : to.panels ? b.CreateMul(to.panels, number(panelColumns())) : number(panelColumns());
  }
  int64_t panelPitch() const { return panelColumns() * bytes_; } // bytes from one row of K to the next, without gaps
  llvm::Align sumAlign() const { return stores_ ? llvm::Align(1) : vectorAlign(); } // alignment of a panel's `after`
  llvm::Align vectorAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * bytes_)); }

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  const Op &op_;
  const Elem elem_; // the type that is multiplied in
  const int64_t bytes_; // of an element
  const ProductStyle style_;
  const int elements_; // per step
  const int slices_; // per element; a step has a word of each slice
  const RegisterTile tile_;
  const int lanes_;
  const bool movesLeft_, movesRight_; // whether bytes of a, or of b, are moved by 128 (movesBytes)
  const bool fresh_; // the sum starts at 0
  Microkernel microkernel_;
  TileMicrokernel tiles_;
  Side left_{}, right_{};
  NestRules rules_{};
  std::optional<NestPlanCall> plan_;
  Elem leftElem_{}; // the type of a's elements when they are multiplied: elem_, unless they are converted one by one
  bool storesSums_ = false; // the sums are stored without further computation
  const KernelEmitter::TileAccess *stored_ =
      nullptr; // the tile that the values computed from them are stored to; null: they go to a buffer
  bool stores_ = false; // from the registers to the result
  LlvmValue *rows_ = nullptr, *depth_ = nullptr; // rows that are computed, and steps of K
  LlvmValue *elementDepth_ = nullptr; // elements of K
  LlvmValue *columnBegin_ = nullptr, *columns_ = nullptr; // first column that is computed, and the end
  LlvmValue *divides_ = nullptr; // whether parts may store while others read; null: there is one part
  LlvmValue *shares_ = nullptr; // whether workgroups share packed panels; null: they cannot
  LlvmValue *alike_ = nullptr, *columnGroups_ = nullptr; // NestSizes' words; null: panels are not shared
  LlvmValue *isOddAmongAlike_ = nullptr; // whether this workgroup is odd among those that share
  LlvmValue *leftInPlace_ = nullptr; // whether rows of a are read in place
  LlvmValue *keyAddress_ = nullptr; // the address of the key of the floats seen so far
  LlvmValue *leftRowStep_ = nullptr, *leftStep_ = nullptr; // bytes
};

} // namespace xt
