// Emits `tile_mma`: its operands, which are read in place or staged in scratch memory, and the loop nest around its microkernel
// (mma_nest.h).
//
// For bf16, if the processor multiplies pairs, pairs of rows of `b` are interleaved first (words.h).
#pragma once
#include "targets/cpu/products/mma_nest.h"
#include "targets/cpu/products/shared_panels.h"

namespace xt {

class MmaEmitter {
public:
  MmaEmitter(KernelEmitter &emitter, SharedPanels &panels) : e_(emitter), b(emitter.context.b), panels_(panels) {}
  void emit(const Op &op);

private:
  MmaMatrix matrixOf(const Buffer &buffer) {
    return {buffer.shape, e_.context.bufferAddress(buffer), e_.context.pitchOf(buffer)};
  }
  MmaMatrix operandOf(const Op &op, size_t i);
  MmaRight prepareRight(const Op &mma);
  MmaRight sharedRight(const Op &mma); // only the first workgroup that needs this block prepares it
  const Buffer *preparedBuffer(const Op &mma); // the buffer that prepareRight fills
  // Prefetches the rows of the tile that is access.ahead bytes ahead.
  void prefetchAhead(const TileAccess &access, int64_t rows, int64_t rowBytes);
  void multiplyInTiles(const Op &op, const MmaMatrix &left, const MmaMatrix &right, const MmaMatrix &sum);
  LlvmValue *number(int64_t value) { return e_.context.number(value); }

  KernelEmitter &e_;
  llvm::IRBuilder<> &b;
  SharedPanels &panels_;
};

} // namespace xt
