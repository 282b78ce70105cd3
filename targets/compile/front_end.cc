#include "targets/compile/front_end.h"

#include "ir/infer/movement_remarks.h"
#include "ir/verify/verify.h"

#include <optional>

namespace xt {

Result<std::unique_ptr<Module>> loadModule(SourceManager &sources, uint32_t index, Context &context,
                                           const LowerOptions &options, Diagnostics &diagnostics, const StepTiming &timing) {
  std::optional<Result<std::unique_ptr<Module>>> module;
  timing("parse, check and lower", timed([&] { module = lowerFile(sources, index, context, options, diagnostics); }));
  if (!*module) return module->error();
  Result<void> verified;
  timing("verify", timed([&] { verified = verify(***module, diagnostics); }));
  if (!verified) return verified.error();
  if (diagnostics.wantsRemarks())
    for (const auto &kernel : (**module)->kernels) remarkMovements(*kernel, context, (**module)->aliases, diagnostics);
  return std::move(*module);
}

} // namespace xt
