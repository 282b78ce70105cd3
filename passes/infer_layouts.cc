#include "passes/infer_layouts.h"

#include "ir/infer/layout_inference.h"

namespace xt {

Result<void> inferLayouts(Module &module, Diagnostics &diagnostics) {
  bool ok = true; // continues after an error, so that the errors of every kernel are reported
  WrittenLayouts written;
  written.aliases = module.aliases;
  for (const auto &kernel : module.kernels) ok &= inferLayouts(*kernel, module.context(), written, diagnostics);
  if (!ok) return Error::diagnosed();
  return {};
}

} // namespace xt
