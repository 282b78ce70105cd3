// Reads elements or words of `a` and `b`: adjacent elements of one row, words whose elements are in different rows, and squares
// that are transposed.
#pragma once
#include "targets/cpu/products/nest_context.h"

namespace xt {

class NestReader {
public:
  explicit NestReader(NestContext &context) : n(context), p(context.problem), b(context.b), e_(context.e) {}

  // Loads a register of words of one row, from `step` on.
  LlvmValue *wordsAlong(const TileAccess &from, const RowAccess &row, LlvmValue *step);
  LlvmValue *asWords(Elem from, LlvmValue *chunk);
  // Converts elements to stagedElem, both in storage form.
  LlvmValue *inStaged(Elem from, LlvmValue *chunk);
  // Returns the rows of a step. Rows that are known to be in bounds (`inside`) have only an address.
  std::vector<RowAccess> rowsOf(const TileAccess &from, LlvmValue *step, bool inside);
  // Adds 128 to signed bytes, which makes them unsigned, or subtracts 128 from unsigned bytes, which makes them signed.
  LlvmValue *moved(LlvmValue *words);
  LlvmValue *movedRight(LlvmValue *words) { return p.movesRight ? moved(words) : words; }
  // Transposes a window of a transposed operand in squares of registers. Rows and columns are those in memory, so K runs down
  // the rows of `a` and along the rows of `b`. `put` receives each transposed square as registers: register i holds column
  // `column` + i of the window, from row `row` on (both are relative to the window).
  void stageTransposed(bool ofLeft, LlvmValue *row, LlvmValue *rows, LlvmValue *column, LlvmValue *columns,
                       llvm::function_ref<void(const LlvmValues &lines, LlvmValue *column, LlvmValue *row)> put);

private:
  LlvmValue *wordsAcross(const TileAccess &from, LlvmValue *step, LlvmValue *column, bool inside);
  LlvmValues squareAt(bool ofLeft, LlvmValue *row, LlvmValue *column);

  NestContext &n;
  const NestProblem &p;
  llvm::IRBuilder<> &b;
  KernelEmitter &e_;
};

} // namespace xt
