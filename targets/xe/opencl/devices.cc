#include "targets/xe/opencl/devices.h"

#include "ir/base/text.h"
#include "targets/xe/device/pci_ids.h"
#include "targets/xe/library/raw_send.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace xt {
namespace {

constexpr cl_uint kIntel = 0x8086;
constexpr cl_device_info kSpirvExtensions = 0x12BA; // CL_DEVICE_SPIRV_EXTENSIONS_KHR, an array of names
constexpr int kSpirvMajor = 1, kSpirvMinor = 4; // version of the SPIR-V that emit/ writes

// Queries the properties of one device. A failing call is an Error with the name of the property.
class DeviceQuery {
public:
  DeviceQuery(const ClFunctions &cl, ClDeviceInfo &info) : cl_(cl), info_(info) {}

  Result<void> ask() {
    if (auto done = names(); !done) return done;
    if (auto done = limits(); !done) return done;
    if (info_.problem = whyUnfit(); !info_.problem.empty()) return {};
    return subgroupsAndHardware();
  }

private:
  Result<void> text(cl_device_info what, const char *name, std::string &value) {
    size_t bytes = 0;
    if (cl_int r = cl_.clGetDeviceInfo(info_.device, what, 0, nullptr, &bytes); r != CL_SUCCESS) return failed(name, r);
    value.assign(bytes, '\0');
    if (bytes == 0) return {};
    if (cl_int r = cl_.clGetDeviceInfo(info_.device, what, bytes, value.data(), nullptr); r != CL_SUCCESS)
      return failed(name, r);
    value.resize(std::min(value.find('\0'), value.size()));
    return {};
  }
  template <class T> Result<void> number(cl_device_info what, const char *name, T &value) {
    if (cl_int r = cl_.clGetDeviceInfo(info_.device, what, sizeof value, &value, nullptr); r != CL_SUCCESS)
      return failed(name, r);
    return {};
  }
  static Error failed(const char *name, cl_int result) { return clError(str("clGetDeviceInfo of ", name), result); }

  Result<void> names() {
    if (auto done = text(CL_DEVICE_NAME, "CL_DEVICE_NAME", info_.name); !done) return done;
    if (auto done = text(CL_DRIVER_VERSION, "CL_DRIVER_VERSION", info_.driverVersion); !done) return done;
    if (auto done = text(CL_DEVICE_VERSION, "CL_DEVICE_VERSION", version_); !done) return done;
    if (auto done = text(CL_DEVICE_EXTENSIONS, "CL_DEVICE_EXTENSIONS", extensions_); !done) return done;
    extensions_ = str(" ", extensions_, " ");
    (void)text(CL_DEVICE_IL_VERSION, "CL_DEVICE_IL_VERSION", languages_).ok(); // older devices do not support this query
    return {};
  }

  Result<void> limits() {
    cl_ulong memory = 0, local = 0;
    size_t lanes = 0;
    cl_device_type type = 0;
    cl_uint vendor = 0;
    cl_device_fp_config f64 = 0;
    if (auto done = number(CL_DEVICE_GLOBAL_MEM_SIZE, "CL_DEVICE_GLOBAL_MEM_SIZE", memory); !done) return done;
    if (auto done = number(CL_DEVICE_LOCAL_MEM_SIZE, "CL_DEVICE_LOCAL_MEM_SIZE", local); !done) return done;
    if (auto done = number(CL_DEVICE_MAX_WORK_GROUP_SIZE, "CL_DEVICE_MAX_WORK_GROUP_SIZE", lanes); !done) return done;
    if (auto done = number(CL_DEVICE_TYPE, "CL_DEVICE_TYPE", type); !done) return done;
    if (auto done = number(CL_DEVICE_VENDOR_ID, "CL_DEVICE_VENDOR_ID", vendor); !done) return done;
    (void)number(CL_DEVICE_DOUBLE_FP_CONFIG, "CL_DEVICE_DOUBLE_FP_CONFIG", f64).ok();
    info_.memoryBytes = static_cast<int64_t>(memory);
    info_.slmBytes = static_cast<int64_t>(local);
    info_.lanesPerWorkgroup = static_cast<int64_t>(lanes);
    info_.mostWorkgroups.fill(std::numeric_limits<uint32_t>::max());
    info_.hardware = vendor == kIntel && (type & CL_DEVICE_TYPE_GPU) != 0;
    info_.f64 = f64 != 0;
    info_.target = findTargetInfo("spirv");
    return {};
  }

  bool has(std::string_view extension) const { return extensions_.find(str(" ", extension, " ")) != std::string::npos; }

  // Whether the list of versions, "SPIR-V_1.0 SPIR-V_1.2 …", includes the version of the kernels or a later one.
  bool takesSpirv() const {
    constexpr std::string_view kPrefix = "SPIR-V_";
    for (size_t at = languages_.find(kPrefix); at != std::string::npos; at = languages_.find(kPrefix, at + 1)) {
      int major = 0, minor = 0;
      const char *end = languages_.data() + languages_.size();
      auto first = std::from_chars(languages_.data() + at + kPrefix.size(), end, major);
      if (first.ptr == end || *first.ptr != '.') continue;
      std::from_chars(first.ptr + 1, end, minor);
      if (major > kSpirvMajor || (major == kSpirvMajor && minor >= kSpirvMinor)) return true;
    }
    return false;
  }

