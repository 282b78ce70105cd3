// One loop over the rows and register-wide chunks of a shape. It evaluates vector values and writes them to buffers or tiles.
#pragma once
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/vector/kernel_emitter.h"

#include <optional>

namespace xt {

class FusedLoop {
public:
  explicit FusedLoop(KernelEmitter &emitter) : e_(emitter), b(emitter.context.b) {}

  // Evaluates `value` in this loop and writes it to a buffer, converted like an operand of tile_mma where the buffer's element
  // type differs.
  void toBuffer(Value *value, const Buffer &buffer);
  // Computes an op and writes its result to the buffer of the result.
  void computeToBuffer(const Op &op, const Buffer &buffer);
  // `mayStream`: use non-temporal stores if the matrix turns out to be large.
  void toTile(Value *value, const Value *tile, bool mayStream = false);
  // Combines the operand of a reduction into the buffer of its result. Either the result has fewer rows, each the combination
  // of some neighbouring rows and initialised with the identity, or it has one column. The value that the reduction fills
  // (FusionPlan::filledBy) is also written to its own buffer. The loop must have no other sinks.
  void reduce(const Op &reduction, OpKind kind);
  // Writes the result of a nest to its buffer.
  void nestToBuffer(Value *value, const Buffer &buffer);
  // All values of a chunk are evaluated before the first of them is written.
  void emit();

  // For the loop around a nest's sums: call prepare() once, then emitPart() for the rows and columns of each part. The sum [r,
  // c] is at sums + r * pitch + c elements. The columns of a part begin at a multiple of the register width.
  struct Part {
    LlvmValue *rowBegin, *rowEnd, *columnBegin, *columnEnd;
    LlvmValue *sums, *pitch;
  };
  void prepare();
  void emitPart(const Part &part);
  // The end of the rows and of the columns (both start at 0) that the loop writes.
  std::pair<LlvmValue *, LlvmValue *> extents();
  const TileAccess *storedTile() const { return sinks_[0].tile ? &sinks_[0].access : nullptr; } // null: the sink is a buffer

private:
  struct Node { // a value that the loop evaluates
    Value *value;
    bool computed; // otherwise it is read from its buffer
    LlvmValue *invariant = nullptr; // constants and splats
    TileAccess tile{}; // for a load
    std::optional<TileAccess> ahead = {}; // for a buffer that a load has filled: this loop prefetches for later loads
    RowAccess row{}; // for `tile` or `ahead`
    LlvmValue *rowPointer = nullptr; // for a buffer
    LlvmValue *rowValue = nullptr; // one value for the whole row: an iota along the rows, or a stretched column
    LlvmValue *limit = nullptr; // for a mask: the first column that is not set, between 0 and the row's length
  };
  struct Sink {
    Value *value;
    const Buffer *buffer; // either a buffer …
    const Value *tile;
    TileAccess access{};
    RowAccess row{};
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
  // Lane mask of the columns of the chunk that are below a limit within the row.
  LlvmValue *lanesBelow(LlvmValue *limit, LlvmValue *column);
  void fillWithIdentity(const Sink &sink);
  void emitRowReduction(const Sink &sink, int64_t rows, int64_t columns);
  void emitRowsReduction(const Sink &sink, int64_t rows, int64_t columns);
  LlvmValue *combinedRow(const Sink &sink, LlvmValue *row, int64_t columns);
  bool isOrdered(const Sink &sink) const; // whether it is reduced as integers
  LlvmValue *operand(const Op &op, size_t i);
  void put(const Sink &sink, LlvmValue *value, LlvmValue *column);
  LlvmValue *rowOf(const Buffer &buffer, LlvmValue *row);
  LlvmValue *rowOf(const Value *value, LlvmValue *row); // in its buffer, or in place
  llvm::Align alignOf(Elem elem) const; // alignment of registers in buffers
  llvm::Align alignOf(const Value *value) const; // alignment of registers that are read

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  std::vector<Node> nodes_;
  std::vector<Sink> sinks_;
  std::unordered_map<const Value *, LlvmValue *> chunk_; // the values of the current chunk
  int lanes_ = 0;
  LlvmValue *sums_ = nullptr, *sumsPitch_ = nullptr; // of the current part
  std::optional<OpKind> acrossColumns_; // the first sink is a reduction of whole rows
};

} // namespace xt
