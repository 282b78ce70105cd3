#include "targets/cpu/products/product_emitter.h"

#include "targets/cpu/products/nest_emitter.h"

namespace xt {

void CpuProducts::divide(KernelOutput &output) {
  const int64_t parts = NestSharing::mostParts(e_.context.kernel, e_.context.fusion, e_.context.cpu);
  if (parts == 0) return;
  output.divides = true;
  output.mostParts = parts;
  output.partsAreCheap = NestSharing::partsAreCheap(e_.context.kernel, e_.context.fusion, e_.context.cpu);
}

void CpuProducts::emitNest(const Op &nest, const Op *store) {
  NestEmitter emitter(e_, nest, panels_);
  if (store)
    emitter.toTile(*store);
  else
    emitter.toBuffer();
}

std::unique_ptr<ProductEmitter> makeProductEmitter(KernelEmitter &emitter) { return std::make_unique<CpuProducts>(emitter); }

} // namespace xt
