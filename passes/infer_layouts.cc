#include "passes/infer_layouts.h"

#include "ir/infer/layout_inference.h"

namespace xt {

Result<void> inferLayouts(Module &module, Diagnostics &diagnostics) {
  bool ok = true; // all kernels, so that each shows its mistakes
  WrittenLayouts written;
  written.aliases = module.aliases;
  for (const auto &kernel : module.kernels) ok &= inferLayouts(*kernel, module.context(), written, diagnostics);
  if (!ok) return Error::diagnosed();
  return {};
}

} // namespace xt
