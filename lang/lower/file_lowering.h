// Lowers a parsed file and its imports to a module by iterating over the declarations. Kernels are checked one at a time,
// each with separate messages, so that a caller that checks a changed file again can reuse the results that are still valid.
#pragma once
#include "lang/lower/check_store.h"
#include "lang/lower/imports.h"
#include "lang/lower/lower.h"

namespace xt {

struct CheckedFile {
  std::unique_ptr<Module> module; // with a store the module has no kernels; `checks` has them
  std::vector<std::shared_ptr<KernelCheck>> checks;
  NameIndex names; // the names in declarations and tests
};

// Compiles the first unit; the others are its imports. `importLost`: an import could not be read. With a store, reuses valid
// checks from it, and each check has its own context. Without a store, moves the kernels into the module.
CheckedFile lowerUnits(std::span<const SourceUnit *const> units, bool importLost, const SourceManager &sources,
                       Context &context, const LowerOptions &options, CheckStore *store, Diagnostics &diagnostics);

} // namespace xt
