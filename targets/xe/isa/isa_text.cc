#include "targets/xe/isa/isa_text.h"

#include "ir/base/text.h"
#include "ir/gpu/block_counts.h"
#include "ir/print.h"
#include "ir/verify/slm_limit.h"
#include "targets/xe/isa/occupancy.h"

namespace xt {
namespace {

// Collects all loops in program order, each before the loops that it contains.
void collectLoops(const Block &block, std::vector<const Op *> &loops) {
  for (const Op &op : block) {
    if (op.regionCount() && carriedAt(op).loops) loops.push_back(&op);
    for (size_t r = 0; r < op.regionCount(); ++r) collectLoops(*op.region(r), loops);
  }
}

std::string indented(const std::string &lines, std::string_view by) {
  std::string out;
  for (size_t at = 0; at < lines.size();) {
    size_t end = std::min(lines.find('\n', at), lines.size() - 1);
    out += str(by, lines.substr(at, end + 1 - at));
    at = end + 1;
  }
  return out;
}

class IsaText {
public:
  IsaText(const Kernel &kernel, const GpuKernel &made, const IsaReport &report, const TargetInfo &target,
          const SourceManager &sources)
      : kernel_(kernel), made_(made), report_(report), target_(target), sources_(sources) {
    std::vector<const Op *> loops;
    collectLoops(kernel.body, loops);
    // The compiler may unroll loops and introduce new ones, so line numbers are given only if the number of loops is the
    // same.
    if (loops.size() == report.loops.size()) loops_ = std::move(loops);
  }

  std::string text() const {
    std::string out =
        str(symbolText(kernel_.name), " on ", target_.name, ": ", report_.registers, " registers, ", report_.spilledBytes,
            " bytes spilled, ", report_.all.instructions, " instructions, ", report_.all.products, " dpas\n");
    Occupancy occupancy = occupancyOf(target_, report_.registers, made_.subgroups, made_.slmBytes);
    if (std::string line = xt::text(occupancy, target_, report_.registers, made_.subgroups); !line.empty())
      out += str("  ", line, "\n");
    if (made_.slmBytes > 0)
      out += str("  ", made_.slmBytes, " bytes of shared local memory\n", indented(slmTable(kernel_, sources_), "  "));
    for (size_t i = 0; i < report_.loops.size(); ++i) out += loopText(i);
    if (std::string blocks = blocksText(report_.all); !blocks.empty()) out += str("  all block messages: ", blocks, "\n");
    return out;
  }

  void warn(Diagnostics &diagnostics) const {
    if (report_.spilledBytes > 0) {
      Diagnostic &warning = report(diagnostics, str("`", symbolText(kernel_.name), "` needs more than ", report_.registers,
                                                    " registers: ", report_.spilledBytes, " bytes are spilled to memory"));
      for (size_t i = 0; i < loops_.size(); ++i)
        if (const IsaLoop &loop = report_.loops[i]; loop.innermost && loop.spills)
          warning.at(loops_[i]->range(), str(loop.spills, loop.spills == 1 ? " message" : " messages", " in this loop"));
      warning.note("use smaller tiles per subgroup (`sg_data`), or more subgroups");
    }
    auto wanted = static_cast<size_t>(countKernel(kernel_).all.dpas);
    if (report_.all.products == 0 && wanted > 0)
      report(diagnostics, str("`", symbolText(kernel_.name), "` has ", wanted, " products, but no `dpas` is in its code"))
          .note("the offline compiler replaced or removed them, perhaps because their results are unused; --emit=isa prints "
                "its code");
  }

private:
  // Reports a warning, because the user has requested a report. Elsewhere this diagnostic is a remark.
  Diagnostic &report(Diagnostics &diagnostics, std::string message) const {
    Diagnostic &warning = diagnostics.report(DiagCode::DeviceRemark, kernel_.nameRange, std::move(message));
    warning.severity = Severity::Warning;
    return warning;
  }

  std::string loopText(size_t i) const {
    const IsaLoop &loop = report_.loops[i];
    std::string where =
        loops_.empty() ? ""
                       : str(" at line ", sources_.file(loops_[i]->range().file).lineColumn(loops_[i]->range().begin).line);
    std::string out = str("  ", loop.innermost ? "loop" : "outer loop", where, ": ", mixText(loop), "\n");
    std::string blocks = blocksText(loop);
    return blocks.empty() ? out : str(out, "    blocks: ", blocks, "\n");
  }

  const Kernel &kernel_;
  const GpuKernel &made_;
  const IsaReport &report_;
  const TargetInfo &target_;
  const SourceManager &sources_;
  std::vector<const Op *> loops_; // the ops of the loops in the report; empty if they cannot be identified
};

} // namespace

std::string isaText(const Module &module, const GpuCode &program, std::span<const IsaReport> reports, const TargetInfo &target,
                    const SourceManager &sources, Diagnostics &diagnostics) {
  std::string out;
  bool remarks = diagnostics.wantsRemarks();
  diagnostics.wantRemarks(true);
  for (size_t i = 0; i < reports.size(); ++i) {
    IsaText text(*module.kernels[i], program.kernels[i], reports[i], target, sources);
    out += text.text();
    text.warn(diagnostics);
  }
  diagnostics.wantRemarks(remarks);
  return out;
}

} // namespace xt
