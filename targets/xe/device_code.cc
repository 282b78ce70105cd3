#include "targets/xe/device_code.h"

#include "ir/base/text.h"

namespace xt {
namespace {

void remarkOn(const Module &module, const GpuDevice &device, const DriverAnswer &answer, Diagnostics *remarks) {
  if (!remarks || !remarks->wantsRemarks() || module.kernels.empty()) return;
  std::string text = answer.taken
                         ? str("block messages in loops keep their addresses in registers, through inline assembly that ",
                               device.info().name, " takes: ", answer.why)
                         : str("block messages in loops get their addresses anew each time, as ", device.info().name,
                               " takes no inline assembly: ", answer.why);
  remarks->report(DiagCode::DeviceRemark, module.kernels.front()->nameRange, std::move(text));
}

} // namespace

Result<DriverAnswer> inlineAssemblyOf(GpuDevice &device) {
  std::lock_guard lock(device.busy);
  return device.inlineAssembly();
}

Result<GpuCode> compileForDevice(const Module &module, const TargetInfo &target, XeEmitOptions options, GpuDevice &device,
                                 Diagnostics &diagnostics, Diagnostics *remarks) {
  if (options.extensions != SpirvExtensions::Auto) return compileToSpirv(module, target, options, diagnostics);
  options.extensions = target.blocks.any() && options.blockMessages ? SpirvExtensions::InlineAssembly : SpirvExtensions::None;
  Result<GpuCode> code = compileToSpirv(module, target, options, diagnostics);
  if (!code || !code->inlineAssembly) return code;
  Result<DriverAnswer> answer = inlineAssemblyOf(device);
  if (!answer) return answer.error();
  remarkOn(module, device, *answer, remarks);
  if (answer->taken) return code;
  options.extensions = SpirvExtensions::None;
  Diagnostics repeated; // the first compilation has reported these
  repeated.wantRemarks(false);
  return compileToSpirv(module, target, options, repeated);
}

} // namespace xt
