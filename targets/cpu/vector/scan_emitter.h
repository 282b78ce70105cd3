// Emits scans (cumulative sums and the like) as loops over the registers of a row, or over the rows of a register.
#pragma once
#include "targets/cpu/vector/kernel_context.h"

namespace xt {

class KernelEmitter;

class ScanEmitter {
public:
  ScanEmitter(KernelEmitter &emitter, KernelContext &context, const Op &op);
  void emit();

private:
  LlvmValue *combine(LlvmValue *x, LlvmValue *y) { return c_.ops.combine(kind_, elem_, x, y); }
  LlvmValue *load(LlvmValue *row, LlvmValue *column, int lanes);
  void store(LlvmValue *row, LlvmValue *column, LlvmValue *value);
  LlvmValue *shifted(LlvmValue *chunk, int by, LlvmValue *filler);
  void scanRow(LlvmValue *row);
  LlvmValue *scanChunk(LlvmValue *row, LlvmValue *column, LlvmValue *before);
  void scanColumns(LlvmValue *column, int lanes);
  LlvmValue *scanElement(LlvmValue *row, LlvmValue *column, LlvmValue *before, int lanes);
  void inOrder(int64_t first, int64_t end, int64_t step, LlvmValue *&carried,
               llvm::function_ref<LlvmValue *(LlvmValue *, LlvmValue *)> body);

  KernelEmitter &k_;
  KernelContext &c_;
  llvm::IRBuilder<> &b;
  const Op &op_;
  OpKind kind_;
  Elem elem_;
  bool exclusive_, reverse_;
  int lanes_;
  const Buffer *from_ = nullptr, *to_ = nullptr;
};

} // namespace xt
