#include "passes/infer_layouts.h"

#include "ir/infer/layout_inference.h"

namespace xt {

Result<void> inferLayouts(Module &module, Diagnostics &diagnostics) {
  bool ok = true; // all kernels, so that each shows its mistakes
  for (const auto &kernel : module.kernels) ok &= inferLayouts(*kernel, module.context(), {}, diagnostics);
  if (!ok) return Error::diagnosed();
  return {};
}

} // namespace xt
