// Whether a driver takes inline assembly in SPIR-V (SPV_INTEL_inline_assembly).
//
// Where the driver lists the extension, it does. An absent entry says nothing: OpenCL (cl_khr_spirv_queries) and Level Zero
// (zeDeviceGetCompilerInfo) have such lists only lately, and the documentation of Intel's compiler has this extension among the
// experimental ones, which a list may leave out. So the driver is given a small module then, whose only feature is a message
// in inline assembly.
#pragma once
#include "targets/gpu/device.h"
#include "targets/xe/library/raw_send.h"

#include <optional>

namespace xt {

class AssemblyTrial {
public:
  // Calls build(module, refused) at most once, which returns a Result and sets `refused` if the driver does not build the module because of
  // what it contains. Any other failure is an Error, after which a later call tries again.
  template <class Build> Result<DriverAnswer> answer(const GpuDeviceInfo &info, Build build) {
    if (info.listsInlineAssembly) return DriverAnswer{true, std::string("its driver lists ") + kInlineAssemblyExtension};
    if (known_) return *known_;
    bool refused = false;
    auto built = build(inlineAssemblyProbe(), refused);
    if (built)
      known_ = {true, "its driver builds it"};
    else if (refused)
      known_ = {false, "its driver does not build it: " + inOneLine(logOf(built.error().message))};
    else
      return built.error();
    return *known_;
  }

private:
  // What the driver says, which follows the first line; that names the device again.
  static std::string logOf(const std::string &message) {
    size_t end = message.find('\n');
    return end == std::string::npos ? message : message.substr(end + 1);
  }
  static std::string inOneLine(std::string text) {
    for (size_t end; (end = text.find('\n')) != std::string::npos;) text.replace(end, 1, "; ");
    return text;
  }

  std::optional<DriverAnswer> known_;
};

} // namespace xt
