#include "targets/xe/opencl/program.h"

#include "ir/base/text.h"

namespace xt {
namespace {

// The text of the build log, without trailing line breaks; "" if the driver has none.
std::string logText(const ClDevice &device, cl_program program) {
  const ClFunctions &cl = device.functions();
  size_t bytes = 0;
  if (cl.clGetProgramBuildInfo(program, device.info().device, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes) != CL_SUCCESS ||
      bytes == 0)
    return "";
  std::string text(bytes, '\0');
  if (cl.clGetProgramBuildInfo(program, device.info().device, CL_PROGRAM_BUILD_LOG, bytes, text.data(), nullptr) != CL_SUCCESS)
    return "";
  text.resize(std::min(text.find('\0'), text.size()));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

} // namespace

Result<std::shared_ptr<ClProgram>> ClProgram::build(ClDevice &device, std::span<const uint8_t> spirv,
                                                    const std::string &options, bool *refused) {
  const ClFunctions &cl = device.functions();
  cl_int result = CL_SUCCESS;
  auto made = std::make_shared<ClProgram>();
  made->program_ = {cl.clCreateProgramWithIL(device.context(), spirv.data(), spirv.size(), &result), cl.clReleaseProgram};
  // CL_INVALID_VALUE: the driver does not read this SPIR-V.
  if (refused) *refused = result == CL_INVALID_VALUE || result == CL_INVALID_BINARY;
  if (result != CL_SUCCESS) return clError(str("clCreateProgramWithIL on ", device.info().name), result);
  result = cl.clBuildProgram(made->get(), 1, &device.info().device, options.c_str(), nullptr, nullptr);
  if (result == CL_SUCCESS) return made;
  if (refused) *refused = result == CL_BUILD_PROGRAM_FAILURE || result == CL_INVALID_BINARY;
  Error error = clError(str("clBuildProgram on ", device.info().name), result);
  if (std::string log = logText(device, made->get()); !log.empty()) error.message += str("\n", log);
  return error;
}

Result<std::unique_ptr<ClKernel>> ClKernel::make(ClDevice &device, std::shared_ptr<ClProgram> program, const std::string &entry,
                                                 size_t lanes) {
  const ClFunctions &cl = device.functions();
  auto made = std::make_unique<ClKernel>();
  made->device_ = &device;
  made->program_ = std::move(program);
  made->lanes_ = lanes;
  cl_int result = CL_SUCCESS;
  made->kernel_ = {cl.clCreateKernel(made->program_->get(), entry.c_str(), &result), cl.clReleaseKernel};
  if (result != CL_SUCCESS) return clError(str("clCreateKernel of ", entry), result);
  // Kernels also get addresses as plain numbers, so the driver must make all memory accessible.
  for (cl_kernel_exec_info reach :
       {CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL}) {
    cl_bool yes = CL_TRUE;
    if (cl_int r = cl.clSetKernelExecInfo(made->get(), reach, sizeof yes, &yes); r != CL_SUCCESS)
      return clError(str("clSetKernelExecInfo of ", entry), r);
  }
  return made;
}

Result<void> ClKernel::setArgument(uint32_t index, const GpuArgument &argument) {
  if (argument.pointer) {
    auto address = reinterpret_cast<const void *>(static_cast<uintptr_t>(argument.bits));
    if (cl_int r = device_->memoryFunctions().setPointer(get(), index, address); r != CL_SUCCESS)
      return clError(str("clSetKernelArgMemPointerINTEL of argument ", index), r);
    return {};
  }
  if (cl_int r = device_->functions().clSetKernelArg(get(), index, argument.bytes, &argument.bits); r != CL_SUCCESS)
    return clError(str("clSetKernelArg of argument ", index), r);
  return {};
}

} // namespace xt
