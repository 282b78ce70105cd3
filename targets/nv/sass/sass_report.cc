#include "targets/nv/sass/sass_report.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

void add(SassCounts &counts, const SassInstruction &instruction) {
  ++counts.instructions;
  counts.products += isSassProduct(instruction.operation);
  counts.spills += instruction.operation == kSassLoadLocal || instruction.operation == kSassStoreLocal;
  ++counts.mix[sassName(instruction.operation)];
}

// The code of a kernel ends with a branch to itself, which is never reached, and operations without effect that fill up to a multiple
// of 128 bytes.
size_t lengthOf(const std::vector<SassInstruction> &code) {
  constexpr uint16_t kNothing = 0x118;
  size_t length = code.size();
  while (length > 0 && code[length - 1].operation == kNothing) --length;
  if (length > 0 && code[length - 1].target == static_cast<int64_t>(length) - 1) --length;
  return length;
}

} // namespace

size_t SassCounts::count(const std::string &name) const {
  auto found = mix.find(name);
  return found == mix.end() ? 0 : found->second;
}

Result<std::vector<SassReport>> sassReports(const AssembledPtx &assembled, int capability) {
  Result<std::vector<CubinKernel>> kernels = readCubin(assembled.cubin, capability);
  if (!kernels) return kernels.error();
  std::vector<SassReport> reports;
  for (CubinKernel &kernel : *kernels) {
    SassReport report;
    auto spilled = assembled.spills.find(kernel.name);
    if (spilled != assembled.spills.end()) report.spilled = spilled->second;
    for (size_t i = 0; i < lengthOf(kernel.code); ++i) add(report.all, kernel.code[i]);
    for (SassLoop &loop : loopsOf(kernel.code)) {
      SassLoopCounts counts;
      for (size_t i : loop.code) add(counts, kernel.code[i]);
      counts.loop = std::move(loop);
      report.loops.push_back(std::move(counts));
    }
    report.kernel = std::move(kernel);
    reports.push_back(std::move(report));
  }
  return reports;
}

std::string mixText(const SassCounts &counts) {
  std::vector<std::pair<std::string, size_t>> sorted(counts.mix.begin(), counts.mix.end());
  std::ranges::sort(
      sorted, [](const auto &a, const auto &b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  std::vector<std::string> products, others;
  for (const auto &[name, count] : sorted) (name.ends_with("MMA") ? products : others).push_back(str(count, " ", name));
  return str(products.empty() ? "" : join(products, ", ") + ", ", counts.others(),
             products.empty() ? " instructions: " : " others: ", join(others, ", "));
}

} // namespace xt
