// One loop over the rows and the register-wide chunks of a shape, which evaluates vector values and puts them
// somewhere.
#pragma once
#include "targets/cpu/kernel_emitter.h"
#include "targets/cpu/vector_values.h"

#include <optional>

namespace xt {

class FusedLoop {
public:
  explicit FusedLoop(KernelEmitter &emitter) : e_(emitter), b(emitter.b) {}

  // `value` is evaluated where it stands and put into a buffer, converted as an operand of tile_mma
  // where the buffer's element type differs.
  void toBuffer(Value *value, const Buffer &buffer);
  // The result of an op that has a buffer of its own.
  void computeToBuffer(const Op &op, const Buffer &buffer);
  // `mayStream`: past the caches, if the matrix turns out to be large.
  void toTile(Value *value, const Value *tile, bool mayStream = false);
  // Combines the operand of a reduction into its result's buffer: of fewer rows, each of some neighbours, whose rows start as
  // the identity; or of one column. What the reduction fills (FusionPlan::filledBy) goes to its own buffer. Nothing else may
  // be done in the same loop.
  void reduce(const Op &reduction, OpKind kind);
  // The result of a nest to its buffer.
  void nestToBuffer(Value *value, const Buffer &buffer);
  // All values of a chunk are evaluated before the first is put away.
  void emit();

  // Of a loop around a nest's sums: prepare() once, then the rows and columns of each part, whose sum [r, c] lies at
  // sums + r * pitch + c elements. Columns begin at whole registers.
  struct Part {
    LlvmValue *rowBegin, *rowEnd, *columnBegin, *columnEnd;
    LlvmValue *sums, *pitch;
  };
  void prepare();
  void emitPart(const Part &part);
  // Rows and columns (from 0 on) that it does something with.
  std::pair<LlvmValue *, LlvmValue *> extents();
  const KernelEmitter::TileAccess *storedTile() const { return sinks_[0].tile ? &sinks_[0].access : nullptr; } // null: it goes to a buffer

private:
  struct Node { // a value that the loop evaluates
    Value *value;
    bool computed;                    // else it is read from its buffer
    LlvmValue *invariant = nullptr;   // constants and splats
    KernelEmitter::TileAccess tile{}; // of a load
    std::optional<KernelEmitter::TileAccess> ahead = {}; // of a buffer that was loaded: this loop asks for what is loaded later
    KernelEmitter::RowAccess row{}; // of either
    LlvmValue *rowPointer = nullptr; // of a buffer
    LlvmValue *rowValue = nullptr;   // one value for the row: of an iota down the rows, of a stretched column
    LlvmValue *limit = nullptr;      // of a mask: columns below it, none to all of the row's
  };
  struct Sink {
    Value *value;
    const Buffer *buffer; // or
    const Value *tile;
    KernelEmitter::TileAccess access{};
    KernelEmitter::RowAccess row{};
    LlvmValue *rowPointer = nullptr;
    std::optional<OpKind> reduces = {};
    int64_t rowsEach = 1;
    bool mayStream = false;
  };
  void addNodes(const std::vector<Value *> &values, const Value *root);
  void enterRow(LlvmValue *row);
  void emitChunk(LlvmValue *column);
  LlvmValue *evaluate(const Node &node, LlvmValue *column);
  LlvmValue *evaluateBroadcast(const Node &node, LlvmValue *column);
  void enterGenerated(Node &node, LlvmValue *row);
  void enterBroadcast(Node &node, LlvmValue *row);
  LlvmValue *laneNumbers(LlvmValue *column);
  LlvmValue *withinRow(LlvmValue *limit, Type vector);
  LlvmValue *lanesBelow(LlvmValue *limit, LlvmValue *column); // which columns of the chunk are, of a limit within the row
  void fillWithIdentity(const Sink &sink);
  void emitRowReduction(const Sink &sink, int64_t rows, int64_t columns);
  void emitRowsReduction(const Sink &sink, int64_t rows, int64_t columns);
  LlvmValue *combinedRow(const Sink &sink, LlvmValue *row, int64_t columns);
  int chunksAtOnce(int64_t columns) const;
  LlvmValue *areNumbers(llvm::ArrayRef<LlvmValue *> chunks); // lanes that are NaN in none
  bool isOrdered(const Sink &sink) const; // reduced as integers
  bool usesRangeInstruction(const Sink &sink) const;
  LlvmValue *furthestByRange(OpKind kind, LlvmValue *x, LlvmValue *y);
  static bool isFurthest(OpKind kind);
  static llvm::Intrinsic::ID furtherOf(OpKind kind);
  LlvmValue *turnedBits(LlvmValue *bits);
  LlvmValue *orderedBits(OpKind kind, LlvmValue *chunk);
  LlvmValue *furthestOfLanes(OpKind kind, LlvmValue *ordered);
  LlvmValue *acrossLanes(OpKind kind, Elem elem, LlvmValue *chunk);
  LlvmValue *operand(const Op &op, size_t i);
  void put(const Sink &sink, LlvmValue *value, LlvmValue *column);
  LlvmValue *rowOf(const Buffer &buffer, LlvmValue *row);
  LlvmValue *rowOf(const Value *value, LlvmValue *row); // of its buffer, or where it lies
  llvm::Align alignOf(Elem elem) const;         // of registers in buffers
  llvm::Align alignOf(const Value *value) const; // of registers that are read

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  std::vector<Node> nodes_;
  std::vector<Sink> sinks_;
  std::unordered_map<const Value *, LlvmValue *> chunk_; // what this chunk has evaluated
  int lanes_ = 0;
  LlvmValue *sums_ = nullptr, *sumsPitch_ = nullptr; // of the part
  std::optional<OpKind> acrossColumns_; // the first sink is a reduction of whole rows
};

} // namespace xt
