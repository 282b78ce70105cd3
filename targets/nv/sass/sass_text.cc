#include "targets/nv/sass/sass_text.h"

#include "ir/base/text.h"
#include "ir/gpu/block_counts.h"
#include "ir/print.h"
#include "ir/verify/slm_limit.h"
#include "targets/nv/library/architecture.h"
#include "targets/nv/sass/occupancy.h"
#include "targets/nv/sass/sass_report.h"

#include <algorithm>
#include <sstream>

namespace xt {
namespace {

std::string indented(const std::string &lines) {
  std::istringstream in(lines);
  std::string out;
  for (std::string line; std::getline(in, line);) out += str("  ", line, "\n");
  return out;
}

std::string spillsText(const SpillBytes &spilled) {
  if (spilled.stores == 0 && spilled.loads == 0) return "no spills";
  return str("spills of ", spilled.stores, " bytes stored and ", spilled.loads, " loaded");
}

std::string loopText(const SassLoopCounts &counts) {
  std::string where = counts.loop.line ? str(" at line ", counts.loop.line) : "";
  std::string out = str("  ", counts.loop.innermost ? "loop" : "outer loop", where, ": ", mixText(counts), "\n");
  if (counts.loop.shortest < counts.instructions)
    out += str("    ", counts.loop.shortest, " of its ", counts.instructions,
               " instructions are on the shortest way through it\n");
  return out;
}

std::string kernelText(const Kernel &kernel, const GpuKernel &made, const SassReport &report, const TargetInfo &target,
                       const SourceManager &sources) {
  const CubinKernel &code = report.kernel;
  int64_t shared = std::max(code.sharedBytes, made.givenSlmBytes);
  std::string out =
      str(symbolText(kernel.name), " on ", target.name, " (", architectureOf(target), "): ", code.registers, " registers, ",
          spillsText(report.spilled), ", ", report.all.instructions, " instructions, ", report.all.products, " products\n  ",
          text(nvOccupancy(target, code.registers, made.subgroups, shared), made.subgroups), "\n");
  if (code.stackBytes > 0) out += str("  ", code.stackBytes, " bytes of stack per lane\n");
  if (shared > 0) out += str("  ", shared, " bytes of shared local memory\n", indented(slmTable(kernel, sources)));
  for (const SassLoopCounts &loop : report.loops) out += loopText(loop);
  if (report.loops.empty()) out += str("  ", mixText(report.all), "\n");
  return out;
}

// A report shows its findings by default, so this is a warning. In other commands the diagnostic is a remark.
Diagnostic &warn(Diagnostics &diagnostics, const Kernel &kernel, std::string message) {
  Diagnostic &warning = diagnostics.report(DiagCode::DeviceRemark, kernel.nameRange, std::move(message));
  warning.severity = Severity::Warning;
  return warning;
}

void warn(const Kernel &kernel, const SassReport &report, Diagnostics &diagnostics) {
  std::string name = str("`", symbolText(kernel.name), "`");
  if (report.spilled.stores > 0)
    warn(diagnostics, kernel,
         str(name, " needs more than ", report.kernel.registers, " registers: ", report.spilled.stores,
             " bytes of each lane are spilled to memory"))
        .note("use smaller tiles per subgroup (`sg_data`), or fewer subgroups, so that each has more registers");
  auto wanted = static_cast<size_t>(countKernel(kernel).all.dpas);
  if (report.all.products == 0 && wanted > 0)
    warn(diagnostics, kernel, str(name, " has ", wanted, " products, but its code has none"))
        .note("the assembler has removed them, perhaps because their results are unused; --emit=ptx prints the PTX");
}

} // namespace

Result<std::string> sassText(const Module &module, const GpuCode &program, const TargetInfo &target,
                             const SourceManager &sources, Diagnostics &diagnostics) {
  Result<AssembledPtx> assembled =
      assemblePtx({reinterpret_cast<const char *>(program.binary.data()), program.binary.size()}, architectureOf(target));
  if (!assembled) return assembled.error();
  Result<std::vector<SassReport>> reports = sassReports(*assembled, computeCapabilityOf(target));
  if (!reports) return reports.error();
  for (const GpuKernel &kernel : program.kernels)
    if (std::ranges::find(*reports, kernel.entry, [](const SassReport &each) { return each.kernel.name; }) == reports->end())
      return Error::environment(str("the code that ptxas made has no kernel ", kernel.entry));
  bool remarks = diagnostics.wantsRemarks();
  diagnostics.wantRemarks(true);
  std::string out;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    auto report =
        std::ranges::find(*reports, program.kernels[i].entry, [](const SassReport &each) { return each.kernel.name; });
    out += kernelText(*module.kernels[i], program.kernels[i], *report, target, sources);
    warn(*module.kernels[i], *report, diagnostics);
  }
  if (!module.kernels.empty())
    for (const std::string &warning : assembled->warnings) warn(diagnostics, *module.kernels.front(), warning);
  diagnostics.wantRemarks(remarks);
  return out;
}

} // namespace xt
