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
  NestEmitter emitter(e_, nest, panels_, nestCall());
  if (store)
    emitter.toTile(*store);
  else
    emitter.toBuffer();
}

LlvmValue *CpuProducts::nestCall() {
  if (nestCall_) return nestCall_;
  llvm::BasicBlock &entry = e_.context.b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  auto *call = top.CreateAlloca(llvm::ArrayType::get(e_.context.b.getInt64Ty(), sizeof(NestCall) / sizeof(int64_t)));
  call->setAlignment(llvm::Align(kCacheLine));
  LlvmValue *planned = byteOffset(top, call, e_.context.b.getInt64(offsetof(NestCall, planned) + offsetof(NestSizes, rules)));
  top.CreateAlignedStore(e_.context.b.getInt64(0), planned, llvm::Align(8));
  return nestCall_ = call;
}

std::unique_ptr<ProductEmitter> makeProductEmitter(KernelEmitter &emitter) { return std::make_unique<CpuProducts>(emitter); }

} // namespace xt
