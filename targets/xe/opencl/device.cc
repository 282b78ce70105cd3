#include "targets/xe/opencl/device.h"

#include "ir/base/text.h"
#include "targets/faults/stray_faults.h"
#include "targets/xe/opencl/program.h"
#include "targets/xe/register_file_options.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace xt {
namespace {

// Makes the process end without destructors: the driver's cleanup could wait for a thread that has stopped at a fault.
void endWithoutDestructors() {
  on_exit(
      [](int status, void *) {
        std::fflush(nullptr);
        _exit(status);
      },
      nullptr);
}

Error faultError(const MemoryFault &fault, const std::string &device) {
  char address[32] = "";
  if (fault.address) std::snprintf(address, sizeof address, " (at 0x%" PRIx64 ")", *fault.address);
  return Error::environment(str("a kernel accessed an invalid address", address, "; ", device, " cannot continue"));
}

} // namespace

ClDevice::~ClDevice() = default;

Result<std::unique_ptr<ClDevice>> ClDevice::open(const ClFunctions &functions, ClDeviceInfo info) {
  std::unique_ptr<ClDevice> device(new ClDevice(functions, std::move(info)));
  const ClFunctions &cl = device->cl_;
  if (Result<void> found = device->findMemoryFunctions(); !found) return found.error();
  cl_int result = CL_SUCCESS;
  device->context_ = {cl.clCreateContext(nullptr, 1, &device->info_.device, nullptr, nullptr, &result), cl.clReleaseContext};
  if (result != CL_SUCCESS) return clError("clCreateContext", result);
  const cl_queue_properties timed[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  device->queue_ = {cl.clCreateCommandQueueWithProperties(device->context(), device->info_.device, timed, &result),
                    cl.clReleaseCommandQueue};
  if (result != CL_SUCCESS) return clError("clCreateCommandQueueWithProperties", result);
  return device;
}

Result<void> ClDevice::findMemoryFunctions() {
  std::string missing;
  auto find = [&]<class F>(F &function, const char *name) {
    function = reinterpret_cast<F>(cl_.clGetExtensionFunctionAddressForPlatform(info_.platform, name));
    if (!function && missing.empty()) missing = name;
  };
  find(memory_.deviceAlloc, "clDeviceMemAllocINTEL");
  find(memory_.hostAlloc, "clHostMemAllocINTEL");
  find(memory_.free, "clMemFreeINTEL");
  find(memory_.copy, "clEnqueueMemcpyINTEL");
  find(memory_.setPointer, "clSetKernelArgMemPointerINTEL");
  if (missing.empty()) return {};
  return Error::environment(str("the OpenCL driver of ", info_.name, " lacks ", missing));
}

Result<void> ClDevice::check(std::string_view what, cl_int result) {
  if (result == CL_SUCCESS) return {};
  return clError(str(what, " on ", info_.name), result);
}

Result<std::byte *> ClDevice::allocate(Where where, size_t bytes, size_t alignment) {
  if (!lost_) return lost_.error();
  cl_int result = CL_SUCCESS;
  auto align = static_cast<cl_uint>(alignment);
  bool there = where == Where::Device;
  void *data = there ? memory_.deviceAlloc(context(), info_.device, nullptr, bytes, align, &result)
                     : memory_.hostAlloc(context(), nullptr, bytes, align, &result);
  if (result != CL_SUCCESS)
    return clError(str(there ? "clDeviceMemAllocINTEL" : "clHostMemAllocINTEL", " of ", bytes, " bytes on ", info_.name),
                   result);
  return static_cast<std::byte *>(data);
}

void ClDevice::release(std::byte *memory) {
  if (mayCallClDriver()) memory_.free(context(), memory);
}

Result<std::unique_ptr<GpuDeviceKernel>> ClDevice::load(std::span<const uint8_t> spirv, const GpuKernel &code, bool optimise) {
  if (!lost_) return lost_.error();
  // Intel's driver for CPUs loses stores to shared local memory that follow such barriers (README.md in this folder).
  if (code.divergentBarriers && !info_.hardware)
    return Error::environment(str("@", code.entry,
                                  " has subgroup barriers in a branch or a loop that depends on the subgroup, for example "
                                  "because tiles are moved in it; ",
                                  info_.name, " may compile those wrongly: use --device=software or a GPU"));
  std::vector<std::string> options;
  if (code.largeRegisterFile && info_.hardware) options.emplace_back(kClLargeRegisterFileOption);
  // Intel's driver for CPUs forms subgroups in its optimiser: without optimisation, each lane is a separate subgroup.
  if (!optimise && info_.hardware) options.emplace_back(kClNotOptimisedOption);
  std::string flags = join(options, " ");
  Result<std::shared_ptr<ClProgram>> program = built_.get(spirv, flags, [&] { return ClProgram::build(*this, spirv, flags); });
  if (!program) return program.error();
  Result<std::unique_ptr<ClKernel>> kernel =
      ClKernel::make(*this, *program, code.entry, static_cast<size_t>(code.subgroups * code.subgroupSize));
  if (!kernel) return kernel.error();
  return std::unique_ptr<GpuDeviceKernel>(std::move(*kernel));
}

Result<DriverAnswer> ClDevice::inlineAssembly() {
  if (!lost_) return lost_.error();
  return assembly_.answer(
      info_, [&](std::span<const uint8_t> spirv, bool &refused) { return ClProgram::build(*this, spirv, "", &refused); });
}

Result<void> ClDevice::copy(void *to, const void *from, size_t bytes) {
  if (!lost_) return lost_;
  if (bytes == 0) return {};
  return check("clEnqueueMemcpyINTEL", memory_.copy(queue_.get(), CL_FALSE, to, from, bytes, 0, nullptr, nullptr));
}

Result<void> ClDevice::launch(GpuDeviceKernel &kernel, const std::array<uint32_t, 3> &workgroups) {
  if (!lost_) return lost_;
  auto &own = static_cast<ClKernel &>(kernel);
  const size_t local[3] = {own.lanes(), 1, 1}, global[3] = {own.lanes() * workgroups[0], workgroups[1], workgroups[2]};
  cl_event ran = nullptr;
  ran_ = {};
  if (!running_) running_.emplace(); // an earlier launch may still run, so its trap stays
  auto queued = check("clEnqueueNDRangeKernel",
                      cl_.clEnqueueNDRangeKernel(queue_.get(), own.get(), 3, nullptr, global, local, 0, nullptr, &ran));
  ran_ = {ran, cl_.clReleaseEvent};
  return queued;
}

Result<void> ClDevice::finish() {
  if (!lost_) return lost_;
  cl_event marker = nullptr;
  Result<void> done = check("clEnqueueMarkerWithWaitList", cl_.clEnqueueMarkerWithWaitList(queue_.get(), 0, nullptr, &marker));
  ClHandle<cl_event> last(marker, cl_.clReleaseEvent);
  if (done) done = check("clFlush", cl_.clFlush(queue_.get()));
  if (done) done = waitFor(last.get());
  // The marker's event does not report that a kernel before it failed.
  if (done && ran_) done = waitFor(ran_.get());
  // Queued commands may still run, so memory that they use can never be trusted again.
  if (!done)
    lost_ = done;
  else
    running_.reset();
  return done;
}

Result<void> ClDevice::waitFor(cl_event event) {
  constexpr std::chrono::microseconds kLongest(1000);
  for (std::chrono::microseconds pause(10);; pause = std::min(2 * pause, kLongest)) {
    cl_int status = CL_QUEUED;
    auto asked =
        check("clGetEventInfo", cl_.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
    if (!asked) return asked;
    if (status < 0) return check("the queued commands", status);
    if (status == CL_COMPLETE) return {};
    if (auto fault = StrayFaultTrap::fault()) {
      endWithoutDestructors();
      return faultError(*fault, info_.name);
    }
    std::this_thread::sleep_for(pause);
  }
}

Result<double> ClDevice::kernelSeconds() {
  if (!ran_) return 0.0;
  cl_ulong start = 0, end = 0;
  auto asked = check("clGetEventProfilingInfo",
                     cl_.clGetEventProfilingInfo(ran_.get(), CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr));
  if (!asked) return asked.error();
  asked = check("clGetEventProfilingInfo",
                cl_.clGetEventProfilingInfo(ran_.get(), CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr));
  if (!asked) return asked.error();
  return static_cast<double>(end - start) * 1e-9;
}

} // namespace xt
