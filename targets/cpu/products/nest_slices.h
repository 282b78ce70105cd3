// Handles floats that AMX multiplies as sums of bf16 (float_slices.h). For each 32 elements of K, rows of `a` and panels of `b`
// hold the 16 words of the first slice of these elements, then the 16 words of their second slice, and so on.
//
// Elements are read from memory, and words are multiplied: a step of K is a word of each slice, made of two elements.
#pragma once
#include "targets/cpu/products/nest_context.h"
#include "targets/cpu/products/tile_microkernel.h"

namespace xt {

class NestSlices {
public:
  explicit NestSlices(NestContext &context) : n(context), p(context.problem), b(context.b), e_(context.e) {}

  static constexpr int64_t kUnslicedBytes = 2048; // bytes of a row of `a` that was rebuilt as floats
  // The least key of the floats seen so far is in memory, in the last row of the cells (kNestKeyRow).
  void forgetKey();
  void addToKey(const LlvmValues &floats);
  LlvmValue *knownKey();
  // Slices and stores elements of a row of `a`, from element `k` of the block on.
  void stageSlices(LlvmValue *line, LlvmValue *k, LlvmValue *floats);
  // Rebuilds the floats of `rows` rows of `a`, and stores them kUnslicedBytes apart.
  void unsliceRows(LlvmValue *first, LlvmValue *rows, LlvmValue *depth, LlvmValue *to);
  // Multiplies operands as floats, if they have no slices or if AMX would flush their products to 0. The sums start at `start`.
  // The floats of both operands are rebuilt for each tile, in memory after the packed panels.
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
