// `nest`: the K loop of a matrix product, packed and blocked.
//
// K is cut into blocks of at most mostBlockBytes, nestStagedBytes where a is staged, or amxBlockBytes. For each block and
// each panel of b's columns, as wide as a microkernel, the panel is packed (converted, and turned where it lies the other
// way round), copied by the first tile of rows, or, for few rows of a, read where it lies
// (nest_packing.cc), and the microkernel runs down the rows of a (nest_rows.cc, nest_amx.cc): straight from memory where it
// can, else from rows that were staged. One or two rows, a few of a large b that is converted, take whole rows of b instead
// (nest_sweep.cc).
// Sums stay in registers through a block; between blocks they lie in scratch memory; behind the last one they go to memory
// where they are only stored, else, through a few cells that stay in the first cache, into the loop of what uses them.
#pragma once
#include "targets/cpu/fused_loop.h"
#include "targets/cpu/microkernel.h"
#include "targets/cpu/register_tile.h"
#include "targets/cpu/tile_microkernel.h"
#include "targets/cpu/words.h"

namespace xt {

class NestEmitter {
public:
  NestEmitter(KernelEmitter &emitter, const Op &nest);
  // Into how many parts the work of a workgroup can be divided: panels of columns, if all that the kernel does is to
  // store what is computed from one nest. Else 0.
  static int64_t mostParts(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);
  // Whether no part looks through all of a, turns it or converts it first, as each of others does; all copy rows that cannot be read
  // where they lie. With two threads, as parts, bytes 37x1111x513 takes 0.95 of the time, bf16 0.97 (Zen 5). (f64 is put together for
  // many columns only, where that is little.)
  static bool partsAreCheap(const Kernel &kernel, const FusionPlan &fusion, const CpuInfo &cpu);
  // All sums, to the result's own buffer.
  void toBuffer();
  // What the store's value is computed from them, to the store's tile.
  void toTile(const Op &store);

private:
  // a or b in memory, over all of K. `turned`: its rows, which are neighbours in memory, run along the other dimension
  // than the product has them (of a: rows are K; of b: columns).
  struct Side {
    KernelEmitter::TileAccess access;
    bool turned;
  };
  struct Block { // of K
    LlvmValue *first, *depth; // steps
    LlvmValue *isFirst, *isLast;
    LlvmValue *handsOn; // behind the last: nothing is multiplied, the sums go on to what uses them
    LlvmValue *ready;   // its sums are the last, and may be used as they become known
    LlvmValue *left; // step [0, first] of a
    LlvmValue *least; // magnitude of a: of bf16, or the key of floats in slices; not if looksBeside
    LlvmValue *rightInside; // all of b that is read
    LlvmValue *panels; // of b that are packed together, at most, of AMX's tiles; null: 1
  };
  struct Packed { // panels: the first, bytes from one to the next, and how many (Panel's); and of one, its columns (Panel's)
    LlvmValue *first, *panelStep, *panels, *width;
  };
  // Rows of b that lie in the matrix: which of their columns do (insideBits), and how many are packed at once. Null: which rows and
  // columns do is looked at.
  struct Inside {
    LlvmValue *bits = nullptr;
    int64_t columns = 0;
  };
  struct Steps { // [begin, end) of the block that starts at `first`
    LlvmValue *first, *begin, *end;
  };
  // A panel's sums, or where they go: its first row; bytes to the next row of a tile; bytes for each row of a to where a tile's start.
  struct Sums {
    LlvmValue *first, *step, *tileStep;
  };
  // What a panel's tiles ask for: the first one from `first` on, each other so many bytes behind the one before it; and what a turn
  // moves on. But `tilesInSource` tiles behind the first one, which may copy, ask for the panel that is copied or read where it
  // lies next, at `source` (askedBy); those of the last rows only if they are among the `lastInSource` ones.
  struct Next {
    LlvmValue *first, *tileStep, *step;
    LlvmValue *source = nullptr, *tilesInSource = nullptr, *lastInSource = nullptr;
  };
  struct Panel {
    LlvmValue *column; // its first
    LlvmValue *right;  // step [first row of the block, column] of b
    LlvmValue *step;   // bytes from one row of K to the next
    LlvmValue *least; // magnitude of b: Block's
    KernelEmitter::SharedPanel shared;
    LlvmValue *columnSums = nullptr; // where they are, if movesLeft_: what its sums start at
    LlvmValue *leftLeast = nullptr; // that a may have beside it (leastBeside), if looksBeside
    LlvmValue *width = nullptr; // columns that are multiplied; null: as wide as a panel is, whatever is inside
    LlvmValue *panels = nullptr; // that lie one behind the other from this one on, packed, at most kMostPanels; null: 1
    LlvmValue *source = nullptr, *asks = nullptr; // in b, and whether tiles may ask for the next panel there; null unless mayAskForSource
    LlvmValue *copies = nullptr; // if mayCopy: the first tile of rows takes copying()
    LlvmValue *copyTo = nullptr; // what is read is copied there; null: it is not
    LlvmValue *narrow = nullptr; // whether narrowTile() or middleTile() takes its rows, unless bf16 are converted; null: never
    LlvmValue *middle = nullptr; // which of them; null: the first
    // Of placeSums. The last ones go straight to memory where `stores` holds, or else to the cells, one tile's after the other's.
    LlvmValue *stores = nullptr;
    LlvmValue *begins = nullptr; // at 0, whatever is `before`
    Sums before{}, last{}, after{}; // a block
    Next next{};
  };

