// Distinguishes kernels from functions.
#pragma once
#include "lang/ast.h"

#include <set>
#include <string>
#include <vector>

namespace xt {

class KernelKinds {
public:
  // `files`: the pieces of the compiled file and of its imports.
  explicit KernelKinds(const std::vector<const ast::File *> &files) : files_(files) {}

  // Whether a declaration is a kernel: it is declared as `kernel`, or it is a function without results that has a memref
  // parameter and either has a grid or is not called. The RFC writes kernels as such functions (`func.func`).
  bool isKernel(const ast::KernelDecl &decl);

private:
  bool isCalled(const ast::KernelDecl &decl);
  void collectCalls(const ast::Block &block, int depth);
  void collectCalls(const ast::Expr &expr, int depth);

  const std::vector<const ast::File *> &files_;
  std::set<std::string, std::less<>> called_; // names of called functions; collected on first use
  bool callsAreKnown_ = false;
};

} // namespace xt
