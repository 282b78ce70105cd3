#include "targets/xe/emit/device_functions.h"

#include "ir/base/text.h"
#include "targets/xe/emit/spirv_table.h"

#include <map>

namespace xt {
namespace {

std::string listed(std::span<const SpirvEntry> entries) {
  std::string text;
  for (const SpirvEntry &entry : entries) text += str(text.empty() ? "" : ", ", entry.name, " ", entry.number);
  return text + "\n";
}

} // namespace

std::string deviceFunctionPage() {
  std::string text =
      "# What kernels call\n\nThe device functions that kernels call, by mangled name, with the type of the result and the "
      "targets that have them, and the\n"
      "instructions that the SPIR-V of kernels has. A test writes this page from the tables of the code generator\n"
      "(`device_functions`, `spirv_table.def`), and checks that the driver's library has what is called there\n"
      "(`../library/igc_functions.def`).\n";
  for (DeviceFamily family : kDeviceFamilies) {
    text += str("\n## ", familyName(family), "\n\n",
                isOfLibrary(family) ? "Functions of the driver's library.\n\n" : "They become instructions of SPIR-V.\n\n",
                "| function | result | targets |\n|---|---|---|\n");
    std::map<std::string, std::pair<std::string, std::string>> rows; // by symbol: the result, and the targets
    for (const TargetInfo &target : targetInfos(GpuFamily::Xe))
      for (const DeviceFunction &function : deviceFunctions(target, family)) {
        auto &[result, targets] = rows[function.symbol];
        result = function.result;
        targets += str(targets.empty() ? "" : ", ", target.name);
      }
    for (const auto &[symbol, row] : rows) text += str("| `", symbol, "` | ", row.first, " | ", row.second, " |\n");
  }
  text += str("\n## Instructions of SPIR-V\n\n", listed(spirvInstructions()), "\nCapabilities: ", listed(spirvCapabilities()),
              "\nOf OpenCL.std: ", listed(spirvMath()));
  return text;
}

} // namespace xt