  struct RowTiles { // of a panel: those that come first and are not smaller, and all
    LlvmValue *whole, *count;
  };
  struct Tile {
    LlvmValue *index, *row, *rowEnd;
  };

  void run(FusedLoop &sink, LlvmValue *inPlace);
  void addSkipped(LlvmValue *skipped);
  LlvmValue *totalDepth();
  Side sideOf(size_t operand, LlvmValue *total);
  void boundDepth(LlvmValue *total);
  void chooseLeft();
  LlvmValue *putsLeftTogether();
  void chooseRight();
  LlvmValue *deepestBlock();
  LlvmValue *deepestInPlace();
  LlvmValue *deepestAcrossLines();
  LlvmValue *deepestCopied();
  LlvmValue *isForeseen();
  LlvmValue *foreseenRows();
  LlvmValue *powerOfTwoApart();
  void emitBlock(LlvmValue *number, LlvmValue *count, FusedLoop &sink, LlvmValue *inPlace);
  void stageLeft(const Block &block);
  LlvmValue *stageWhole(const KernelEmitter::TileAccess &from, const KernelEmitter::RowAccess &row, LlvmValue *line, LlvmValue *first, LlvmValue *depth);
  void stageRow(LlvmValue *line, LlvmValue *k, LlvmValue *value);
  Panel plainPanel(const Block &block, LlvmValue *column, LlvmValue *isInside);
  Panel packPanel(const Block &block, LlvmValue *column, LlvmValue *copied);
  LlvmValue *isCopied(const Block &block, LlvmValue *isInside);
  bool copyingRepeatsRows() const { return !mayBeDirect(); } // as it converts, too
  LlvmValue *hasRowsToCopy();
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
  LlvmValue *packedLine(const Packed &to, LlvmValue *step) { return byteOffset(b, to.first, b.CreateMul(packedWord(step), number(panelPitch()))); }
  static constexpr int64_t kPage = 4096, kCrowdedRows = 128; // of b (deepestInPlace)
  static constexpr int64_t kAskedRows = 256; // of b, so many that a panel's few tiles have the time to ask for the next one
  static constexpr int64_t kFewestRows = 16; // of a (isForeseen, foreseenRows)
  static constexpr int64_t kSecondCache = 1 << 20, kFromMemory = 24 << 20; // bytes of b that the second holds, and the third may not
  // Rows of b that are asked for before they are copied.
  static constexpr int64_t kRowsAhead = 16;
  // By the first tile: fewer than the first cache has ways, if rows are so far apart that they fall together there. 36x1024x512 of
  // f32 takes 1.4 times as long with 16.
  LlvmValue *nearRows();
  LlvmValue *rightSpan();
  LlvmValue *spansMore(LlvmValue *bytes) { return b.CreateICmpSGT(rightSpan(), bytes); }
  LlvmValue *spansMore(int64_t bytes) { return spansMore(number(bytes)); }
  bool prefersInPlace() const { return mayCopyPlain() && isWide() && e_.cpu_.loadsAcrossLines; } // b's wide panels
  LlvmValue *copiesInPlace();
  LlvmValue *isBetterCopied(LlvmValue *manyRows);
  LlvmValue *crowdsCaches();
  void prefetchRows(LlvmValue *step, LlvmValue *column, int64_t columns);
  LlvmValue *panelChunk(const KernelEmitter::RowAccess &row, LlvmValue *column, LlvmValue *n, LlvmValue *inside, int count);
  // Squares of registers, turned: `put` takes the lines of columns from `column` on, with the rows from `row` on, of the window. K
  // runs down the rows of a, along those of b.
  void stageTurned(bool ofLeft, LlvmValue *row, LlvmValue *rows, LlvmValue *column, LlvmValue *columns,
                   llvm::function_ref<void(const LlvmValues &lines, LlvmValue *column, LlvmValue *row)> put);
  LlvmValues squareAt(bool ofLeft, LlvmValue *row, LlvmValue *column);
  LlvmValue *multiplied(Elem from, LlvmValue *chunk); // storage form, as what it is multiplied in
  LlvmValue *inAllLanes(Elem from, LlvmValue *at); // one element that lies there
  LlvmValue *registerAt(Elem from, LlvmValue *at, int count); // storage form, anywhere in memory
  bool mayBeDirect() const;
  bool mayCopy() const { return mayAskForSource() && (mayBeDirect() || convertsCheaply()); }
  bool mayCopyPlain() const { return mayBeDirect() && hasRest(); } // mayCopy of a b that needs no conversion, and may be read where it lies
  bool convertsCheaply() const;
  // Elements that are packed as they lie, but for a conversion.
  bool mayAskForSource() const { return hasRest() && !inWords() && !right_.turned && right_.access.unitStride && right_.access.pack == 1; }
  LlvmValue *isInsideRight(const Block &block);
  LlvmValue *sourceOf(const Block &block, LlvmValue *column);
  void emitPanels(const Block &block, FusedLoop &sink);
  LlvmValue *firstPanel(LlvmValue *count);
  LlvmValue *endsByTwoNarrow(LlvmValue *columns);
  // nest_sweep.cc
  static constexpr int64_t kSweptRows = 8, kMostSwept = 4; // of b at once; of a
  bool maySweep() const;
  LlvmValue *sweptFromMemory();
  void sweep(const Block &block);
  void sweepRows(const Block &block, LlvmValue *k, int64_t count, std::pair<LlvmValue *, LlvmValue *> columns,
                 llvm::function_ref<LlvmValue *(int64_t i, LlvmValue *column)> load);
  LlvmValues sweptFactors(const Block &block, LlvmValue *row, LlvmValue *k, int64_t count);
  LlvmValue *sumsAt(LlvmValue *row, LlvmValue *column) { return byteOffset(b, rowOf(kNestSums, row), b.CreateMul(column, number(bytes_))); }
  // A smaller tile takes the last rows.
  bool hasRest() const { return lastRowsTile(tile_).rows < tile_.rows && !usesTiles(style_); }
  void emitRows(const Block &block, Panel panel, FusedLoop &sink);
  LlvmValue *wholeTiles();
  bool hasNarrow() const { return tile_.narrow > 0 && hasRest(); }
  // So few that the time of a panel is that of getting it, and not that of their sums.
  LlvmValue *hasFewTiles() { return hasTiles(24); }
  // Those that cannot ask for all of the next panel, if no others share it, and any few of narrow ones.
  LlvmValue *hasVeryFewTiles() { return isWide() ? hasTiles(tilesThatAsk()) : hasFewTiles(); }
  bool isWide() const { return panelPitch() >= 4 * kCacheLine; } // panels are
  LlvmValue *hasTiles(int64_t most) { return b.CreateICmpSLT(panelRows_, number((most + 1) * tile_.rows)); }
  LlvmValue *asksForSource();
  bool mayAskForNextBlock() const { return mayCopyPlain() && !prefersInPlace(); } // or else asksForNextBlock is false
  LlvmValue *asksForNextBlock();
  void askForNextBlock(const Block &block, const Panel &panel);
  LlvmValue *turnsOf(const Block &block) { return b.CreateUDiv(block.depth, number(tile_.steps)); }
  LlvmValue *isNarrow(LlvmValue *column);
  LlvmValue *isMiddle(LlvmValue *column);
  LlvmValue *widthAt(LlvmValue *column);  // of a panel there: Panel's
  LlvmValue *widthOf(const Panel &panel); // columns
  RowTiles tilesOf(const Block &block, const Panel &panel);
  LlvmValues emitTile(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile);
  Microkernel::Operands operandsOf(const Block &block, const Panel &panel, RegisterTile shape, const Tile &tile);
  void ofEachSum(const Sums &sums, const Tile &tile, const Microkernel::Operands &operands, llvm::function_ref<void(LlvmValue *at)> visit);
  LlvmValues sumsBefore(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands);
  void storeSums(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands, const LlvmValues &sums);
  void emitFirstTile(const Block &block, const Panel &panel, const Tile &tile);
  Panel copying(const Panel &panel);
  void readSource(Microkernel::Operands &operands);
  Next nextOf(const Block &block, const Panel &panel);
  LlvmValue *toNextSource(const Block &block, const Panel &panel);
  std::pair<LlvmValue *, LlvmValue *> askedBy(const Block &block, const Panel &panel, const Tile &tile, LlvmValue *tilesInSource);
  LlvmValues multiplyBytes(const Panel &panel, const Microkernel::Operands &operands, LlvmValue *row, LlvmValues sums);
  LlvmValues pairsBegin(const Panel &panel, const Microkernel::Operands &operands);
  void storePairs(const Panel &panel, const Tile &tile, const Microkernel::Operands &operands, const LlvmValues &products);
  LlvmValues multiplyPairs(const Block &block, const Panel &panel, const Tile &tile, Microkernel::Operands &operands);
  LlvmValues missedOrConverted(const Block &block, const Panel &panel, const Tile &tile, LlvmValue *missedBefore, llvm::function_ref<LlvmValues()> multiply);
  void convertTile(const Block &block, const Panel &panel, const Tile &tile);
  void placeSums(const Block &block, Panel &panel);
  Sums choose(LlvmValue *condition, const Sums &x, const Sums &y);
  Sums cells() { return {addressOf(kNestCells), number(kNestPanelBytes), number(0)}; } // one tile's, and then the next one's
  LlvmValue *leftOf(const Block &block, const Tile &tile) { return byteOffset(b, block.left, b.CreateMul(tile.row, leftRowStep_)); }
  LlvmValue *sumsAt(const Sums &sums, const Tile &tile) { return byteOffset(b, sums.first, b.CreateMul(tile.row, sums.tileStep)); }
  bool storesRows() const { return stored_ && stored_->unitStride; }
  LlvmValue *asksForStored(const Block &block);
  void prefetchStored(LlvmValue *first, LlvmValue *step, LlvmValue *rows);
  LlvmValue *storedRow(const Panel &panel, LlvmValue *row);
  void prefetchStoredRow(LlvmValue *line);
  LlvmValue *isInsideStored(const Panel &panel);
  void sinkTile(const Block &block, const Panel &panel, const Tile &tile, FusedLoop &sink);

