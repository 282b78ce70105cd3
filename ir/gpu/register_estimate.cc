#include "ir/gpu/register_estimate.h"

#include "ir/base/text.h"
#include "ir/gpu/register_pressure.h"

namespace xt {

std::string registerEstimate(const Module &module, const TargetInfo &target) {
  if (target.registerFile.empty() || target.registerBytes == 0 || target.anyDevice) return "";
  std::string text;
  for (const auto &kernel : module.kernels) {
    int64_t needed = registersAtOnce(kernel->body, kernel->lanes, target);
    int64_t most = registersOfThread(target, kernel->subgroups);
    text += str("@", kernel->name, ": vectors need ", needed, " registers at one time; a thread has ", most,
                needed > most ? ", so that some may be spilled to memory" : "", "\n");
  }
  return text;
}

} // namespace xt
