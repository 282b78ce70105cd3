#include "ir/gpu/register_estimate.h"

#include "ir/base/text.h"
#include "ir/gpu/register_pressure.h"
#include "ir/op_kinds.h"

namespace xt {
namespace {

// Registers that a compiler needs beside the vectors of a kernel whose products take operands that no 2D block message loads:
// for addresses, bounds checks, and operands that are put together from what branches load. Measured on DG2
// (targets/xe/isa/README.md).
constexpr int64_t kBesideProducts = 44;

int64_t besideVectors(const Kernel &kernel, const TargetInfo &target) {
  bool multiplies = false;
  walk(kernel.body, [&](const Op &op) { multiplies |= op.info().typeRule == TypeRule::Dpas; });
  return multiplies && !target.blocks.any() ? kBesideProducts : 0;
}

} // namespace

std::string registerEstimate(const Module &module, const TargetInfo &target, Diagnostics &diagnostics) {
  if (target.registerFile.empty() || target.registerBytes == 0 || target.anyDevice) return "";
  std::string text;
  const bool remarks = diagnostics.wantsRemarks();
  diagnostics.wantRemarks(true);
  for (const auto &kernel : module.kernels) {
    const int64_t needed = registersAtOnce(kernel->body, kernel->lanes, target),
                  most = registersOfThread(target, kernel->subgroups), others = besideVectors(*kernel, target);
    const bool spills = needed + others > most;
    text += str("@", kernel->name, ": vectors need ", needed, " registers at one time; a thread has ", most,
                spills ? ", so that some may be spilled to memory" : "", "\n");
    if (!spills) continue;
    Diagnostic &warning =
        diagnostics.report(DiagCode::DeviceRemark, kernel->nameRange,
                           str("`@", kernel->name, "` is likely to spill registers to memory: its vectors need ", needed,
                               " registers at one time, ", others > 0 ? str("loads of operands about ", others, " more, ") : "",
                               "and a thread has ", most));
    warning.severity = Severity::Warning; // the user has requested a report; elsewhere this diagnostic is a remark
    warning.note("use smaller tiles per subgroup (`sg_data`), or more subgroups");
  }
  diagnostics.wantRemarks(remarks);
  return text;
}

} // namespace xt
