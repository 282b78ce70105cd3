// The state of inlining functions of tests: `func @f(%x) = formula`.
#pragma once
#include "ir/host.h"
#include "lang/ast.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace xt {

// Functions of tests whose bodies have errors, which have been reported. Calls of them are not lowered.
using BrokenFunctions = std::set<const ast::KernelDecl *>; // for lookup only

struct HostFunctionCalls {
  struct Bound {
    HostExpr value;
    SourceRange range; // of the name where it is bound
  };
  // A function whose body is being lowered in place of a call.
  struct Frame {
    const ast::KernelDecl *decl;
    std::map<std::string, Bound, std::less<>> names;
  };

  std::deque<Frame> frames; // innermost last; a deque, because a nested call must not move the outer frames
  std::vector<HostStmt> lets; // bindings of values that a function uses more than once, in the order of evaluation
  std::set<std::string, std::less<>> taken; // names that the test binds anywhere, and the names of all `lets` so far
  std::map<std::string, int, std::less<>> numbers; // for each name of a parameter or statement, the number behind its last let
  size_t parts = 0; // number of expressions in the bodies of the calls so far, with those that were copied
};

} // namespace xt
