// Copies rows of `a` that cannot be read in place to scratch memory. Also computes what products need to know about the rows of
// `a`: the least magnitude of bf16, the key of sliced floats, or corrections for bytes.
#pragma once
#include "targets/cpu/products/nest_reader.h"
#include "targets/cpu/products/nest_slices.h"
#include "targets/cpu/products/words.h"

namespace xt {

class LeftStager {
public:
  LeftStager(NestContext &context, NestReader &reader, NestSlices &slices)
      : n(context), p(context.problem), b(context.b), e_(context.e), reader_(reader), slices_(slices) {}

  // Stages the rows of a block unless they are read in place. Sets NestBlock::least and writes kNestRowSums where products need
  // them.
  void prepare(NestBlock &block);

private:
  void stageLeft(const NestBlock &block);
  RowAccess rowOf(const TileAccess &from, LlvmValue *row);
  LlvmValue *toLaterRow(const TileAccess &from, const RowAccess &access, LlvmValue *row);
  LlvmValue *stageWhole(const TileAccess &from, const RowAccess &row, LlvmValue *line, LlvmValue *first, LlvmValue *depth);
  void stageRow(LlvmValue *line, LlvmValue *k, LlvmValue *value);
  void fillLastWord(const NestBlock &block);
  WordMatrix wordsOf(const NestBlock &block);
  void sumLeftRows(const NestBlock &block);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
  NestReader &reader_;
  NestSlices &slices_;
};

} // namespace xt
