#include "targets/xe/level_zero/module.h"

#include "ir/base/text.h"

#include <cstring>

namespace xt {
namespace {

// The text of a build log, without trailing line breaks; "" if the driver has none.
std::string logText(const ZeFunctions &ze, ze_module_build_log_handle_t log) {
  size_t bytes = 0;
  if (ze.zeModuleBuildLogGetString(log, &bytes, nullptr) != ZE_RESULT_SUCCESS || bytes == 0) return "";
  std::string text(bytes, '\0');
  if (ze.zeModuleBuildLogGetString(log, &bytes, text.data()) != ZE_RESULT_SUCCESS) return "";
  text.resize(strnlen(text.data(), text.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

} // namespace

Result<std::shared_ptr<ZeModule>> ZeModule::build(ZeDevice &device, std::span<const uint8_t> spirv, const std::string &options,
                                                  bool *refused) {
  const ZeFunctions &ze = device.functions();
  ze_module_desc_t desc{};
  desc.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  desc.format = ZE_MODULE_FORMAT_IL_SPIRV;
  desc.inputSize = spirv.size();
  desc.pInputModule = spirv.data();
  desc.pBuildFlags = options.c_str();
  auto made = std::make_shared<ZeModule>();
  ze_module_handle_t handle = nullptr;
  ze_module_build_log_handle_t logHandle = nullptr;
  ze_result_t result = ze.zeModuleCreate(device.context(), device.info().device, &desc, &handle, &logHandle);
  bool failed = result != ZE_RESULT_SUCCESS;
  if (refused) *refused = result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE || result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  if (failed && device.info().wrapped) {
    made->log_ = device.info().software ? device.toldFailure()
                                        : "several drivers are loaded; with --device=gpu the build log can be read";
    logHandle = nullptr;
  }
  ZeHandle<ze_module_build_log_handle_t> log(logHandle, ze.zeModuleBuildLogDestroy);
  if (log) made->log_ = logText(ze, log.get());
  if (failed) {
    Error error = zeError(str("zeModuleCreate on ", device.info().name), result);
    if (!made->log_.empty()) error.message += str("\n", made->log_);
    return error;
  }
  made->module_ = {handle, ze.zeModuleDestroy};
  return made;
}

Result<ZeKernel> ZeKernel::make(ZeDevice &device, std::shared_ptr<ZeModule> module, const std::string &entry) {
  ZeKernel made;
  made.ze_ = &device.functions();
  made.module_ = std::move(module);
  ze_kernel_desc_t desc{};
  desc.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
  desc.pKernelName = entry.c_str();
  ze_kernel_handle_t handle = nullptr;
  if (ze_result_t r = made.ze_->zeKernelCreate(made.module_->get(), &desc, &handle); r != ZE_RESULT_SUCCESS)
    return zeError(str("zeKernelCreate of ", entry), r);
  made.kernel_ = {handle, made.ze_->zeKernelDestroy};
  ze_kernel_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
  if (ze_result_t r = made.ze_->zeKernelGetProperties(handle, &properties); r != ZE_RESULT_SUCCESS)
    return zeError(str("zeKernelGetProperties of ", entry), r);
  made.spillBytes_ = properties.spillMemSize;
  made.subgroupSize_ = properties.requiredSubgroupSize;
  return made;
}

Result<void> ZeKernel::setLanes(uint32_t lanes) {
  if (ze_result_t r = ze_->zeKernelSetGroupSize(get(), lanes, 1, 1); r != ZE_RESULT_SUCCESS)
    return zeError(str("zeKernelSetGroupSize to ", lanes), r);
  return {};
}

Result<void> ZeKernel::setArgument(uint32_t index, const GpuArgument &argument) {
  if (ze_result_t r = ze_->zeKernelSetArgumentValue(get(), index, argument.bytes, &argument.bits); r != ZE_RESULT_SUCCESS)
    return zeError(str("zeKernelSetArgumentValue of argument ", index), r);
  return {};
}

} // namespace xt
