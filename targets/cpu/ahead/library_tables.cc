#include "targets/cpu/ahead/library_tables.h"

#include "ir/base/text.h"

namespace xt {
namespace {

// The initializer of an xtrt_code.
std::string codeText(const KernelCode &code, size_t frameBytes, bool failures) {
  int64_t shared = 0;
  for (size_t d = 0; d < code.output.sharedDims.size(); ++d) shared |= int64_t{code.output.sharedDims[d]} << d;
  return str("{", code.symbol, ", ", code.output.numbers.empty() ? "0" : numbersName(code), ", ", code.scratchBytes, ", ",
             code.output.usesFibers ? code.fibers : 0, ", ", code.lanes, ", ", code.slmBytes, ", ", frameBytes, ", ",
             code.output.mostParts, ", ", code.output.partsAreCheap ? 1 : 0, ", ", shared, ", ",
             code.output.sharedDims.empty() ? 0 : 1, ", ", failures ? code.symbol + "_failures" : "0", ", ",
             failures ? code.output.failures.size() : 0, "}");
}

void declare(std::string &out, const KernelCode &code) {
  out += str("extern void ", code.symbol, "(const uint64_t *, int64_t, int64_t, void *);\n");
  if (!code.output.numbers.empty()) out += str("extern const int64_t ", numbersName(code), "[];\n");
}

void addFailures(std::string &out, const KernelCode &code) {
  if (code.output.failures.empty()) return;
  out += str("static const char *const ", code.symbol, "_failures[] = {\n");
  for (const Failure &failure : code.output.failures) out += str("  ", cString(failure.message), ",\n");
  out += "};\n";
}

} // namespace

KernelTables headerTables(const KernelCode &code, size_t frameBytes, const std::string &table) {
  KernelTables made;
  declare(made.definitions, code);
  made.definitions += str("static const xtrt_code ", table, "_header = ", codeText(code, frameBytes, false), ";\n");
  made.header = str("&", table, "_header");
  return made;
}

std::vector<KernelTables> kernelTables(const Module &module, const LibraryCode &code) {
  std::vector<KernelTables> all;
  size_t headers = 0;
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    const std::string table = tableName(k);
    KernelTables made;
    if (module.kernels[k]->computesHeader())
      made = headerTables(code.headers.kernels[headers++], code.headers.frameBytes, table);
    std::string levels;
    for (const ObjectCode &level : code.levels) {
      declare(made.definitions, level.kernels[k]);
      addFailures(made.definitions, level.kernels[k]);
      levels += str("  ", codeText(level.kernels[k], level.frameBytes, !level.kernels[k].output.failures.empty()), ",\n");
    }
    made.definitions += str("static const xtrt_code ", table, "_levels[XTRT_LEVELS] = {\n", levels, "};\n");
    made.levels = table + "_levels";
    all.push_back(std::move(made));
  }
  return all;
}

} // namespace xt
