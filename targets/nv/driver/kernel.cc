#include "targets/nv/driver/kernel.h"

#include "ir/base/text.h"

namespace xt {

Result<std::unique_ptr<CuKernel>> CuKernel::make(CuDevice &device, std::shared_ptr<CuModule> module, const GpuKernel &code) {
  const CuFunctions &cu = device.functions();
  std::unique_ptr<CuKernel> made(new CuKernel);
  made->module_ = std::move(module);
  made->entry_ = code.entry;
  made->lanes_ = static_cast<unsigned>(code.subgroups * code.subgroupSize);
  made->givenSlmBytes_ = static_cast<unsigned>(code.givenSlmBytes);
  auto check = [&](std::string_view what, CuResult result) { return device.check(str(what, " of ", code.entry), result); };
  auto found = check("cuModuleGetFunction", cu.cuModuleGetFunction(&made->function_, made->module_->get(), code.entry.c_str()));
  if (!found) return found.error();
  if (made->givenSlmBytes_ > 0) {
    auto asked = check(str("cuFuncSetAttribute for ", code.givenSlmBytes, " bytes of shared memory"),
                       cu.cuFuncSetAttribute(made->function_, kCuMostGivenShared, static_cast<int>(code.givenSlmBytes)));
    if (!asked) return asked.error();
  }
  int local = 0, registers = 0, workgroups = 0;
  for (auto [attribute, value] : {std::pair(kCuLocalBytes, &local), std::pair(kCuRegisters, &registers)}) {
    auto told = check("cuFuncGetAttribute", cu.cuFuncGetAttribute(value, attribute, made->function_));
    if (!told) return told.error();
  }
  made->localBytes_ = local;
  auto told = check("cuOccupancyMaxActiveBlocksPerMultiprocessor",
                    cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&workgroups, made->function_, static_cast<int>(made->lanes_),
                                                                   made->givenSlmBytes_));
  if (!told) return told.error();
  made->occupancyText_ = str(registers, " registers; ", workgroups, workgroups == 1 ? " workgroup runs" : " workgroups run",
                             " on each of ", device.info().multiprocessors, " multiprocessors at the same time");
  return made;
}

Result<void> CuKernel::setArgument(uint32_t index, const GpuArgument &argument) {
  if (arguments_.size() <= index) arguments_.resize(index + 1);
  arguments_[index] = argument;
  return {};
}

std::vector<void *> CuKernel::argumentAddresses() {
  std::vector<void *> addresses;
  for (GpuArgument &argument : arguments_) addresses.push_back(&argument.bits); // the value is in the low bytes
  return addresses;
}

} // namespace xt