  // nest_amx.cc
  struct Asked { // rows of the result that a tile asks for: the first, bytes from one to the next, and how many
    LlvmValue *first, *step, *rows;
  };
  LlvmValue *isNear(const Block &block);
  LlvmValue *panelsFrom(const Block &block, LlvmValue *column);
  LlvmValue *oneStays(const Block &block, int64_t words);
  LlvmValue *panelsOf(const Block &block);
  void emitAmxRows(const Block &block, Panel first, FusedLoop &sink);
  Panel choose(LlvmValue *condition, const Panel &x, const Panel &y);
  void emitAmxTile(const Block &block, const Panel &panel, const Tile &tile);
  void multiplyWhole(const Block &block, const Panel &panel, const Tile &tile, const TileMicrokernel::Operands &operands);
  LlvmValue *rowsEachTurn(LlvmValue *depth);
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

  // nest_sharing.cc: memory that is apart, parts of the work, shared panels
  LlvmValue *isApart(const Op &store);
  void choosePanels(const Op &store, LlvmValue *inPlace);
  void chooseColumns();

  // A step of K is an element, or with other styles a word of neighbours along K: nest_words.cc.
  bool inWords() const { return style_ != ProductStyle::Elements; }
  bool inSlices() const { return slices_ > 1; }
  bool readsWords() const { return inWords() && !inSlices(); } // or elements, of which words are made
  int64_t stepBytes() const { return bytes_ * slices_; } // of a row of a that is staged
  // What words are made of.
  Elem stagedElem(Elem elem) const { return style_ != ProductStyle::DotShorts ? elem : Elem::I16; }
  LlvmValue *inStaged(Elem from, LlvmValue *chunk);
  bool isBf16() const { return style_ == ProductStyle::DotBf16 || style_ == ProductStyle::TilesBf16; }
  LlvmValue *asWords(Elem from, LlvmValue *chunk);
  LlvmValue *wordsAlong(const KernelEmitter::TileAccess &from, const KernelEmitter::RowAccess &row, LlvmValue *step);
  std::vector<KernelEmitter::RowAccess> rowsOf(const KernelEmitter::TileAccess &from, LlvmValue *step, bool inside);
  LlvmValue *wordsAcross(const KernelEmitter::TileAccess &from, LlvmValue *step, LlvmValue *column, bool inside);
  int64_t wordsTogether(const Inside &inside) const;
  LlvmValues packWords(LlvmValue *step, LlvmValue *column, LlvmValue *line, const Packed &to, const Inside &inside, LlvmValues known);
  void fillLastWord(const Block &block);
  LlvmValue *moved(LlvmValue *words);
  LlvmValue *movedRight(LlvmValue *words) { return movesRight_ ? moved(words) : words; }
  LlvmValue *columnSumsOf(const Packed &to) { return byteOffset(b, to.first, to.panelStep); }
  LlvmValues panelRow(LlvmValue *at);
  void storePanelRow(const LlvmValues &registers, LlvmValue *at);
  LlvmValue *addedToColumn(LlvmValue *sum, LlvmValue *words);
  void sumPackedColumns(const Block &block, const Packed &to);
  void turnColumnSums(LlvmValue *at);
  bool looksBeside() const { return style_ == ProductStyle::DotBf16; } // through a, where tiles multiply, and not before
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
  LlvmValue *roundedUp(LlvmValue *x, int64_t unit) { return b.CreateMul(b.CreateUDiv(b.CreateAdd(x, number(unit - 1)), number(unit)), number(unit)); }
  LlvmValue *most(LlvmValue *x, LlvmValue *y) { return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }
  const Buffer &buffer(NestBuffer which) { return *e_.buffers_.stagingOf(&op_, which); }
  LlvmValue *addressOf(NestBuffer which) { return e_.bufferAddress(buffer(which)); }
  LlvmValue *pitchOf(NestBuffer which) { return e_.pitchOf(buffer(which)); }
  LlvmValue *rowOf(NestBuffer which, LlvmValue *row) {
    return byteOffset(b, addressOf(which), b.CreateMul(row, pitchOf(which)));
  }
  int64_t panelColumns() const { return tile_.vectors * lanes_; }
  int64_t tilesThatAsk() const { return linesOfSource() * tile_.steps; } // for all of a panel
  int64_t linesOfSource() const { return (sourcePitch() + kCacheLine - 1) / kCacheLine; } // of a row
  int64_t leftElemBytes() const { return elemInfo(leftElem_).storageBytes; }
  int64_t sourceBytes() const { return elemInfo(right_.access.elem).storageBytes; }
  int64_t sourcePitch() const { return panelColumns() * sourceBytes(); } // of a panel's part of a row, where it lies in b
  LlvmValue *columnsOf(const Packed &to) { return to.width ? to.width : to.panels ? b.CreateMul(to.panels, number(panelColumns())) : number(panelColumns()); }
  int64_t panelPitch() const { return panelColumns() * bytes_; } // bytes from one row of K to the next: nothing between
  llvm::Align sumAlign() const { return stores_ ? llvm::Align(1) : vectorAlign(); } // of a panel's `after`
  llvm::Align vectorAlign() const { return llvm::Align(static_cast<uint64_t>(lanes_ * bytes_)); }

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  const Op &op_;
  const Elem elem_;     // that is multiplied in
  const int64_t bytes_; // of one
  const ProductStyle style_;
  const int elements_; // of a step
  const int slices_;    // of an element, each of which a step has a word of
  const RegisterTile tile_;
  const int lanes_;
  const bool movesLeft_, movesRight_; // bytes of a, or of b (movesBytes)
  const bool fresh_; // the sum starts at 0
  Microkernel microkernel_;
  TileMicrokernel tiles_;
  Side left_{}, right_{};
  Elem leftElem_{}; // of rows of a where they are multiplied: elem_, but where elements are converted one by one
  bool storesSums_ = false; // that is all that is done with the sums
  const KernelEmitter::TileAccess *stored_ = nullptr; // where what is computed from them goes, if they do without more memory
  bool stores_ = false; // straight from the registers
  LlvmValue *rows_ = nullptr, *depth_ = nullptr; // that are computed, and steps of K
  LlvmValue *elementDepth_ = nullptr;             // elements of K
  LlvmValue *wholeTiles_ = nullptr; // of rows
  LlvmValue *nextStep_ = nullptr; // bytes of a packed panel that each step asks for of the next one, so that a panel's tiles reach its end
  LlvmValue *columnBegin_ = nullptr, *columns_ = nullptr; // the first column that is computed, and the end
  LlvmValue *divides_ = nullptr; // parts may store while others read; null: there is one part
  LlvmValue *shares_ = nullptr;    // workgroups share packed panels; null: they cannot
  LlvmValue *ownPanels_ = nullptr; // those of one thread, only
  LlvmValue *served_ = nullptr;    // by a packed panel: so many workgroups
  LlvmValue *panelRows_ = nullptr; // and so many rows, or more: the same number in all of them
  LlvmValue *copiesInPlace_ = nullptr, *asksForSource_ = nullptr, *isForeseen_ = nullptr, *asksForNextBlock_ = nullptr; // what the functions give
  LlvmValue *isOddAmongAlike_ = nullptr; // this one is, of those
  LlvmValue *leftInPlace_ = nullptr, *rightInPlace_ = nullptr; // read where they lie; b as far as panels are whole
  LlvmValue *keyAddress_ = nullptr; // where the key of the floats that were seen is
  LlvmValue *sweeps_ = nullptr;                                // its rows are
  LlvmValue *leftRowStep_ = nullptr, *leftStep_ = nullptr;             // bytes
};

} // namespace xt
