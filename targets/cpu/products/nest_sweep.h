// Emits products of few rows of `a`: whole rows of `b` are read in place, eight at a time, and the products are added to sums
// in a near cache. Memory bandwidth is the limit, and the hardware prefetches whole rows best.
#pragma once
#include "targets/cpu/products/nest_slices.h"

namespace xt {

class NestSweep {
public:
  NestSweep(NestContext &context, NestSlices &slices)
      : n(context), p(context.problem), b(context.b), e_(context.e), slices_(slices) {}
  void sweep(const NestBlock &block);

private:
  static constexpr int64_t kSweptRows = 8; // rows of `b` at once
  void sweepRows(const NestBlock &block, LlvmValue *k, int64_t count, std::pair<LlvmValue *, LlvmValue *> columns,
                 llvm::function_ref<LlvmValue *(int64_t i, LlvmValue *column)> load);
  LlvmValues sweptFactors(const NestBlock &block, LlvmValue *row, LlvmValue *k, int64_t count);
  LlvmValue *sumsAt(LlvmValue *row, LlvmValue *column) {
    return byteOffset(b, n.rowOf(kNestSums, row), b.CreateMul(column, n.number(p.bytes())));
  }

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  NestSlices &slices_;
};

} // namespace xt
