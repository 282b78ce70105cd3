#include "targets/llvm/lane/lane_module.h"

#include "ir/async_copies.h"
#include "ir/base/text.h"
#include "ir/gpu/code_size.h"

#include <cctype>

namespace xt {

std::string entryName(const Kernel &kernel, const llvm::Module &module) {
  std::string name;
  for (char c : kernel.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  if (name.empty() || name[0] == '_' || std::isdigit(static_cast<unsigned char>(name[0]))) name = "k" + name;
  std::string unique = name;
  for (int n = 2; module.getFunction(unique); ++n) unique = str(name, "_", n);
  return unique;
}

Result<void> checkLaneForm(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics) {
  if (kernel.scope != Scope::Lane)
    return Error::environment(
        str("kernel `@", kernel.name, "` is not at lane scope: run the passes of ", target.name, " first"));
  if (const Op *op = firstAsyncOp(kernel.body); op && target.asyncCopyBytes.empty())
    return Error::environment(
        str("`", op->info().name, "` in @", kernel.name, " is asynchronous: first run the pass expand-async-copies"));
  if (!codeFits(kernel, diagnostics)) return Error::diagnosed();
  return {};
}

} // namespace xt
