// The results of checking the kernels and functions of a file, which a caller that checks a changed file again can reuse.
#pragma once
#include "ir/context.h"
#include "ir/module.h"
#include "lang/check/name_index.h"
#include "lang/check/symbols.h"

#include <functional>
#include <memory>
#include <set>
#include <string>

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
  // The result stays valid while the following are as they were during the check.
  Lookups lookups;
  std::set<std::string> namesThen;          // all declared names, if lookups.allNames
  std::set<const ast::KernelDecl *> failedThen;
  std::vector<LayoutAlias> aliasesThen;     // if a message was reported, since messages print layouts by their aliases
  bool completeThen = true;
};

// Stores checks from one run to the next.
class CheckStore {
public:
  virtual ~CheckStore() = default;
  // Returns a stored check of this declaration and instance name that `holds` accepts, or null.
  virtual std::shared_ptr<KernelCheck> find(const ast::KernelDecl &decl, const std::string &instance,
                                            const std::function<bool(const KernelCheck &)> &holds) = 0;
  virtual void keep(const ast::KernelDecl &decl, const std::string &instance, std::shared_ptr<KernelCheck> check) = 0;
};

} // namespace xt
