// Checks the kernels and functions of a file one at a time, each with separate messages, and collects these messages.
#pragma once
#include "lang/lower/check_store.h"
#include "lang/lower/file_params.h"
#include "lang/lower/kernel_state.h"

#include <tuple>

namespace xt {

class KernelChecks {
public:
  // `files`: the pieces of the compiled file and of its imports. With a store, reuses valid checks from it, and each check has
  // its own context. `names`: the index in which names outside of kernels are recorded, or null.
  KernelChecks(const std::vector<const ast::File *> &files, const FileSymbols &symbols, const FileParams &params,
               Module &module, const SourceManager &sources, Context &context, CheckStore *store, NameIndex *names,
               Diagnostics &diagnostics)
      : files_(files), symbols_(symbols), params_(params), context_(context), store_(store), names_(names),
        diagnostics_(diagnostics), state_{{}, {}, module.aliases, sources} {}

  // Checks one instance of a kernel, with these overrides of parameters.
  std::shared_ptr<KernelCheck> checkKernel(const ast::KernelDecl &decl, const std::string &name, const Overrides &changed);
  // Checks a function, unless a kernel that has been checked calls it.
  void checkFunction(const ast::KernelDecl &decl);
  // The checks so far; none without a store.
  std::vector<std::shared_ptr<KernelCheck>> take() { return std::move(checks_); }

private:
  enum class What : uint8_t { Kernel, Function };
  std::shared_ptr<KernelCheck> find(const ast::KernelDecl &decl, const std::string &name, const Overrides &changed, What what);
  std::shared_ptr<KernelCheck> make(const ast::KernelDecl &decl, const std::string &name, const Overrides &changed, What what);
  void merge(const std::shared_ptr<KernelCheck> &checked, What what);
  bool holds(const KernelCheck &known) const;
  bool mayLowerMore(const ast::KernelDecl &decl);

  const std::vector<const ast::File *> &files_;
  const FileSymbols &symbols_;
  const FileParams &params_;
  Context &context_;
  CheckStore *store_;
  NameIndex *names_;
  Diagnostics &diagnostics_;
  FileState state_;
  std::vector<std::shared_ptr<KernelCheck>> checks_;
  std::set<std::tuple<DiagCode, uint32_t, uint32_t, uint32_t>> reportedAt_;
  size_t merged_ = 0; // how many of the file's messages are in reportedAt_
  size_t mostStatements_ = 0; // limit of mayLowerMore(); 0: not computed yet
  bool limitReported_ = false;
};

} // namespace xt
