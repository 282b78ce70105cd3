// Floats that AMX multiplies as sums of bf16 (float_slices.h). Rows of a and panels of b hold 16 words of the first slice of 32
// elements of K, then those of the second slice of the same elements, and so on.
//
// Elements are read from memory, and words are multiplied: a step of K is a word of each slice, made of two elements.
#pragma once
#include "targets/cpu/products/nest_context.h"
#include "targets/cpu/products/tile_microkernel.h"

namespace xt {

class NestSlices {
public:
  explicit NestSlices(NestContext &context) : n(context), p(context.problem), b(context.b), e_(context.e) {}

  static constexpr int64_t kUnslicedBytes = 2048; // of a row of a
  // The key of the floats seen so far is in memory, in the last row of the cells.
  void forgetKey();
  void addToKey(const LlvmValues &floats);
  LlvmValue *knownKey();
  // Slices and stores elements of a row of a, from element `k` of the block on.
  void stageSlices(LlvmValue *line, LlvmValue *k, LlvmValue *floats);
  // Rebuilds the floats of `rows` rows of a, and stores them kUnslicedBytes apart.
  void unsliceRows(LlvmValue *first, LlvmValue *rows, LlvmValue *depth, LlvmValue *to);
  // Multiplies, as floats, operands that have no slices or whose products AMX would flush to 0. The sums start at `start`. The
  // floats of both operands are rebuilt for each tile, in memory behind the packed panels.
  void multiplyUnsliced(const TileMicrokernel::Operands &operands, LlvmValue *rows, LlvmValue *start);

private:
  LlvmValue *keyAddress() { return byteOffset(b, n.addressOf(kNestCells), n.number(kNestKeyRow * kNestPanelBytes)); }
  std::pair<LlvmValue *, LlvmValue *> floatsAt(LlvmValue *address, int64_t sliceStep);
  void unslicePanel(LlvmValue *first, LlvmValue *depth, LlvmValue *to);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
};

} // namespace xt
