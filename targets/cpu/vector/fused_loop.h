// One loop over the rows and register-wide chunks of a shape. It evaluates vector values and writes them to buffers or tiles.
#pragma once
#include "targets/cpu/analysis/vector_values.h"
#include "targets/cpu/vector/generated_values.h"

#include <optional>

namespace xt {

class FusedLoop {
public:
  explicit FusedLoop(KernelEmitter &emitter)
      : e_(emitter), b(emitter.context.b), registers_(emitter), generated_(emitter, registers_) {}
  FusedLoop(const FusedLoop &) = delete;
  FusedLoop &operator=(const FusedLoop &) = delete;

  // Evaluates `value` in this loop and writes it to a buffer, converted like an operand of tile_mma where the buffer's element
  // type differs.
  void toBuffer(Value *value, const Buffer &buffer);
  // Computes an op and writes its result to the buffer of the result, and the value that the op's loop fills
  // (FusionPlan::filledBy) to its own.
  void computeToBuffer(const Op &op, const Buffer &buffer);
  // `mayStream`: use non-temporal stores if the matrix turns out to be large.
  void toTile(Value *value, const Value *tile, bool mayStream = false);
  // Combines the operand of a reduction into the buffer of its result. Either the result has fewer rows, each of which is
  // initialised with the identity and combines some adjacent rows of the operand, or the result has one column. The value that
  // the reduction fills is also written to its own buffer. The loop must have no other sinks.
  void reduce(const Op &reduction, OpKind kind);
  // Writes the result of a nest to its buffer.
  void nestToBuffer(Value *value, const Buffer &buffer);
  // All values of a chunk are evaluated before the first of them is written.
  void emit();

  // For the loop around a nest's sums: call prepare() once, then emitPart() for the rows and columns of each part. Sum [r, c]
  // is c elements after `sums` + r * `pitch` (bytes). The columns of a part begin at a multiple of the register width.
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
  void addNodes(const std::vector<Value *> &values, const Value *root, const Value *filled = nullptr);
  void addFilled(Value *filled);
  int lanesOfAll() const;
  void prepareNode(LoopNode &node);
  LlvmValue *rowsToCompute(int64_t rows);
  void enterRow(LlvmValue *row);
  void emitChunk(LlvmValue *column);
  void evaluateAll(LlvmValue *column);
  LlvmValue *evaluate(const LoopNode &node, LlvmValue *column);
  LlvmValue *operand(const Op &op, size_t i);
  void put(const LoopSink &sink, LlvmValue *value, LlvmValue *column);
  void fillWithIdentity(const LoopSink &sink);
  void reduceRows(int64_t rows, int64_t columns);

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  LoopRegisters registers_;
  GeneratedValues generated_;
  std::vector<LoopNode> nodes_;
  std::vector<LoopSink> sinks_;
  std::unordered_map<const Value *, LlvmValue *> chunk_; // the values of the current chunk
  LlvmValue *sums_ = nullptr, *sumsPitch_ = nullptr; // `sums` and `pitch` of the current part
  std::optional<OpKind> acrossColumns_; // if set, the first sink is a reduction of whole rows by this op
};

} // namespace xt
