#include "lang/lower/lower.h"

#include "lang/lower/file_lowering.h"
#include "lang/lower/try_fixes.h"
#include "lang/parse/parse.h"

#include <algorithm>

namespace xt {

Result<std::unique_ptr<Module>> lowerFile(SourceManager &sources, uint32_t index, Context &context, const LowerOptions &options,
                                          Diagnostics &diagnostics) {
  size_t before = diagnostics.errorCount(), first = diagnostics.all().size();
  ast::File file = parse(sources, index, diagnostics);
  std::vector<std::unique_ptr<ast::File>> imports = loadImports(file, sources, options.imports, diagnostics);
  auto lost = [](const Diagnostic &d) { return d.code == DiagCode::ImportNotFound; };
  bool importLost = std::any_of(diagnostics.all().begin() + static_cast<ptrdiff_t>(first), diagnostics.all().end(), lost);
  std::vector<SourceUnit> units = {{sources.file(index).name(), {&file}}};
  for (const auto &import : imports) units.push_back({sources.file(import->file).name(), {import.get()}});
  std::vector<const SourceUnit *> pointers;
  for (const SourceUnit &unit : units) pointers.push_back(&unit);
  CheckedFile checked = lowerUnits(pointers, importLost, sources, context, options, nullptr, diagnostics);
  if (diagnostics.errorCount() != before) {
    if (options.tryFixes) tryFixes(sources, index, options, first, diagnostics);
    return Error::diagnosed();
  }
  checked.module->fileName = sources.file(index).name();
  return std::move(checked.module);
}

} // namespace xt
