// A parsed file, with the files that it imports, to a module: the loop over its declarations. Kernels are checked one at a
// time, each with messages of its own, so that whoever checks a file again after a change can keep what is still good.
#pragma once
#include "lang/check/const_eval.h"
#include "lang/lower/imports.h"
#include "lang/lower/kernel_lowering.h"
#include "lang/lower/lower.h"

namespace xt {

// What checking one kernel, in one instantiation, or one function gave, and what that followed from.
struct KernelCheck {
  std::unique_ptr<Context> context; // of its types, where it does not share the module's
  std::unique_ptr<Kernel> kernel;   // null: mistakes, or a function
  Diagnostics diagnostics;
  NameIndex names;
  bool inlinedTooMuch = false;
  size_t statements = 0; // that were lowered; those of a function count once for each call
  std::set<const ast::KernelDecl *> failed, lowered; // functions that it has met; the first for the first time
  // It holds as long as these would be the same.
  Lookups lookups;
  std::set<std::string> namesThen;          // if all were listed
  std::set<const ast::KernelDecl *> failedThen;
  std::vector<LayoutAlias> aliasesThen;     // if something was reported: messages spell layouts by them
  bool completeThen = true;
};

// Keeps checks from one run to the next.
class CheckStore {
public:
  virtual ~CheckStore() = default;
  // A check of this declaration under this name that `holds` accepts, or null.
  virtual std::shared_ptr<KernelCheck> find(const ast::KernelDecl &decl, const std::string &instance,
                                            const std::function<bool(const KernelCheck &)> &holds) = 0;
  virtual void keep(const ast::KernelDecl &decl, const std::string &instance, std::shared_ptr<KernelCheck> check) = 0;
};

struct CheckedFile {
  std::unique_ptr<Module> module; // with a store it has no kernels: the checks have them
  std::vector<std::shared_ptr<KernelCheck>> checks;
  NameIndex names; // of declarations and tests
};

// The first unit is compiled, the others are what it imports; `importLost`: one could not be read. With a store, what a
// check needs is looked up there first, and each has a context of its own; without, kernels go into the module.
CheckedFile lowerUnits(std::span<const SourceUnit *const> units, bool importLost, const SourceManager &sources,
                       Context &context, const LowerOptions &options, CheckStore *store, Diagnostics &diagnostics);

} // namespace xt
