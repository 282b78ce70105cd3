// Emits ops that multiply matrices.
#pragma once
#include "targets/cpu/products/mma_emitter.h"

namespace xt {

class CpuProducts final : public ProductEmitter {
public:
  explicit CpuProducts(KernelEmitter &emitter) : e_(emitter), panels_(emitter) {}
  void divide(KernelOutput &output) override;
  void emitNest(const Op &nest, const Op *store) override;
  void emitMma(const Op &mma) override { MmaEmitter(e_, panels_).emit(mma); }

private:
  KernelEmitter &e_;
  SharedPanels panels_;
};

std::unique_ptr<ProductEmitter> makeProductEmitter(KernelEmitter &emitter);

} // namespace xt