  std::string whyUnfit() const {
    std::vector<std::string> lacks;
    if (!takesSpirv())
      lacks.push_back(str("SPIR-V ", kSpirvMajor, ".", kSpirvMinor,
                          languages_.empty() ? " (it supports none)" : str(" (it supports ", languages_, ")")));
    if (!has("cl_intel_required_subgroup_size")) lacks.push_back("a required subgroup size (cl_intel_required_subgroup_size)");
    if (!has("cl_intel_unified_shared_memory")) lacks.push_back("unified shared memory (cl_intel_unified_shared_memory)");
    return lacks.empty() ? "" : str("of ", version_, ", it lacks features that kernels need: ", join(lacks, "; "));
  }

  Result<void> subgroupsAndHardware() {
    size_t bytes = 0;
    if (cl_int r = cl_.clGetDeviceInfo(info_.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0, nullptr, &bytes); r != CL_SUCCESS)
      return failed("CL_DEVICE_SUB_GROUP_SIZES_INTEL", r);
    std::vector<size_t> sizes(bytes / sizeof(size_t));
    if (cl_int r = cl_.clGetDeviceInfo(info_.device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, bytes, sizes.data(), nullptr);
        r != CL_SUCCESS)
      return failed("CL_DEVICE_SUB_GROUP_SIZES_INTEL", r);
    info_.subgroupSizes.assign(sizes.begin(), sizes.end());
    if (!info_.hardware || !has("cl_intel_device_attribute_query")) return {};
    cl_uint id = 0;
    if (auto done = number(CL_DEVICE_ID_INTEL, "CL_DEVICE_ID_INTEL", id); !done) return done;
    info_.target = targetOfPciId(id);
    info_.cooperativeMatrices = hasCooperativeMatrices(*info_.target);
    info_.listsInlineAssembly = lists(kInlineAssemblyExtension);
    return {};
  }

  // Whether the driver lists an extension of SPIR-V (cl_khr_spirv_queries); false also if it has no such list.
  bool lists(std::string_view extension) const {
    size_t bytes = 0;
    auto get = [&](size_t size, void *data, size_t *needed) {
      return cl_.clGetDeviceInfo(info_.device, kSpirvExtensions, size, data, needed) == CL_SUCCESS;
    };
    if (!has("cl_khr_spirv_queries") || !get(0, nullptr, &bytes)) return false;
    std::vector<const char *> names(bytes / sizeof(const char *));
    if (names.empty() || !get(names.size() * sizeof(const char *), names.data(), nullptr)) return false;
    return std::ranges::find(names, extension, [](const char *name) { return std::string_view(name ? name : ""); }) !=
           names.end();
  }

  const ClFunctions &cl_;
  ClDeviceInfo &info_;
  std::string version_, extensions_, languages_;
};

Result<std::vector<cl_platform_id>> listPlatforms(const ClFunctions &cl) {
  cl_uint count = 0;
  if (cl_int r = cl.clGetPlatformIDs(0, nullptr, &count); r != CL_SUCCESS) return clError("clGetPlatformIDs", r);
  std::vector<cl_platform_id> platforms(count);
  if (count == 0) return platforms;
  if (cl_int r = cl.clGetPlatformIDs(count, platforms.data(), &count); r != CL_SUCCESS) return clError("clGetPlatformIDs", r);
  platforms.resize(count);
  return platforms;
}

Result<std::vector<cl_device_id>> listDevices(const ClFunctions &cl, cl_platform_id platform) {
  cl_uint count = 0;
  cl_int result = cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
  if (result == CL_DEVICE_NOT_FOUND) return std::vector<cl_device_id>{};
  if (result != CL_SUCCESS) return clError("clGetDeviceIDs", result);
  std::vector<cl_device_id> devices(count);
  if (count == 0) return devices;
  if (cl_int r = cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), &count); r != CL_SUCCESS)
    return clError("clGetDeviceIDs", r);
  devices.resize(count);
  return devices;
}

} // namespace

Result<std::vector<ClDeviceInfo>> listClDevices(const ClFunctions &cl) {
  Result<std::vector<cl_platform_id>> platforms = listPlatforms(cl);
  if (!platforms) return platforms.error();
  std::vector<ClDeviceInfo> infos;
  for (cl_platform_id platform : *platforms) {
    Result<std::vector<cl_device_id>> devices = listDevices(cl, platform);
    if (!devices) { // the other drivers may work
      ClDeviceInfo info;
      info.name = "a driver";
      info.problem = devices.error().message;
      infos.push_back(std::move(info));
      continue;
    }
    for (cl_device_id device : *devices) {
      ClDeviceInfo info;
      info.platform = platform;
      info.device = device;
      if (Result<void> asked = DeviceQuery(cl, info).ask(); !asked) info.problem = asked.error().message;
      infos.push_back(std::move(info));
    }
  }
  return infos;
}

} // namespace xt
