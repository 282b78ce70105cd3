// Lowers a parsed file and its imports to a module by iterating over the declarations. Kernels are checked one at a time,
// each with separate messages, so that a caller that checks a changed file again can reuse the results that are still valid.
#pragma once
#include "lang/check/const_eval.h"
#include "lang/lower/imports.h"
#include "lang/lower/lower.h"

namespace xt {

// The result of checking one instantiation of a kernel, or one function, and everything that the result depends on.
struct KernelCheck {
  std::unique_ptr<Context> context; // owns the kernel's types; null if they are in the module's context
  std::unique_ptr<Kernel> kernel;   // null after errors, and for a function
  Diagnostics diagnostics;
  NameIndex names;
  bool repeatedTooMuch = false;
  size_t statements = 0; // statements lowered; those of a function count once for each call
  std::set<const ast::KernelDecl *> failed, lowered; // functions first found invalid by this check; functions lowered by it
  // The result is valid while the following are the same.
  Lookups lookups;
  std::set<std::string> namesThen;          // if lookups.allNames
  std::set<const ast::KernelDecl *> failedThen;
  std::vector<LayoutAlias> aliasesThen;     // if a message was reported, since messages print layouts by their aliases
  bool completeThen = true;
};

// Stores checks from one run to the next.
class CheckStore {
public:
  virtual ~CheckStore() = default;
  // A stored check of this declaration and instance name that `holds` accepts, or null.
  virtual std::shared_ptr<KernelCheck> find(const ast::KernelDecl &decl, const std::string &instance,
                                            const std::function<bool(const KernelCheck &)> &holds) = 0;
  virtual void keep(const ast::KernelDecl &decl, const std::string &instance, std::shared_ptr<KernelCheck> check) = 0;
};

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
