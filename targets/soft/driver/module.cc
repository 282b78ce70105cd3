// Modules, build logs and kernels.
#include "targets/soft/driver/checked.h"
#include "targets/soft/driver/objects.h"
#include "targets/soft/driver/report.h"
#include "targets/soft/driver/tables.h"

#include "ir/base/text.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <sstream>

namespace xt::soft {
namespace {

// Returns a text to a host that first queries its size, including the terminating zero.
ze_result_t giveText(const std::string &text, size_t *size, char *out) {
  size_t whole = text.size() + 1;
  if (out) std::memcpy(out, text.c_str(), std::min(*size ? *size : whole, whole));
  *size = whole;
  return ZE_RESULT_SUCCESS;
}

// Flags are words separated by blanks; unknown ones have no effect.
bool hasFlag(const char *flags, std::string_view wanted) {
  std::istringstream words(flags ? flags : "");
  return std::find(std::istream_iterator<std::string>(words), {}, wanted) != std::istream_iterator<std::string>();
}

ze_result_t createModule(ze_context_handle_t, ze_device_handle_t device, const ze_module_desc_t *desc,
                         ze_module_handle_t *module, ze_module_build_log_handle_t *log) {
  if (!desc->pInputModule) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (static_cast<uint32_t>(desc->format) > ZE_MODULE_FORMAT_NATIVE) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  if (!desc->inputSize || desc->inputSize > kMostModuleBytes) return ZE_RESULT_ERROR_INVALID_SIZE;
  std::string text;
  ze_result_t result = ZE_RESULT_SUCCESS;
  if (desc->format != ZE_MODULE_FORMAT_IL_SPIRV) {
    text = "the software device accepts only SPIR-V, no native binaries";
    result = ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
  } else if (desc->pConstants && desc->pConstants->numConstants) {
    text = "the software device does not support specialisation constants";
    result = ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  } else {
    Result<std::unique_ptr<Program>> built = Program::build(std::span(desc->pInputModule, desc->inputSize), *object(device),
                                                            !hasFlag(desc->pBuildFlags, "-ze-opt-disable"));
    if (built) {
      *module = reinterpret_cast<ze_module_handle_t>(new Module{std::move(*built), object(device)});
    } else {
      text = built.error().message;
      bool lacking = built.error().kind == Error::Kind::Environment;
      result = lacking ? ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE : ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
  }
  if (log) *log = reinterpret_cast<ze_module_build_log_handle_t>(new BuildLog{text});
  if (result != ZE_RESULT_SUCCESS) report(text);
  return result;
}

ze_result_t destroyModule(ze_module_handle_t module) {
  delete object(module);
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernelNames(ze_module_handle_t module, uint32_t *count, const char **names) {
  std::span<const LoweredKernel> kernels = object(module)->program->kernels();
  auto all = static_cast<uint32_t>(kernels.size());
  for (uint32_t i = 0; names && i < std::min(*count, all); ++i) names[i] = kernels[i].name.c_str();
  *count = names && *count ? std::min(*count, all) : all;
  return ZE_RESULT_SUCCESS;
}

ze_result_t moduleProperties(ze_module_handle_t, ze_module_properties_t *properties) {
  properties->flags = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t linkModules(uint32_t count, ze_module_handle_t *modules, ze_module_build_log_handle_t *log) {
  for (uint32_t i = 0; i < count; ++i)
    if (!modules[i]) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (log) *log = reinterpret_cast<ze_module_build_log_handle_t>(new BuildLog); // no module has unresolved imports
  return ZE_RESULT_SUCCESS;
}

ze_result_t logText(ze_module_build_log_handle_t log, size_t *size, char *out) {
  return giveText(object(log)->text, size, out);
}

ze_result_t destroyLog(ze_module_build_log_handle_t log) {
  delete object(log);
  return ZE_RESULT_SUCCESS;
}

ze_result_t createKernel(ze_module_handle_t module, const ze_kernel_desc_t *desc, ze_kernel_handle_t *kernel) {
  if (!desc->pKernelName) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  XT_ZE_CHECK(checkFlags(desc->flags, kKernelFlags));
  const LoweredKernel *found = object(module)->program->find(desc->pKernelName);
  if (!found) return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  auto *made = new Kernel{object(module)->program, object(module)->device, {}, {1, 1, 1}, 0};
  made->request.kernel = found;
  made->request.arguments.resize(found->arguments.size());
  made->request.localBytes.resize(found->arguments.size());
  *kernel = reinterpret_cast<ze_kernel_handle_t>(made);
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroyKernel(ze_kernel_handle_t kernel) {
  delete object(kernel);
  return ZE_RESULT_SUCCESS;
}

ze_result_t setGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
  LaunchRequest trial = object(kernel)->request;
  trial.groupSize = {x, y, z};
  const LoweredKernel &lowered = *trial.kernel;
  bool fits = x && y && z && uint64_t{x} * y * z <= static_cast<uint64_t>(object(kernel)->device->target->lanesPerWorkgroup);
  for (size_t d = 0; d < 3; ++d) fits &= !lowered.requiredGroupSize[d] || lowered.requiredGroupSize[d] == trial.groupSize[d];
  if (!fits) return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  object(kernel)->request.groupSize = trial.groupSize;
  return ZE_RESULT_SUCCESS;
}

// Suggests the largest power of two that divides the first dimension, at most a quarter of the largest workgroup, and 1 for
// the others. Sizes that the kernel requires replace these.
ze_result_t suggestGroupSize(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z, uint32_t *sizeX, uint32_t *sizeY,
                             uint32_t *sizeZ) {
  if (!x || !y || !z) return ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION;
  const LoweredKernel &lowered = *object(kernel)->request.kernel;
  *sizeX = *sizeY = *sizeZ = 1;
  for (uint32_t size = 1; size <= object(kernel)->device->target->lanesPerWorkgroup / 4; size *= 2)
    if (x % size == 0) *sizeX = size;
  if (lowered.requiredGroupSize[0]) *sizeX = lowered.requiredGroupSize[0];
  if (lowered.requiredGroupSize[1]) *sizeY = lowered.requiredGroupSize[1];
  if (lowered.requiredGroupSize[2]) *sizeZ = lowered.requiredGroupSize[2];
  return ZE_RESULT_SUCCESS;
}

ze_result_t suggestCooperative(ze_kernel_handle_t, uint32_t *count) {
  *count = 1; // only one, because workgroups are not guaranteed to run at the same time
  return ZE_RESULT_SUCCESS;
}

ze_result_t setArgument(ze_kernel_handle_t kernel, uint32_t index, size_t size, const void *value) {
  LaunchRequest &request = object(kernel)->request;
  if (index >= request.kernel->arguments.size()) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX;
  const KernelArgument &argument = request.kernel->arguments[index];
  if (argument.isLocal) {
    if (value) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (!size || size > static_cast<size_t>(object(kernel)->device->target->slmBytes))
      return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
    request.localBytes[index] = size;
    return ZE_RESULT_SUCCESS;
  }
  if (size != argument.bytes) return ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE;
  std::vector<std::byte> &bytes = request.arguments[index];
  bytes.assign(size, std::byte{0}); // if there is no value, the argument is a null pointer
  if (value) std::memcpy(bytes.data(), value, size);
  return ZE_RESULT_SUCCESS;
}

ze_result_t setIndirect(ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t flags) {
  XT_ZE_CHECK(checkFlags(flags, kIndirectFlags));
  object(kernel)->indirect = flags;
  return ZE_RESULT_SUCCESS;
}

ze_result_t getIndirect(ze_kernel_handle_t kernel, ze_kernel_indirect_access_flags_t *flags) {
  *flags = object(kernel)->indirect;
  return ZE_RESULT_SUCCESS;
}

ze_result_t setCache(ze_kernel_handle_t, ze_cache_config_flags_t flags) { return checkFlags(flags, kCacheFlags); }

ze_result_t kernelProperties(ze_kernel_handle_t kernel, ze_kernel_properties_t *p) {
  const LoweredKernel &lowered = *object(kernel)->request.kernel;
  p->numKernelArgs = static_cast<uint32_t>(lowered.arguments.size());
  p->requiredGroupSizeX = lowered.requiredGroupSize[0];
  p->requiredGroupSizeY = lowered.requiredGroupSize[1];
  p->requiredGroupSizeZ = lowered.requiredGroupSize[2];
  p->requiredNumSubGroups = 0;
  p->requiredSubgroupSize = p->maxSubgroupSize = static_cast<uint32_t>(lowered.subgroupSize);
  p->maxNumSubgroups = static_cast<uint32_t>(object(kernel)->device->target->lanesPerWorkgroup) / p->maxSubgroupSize;
  size_t local = 0;
  for (size_t each : lowered.locals) local += object(kernel)->program->lowered().locals[each].bytes;
  p->localMemSize = static_cast<uint32_t>(local);
  p->privateMemSize = static_cast<uint32_t>(lowered.privateBytes);
  p->spillMemSize = 0;
  std::memset(&p->uuid, 0, sizeof p->uuid);
  return ZE_RESULT_SUCCESS;
}

ze_result_t kernelName(ze_kernel_handle_t kernel, size_t *size, char *name) {
  return giveText(object(kernel)->request.kernel->name, size, name);
}

ze_result_t setGlobalOffset(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
  object(kernel)->request.globalOffset = {x, y, z};
  return ZE_RESULT_SUCCESS;
}

} // namespace

void fill(ze_module_dditable_t &table) {
  table.pfnCreate = checked<createModule, 4>;
  table.pfnDestroy = checked<destroyModule>;
  table.pfnGetKernelNames = checked<kernelNames, 2>;
  table.pfnGetProperties = checked<moduleProperties>;
  table.pfnDynamicLink = checked<linkModules, 2>;
}

void fill(ze_module_build_log_dditable_t &table) {
  table.pfnDestroy = checked<destroyLog>;
  table.pfnGetString = checked<logText, 2>;
}

void fill(ze_kernel_dditable_t &table) {
  table.pfnCreate = checked<createKernel>;
  table.pfnDestroy = checked<destroyKernel>;
  table.pfnSetGroupSize = checked<setGroupSize>;
  table.pfnSuggestGroupSize = checked<suggestGroupSize>;
  table.pfnSuggestMaxCooperativeGroupCount = checked<suggestCooperative>;
  table.pfnSetArgumentValue = checked<setArgument, 3>;
  table.pfnSetIndirectAccess = checked<setIndirect>;
  table.pfnGetIndirectAccess = checked<getIndirect>;
  table.pfnSetCacheConfig = checked<setCache>;
  table.pfnGetProperties = checked<kernelProperties>;
  table.pfnGetName = checked<kernelName, 2>;
}

void fill(ze_kernel_exp_dditable_t &table) { table.pfnSetGlobalOffsetExp = checked<setGlobalOffset>; }

} // namespace xt::soft
