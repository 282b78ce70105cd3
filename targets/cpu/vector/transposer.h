// Emits transposes: squares of as many rows as a register has lanes are transposed in registers.
#pragma once
#include "targets/cpu/vector/tile_memory.h"

namespace xt {

class KernelEmitter;

class Transposer {
public:
  Transposer(KernelEmitter &emitter, KernelContext &context) : k_(emitter), c_(context), b(context.b), ops_(context.ops) {}

  void emitTranspose(const Op &op);
  void emitTransposedLoad(const Op &op);
  struct Run {
    LlvmValue *first;
    int64_t count;
  };
  LlvmValue *areInside(const TileAccess &access, Run rows, Run columns); // whether all of them are in bounds
  // Loads the rows of a square that is in bounds, in storage form. Its columns must be adjacent in memory.
  LlvmValues insideSquare(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes);
  static constexpr int kSquareLines = 16;
  // Returns the registers line(0) to line(count - 1), of storage type `type`, followed by arbitrary ones up to the number of
  // elements of a line.
  LlvmValues squareOf(llvm::Type *type, LlvmValue *count, llvm::function_ref<LlvmValue *(LlvmValue *i)> line);
  static TileAccess transposed(TileAccess access);

private:
  void emitPermutation(const Op &op, const std::vector<int64_t> &permutation, const Buffer &from, const Buffer &to);
  void transposeInto(const Buffer &to, llvm::function_ref<LlvmValues(LlvmValue *row, LlvmValue *column, int lanes)> square);
  // Loads the rows of a square that may be partly out of bounds.
  LlvmValues squareAtEdge(const TileAccess &access, LlvmValue *row, LlvmValue *column, int lanes);
  LlvmValue *squareSlot(); // kSquareLines registers on the stack

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  RegisterOps &ops_;
  LlvmValue *square_ = nullptr;
};

} // namespace xt
