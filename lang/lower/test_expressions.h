// Lowers the expressions of tests: arrays, slices, calls of host functions.
#pragma once
#include "ir/module.h"
#include "lang/check/const_eval.h"
#include "lang/lower/host_function_calls.h"

#include <map>
#include <set>

namespace xt {

// A name that a test binds.
struct HostName {
  SourceRange range;
  bool isBuffer = false;
  bool isCounter = false; // the variable of a loop
  bool broken = false; // a buffer whose type is invalid, which has been reported
  HostBufferType type; // the type of a buffer
  std::vector<int64_t> axes =
      {}; // for each axis of the mesh the dimension of a buffer that it divides, or -1; empty: not sharded
};

// The names in scope in a test.
struct TestScope {
  bool isSize(std::string_view name) const;

  const HostTest *test = nullptr; // declares the sizes that are in scope
  std::map<std::string, HostName, std::less<>> names = {};
  std::vector<std::string> indexVars = {}; // the index variables of the formula that initialises a buffer
};

// Lowers the expressions of one test. The functions return false if an error was reported.
class HostExprLowering {
public:
  // `broken`: functions of tests whose bodies have errors, which have been reported.
  HostExprLowering(ParamScope &params, const TestScope &scope, const BrokenFunctions &broken)
      : params_(params), scope_(scope), broken_(broken) {}
  bool lower(const ast::Expr &expr, HostExpr &out);
  bool lowerCall(const ast::Expr &expr, const HostFnInfo &fn, HostExpr &out);
  // Keeps a name that the test binds from those that calls of functions bind.
  void reserve(const std::string &name) { calls_.taken.insert(name); }
  // Lowers the body of a function for any arguments, only to report its errors.
  bool checkFunction(const ast::KernelDecl &decl);
  // The names that calls of functions have bound since the last time. They belong before the statement that was lowered.
  std::vector<HostStmt> takeLets() { return std::exchange(calls_.lets, {}); }

private:
  bool lowerFunctionCall(const ast::Expr &expr, const ast::KernelDecl &decl, HostExpr &out);
  bool lowerArguments(const ast::Expr &expr, const ast::KernelDecl &decl, std::vector<HostExpr> &arguments);
  bool lowerBody(const ast::KernelDecl &decl, HostExpr &out);
  bool bindInFunction(const ast::Name &name, HostExpr value);
  const ast::KernelDecl *functionOfTests(const ast::Expr &expr);
  HostExpr named(const std::string &name, HostExpr value);
  bool mayInline(size_t parts, SourceRange range);
  bool lowerChildren(const ast::Expr &expr, HostExpr &out);
  bool lowerParam(const ast::Expr &expr, HostExpr &out);
  bool lowerName(const ast::Expr &expr, HostExpr &out);
  bool lowerNameInFunction(const ast::Expr &expr, HostExpr &out);
  bool lowerWord(const ast::Expr &expr, HostExpr &out);
  bool lowerNegative(const ast::Expr &expr, HostExpr &out);
  bool lowerOperator(const ast::Expr &expr, HostExpr &out);
  bool lowerNamedCall(const ast::Expr &expr, HostExpr &out);
  bool lowerSlice(const ast::Expr &expr, HostExpr &out);
  Diagnostics &diagnostics() const { return params_.diagnostics(); }

  ParamScope &params_;
  const TestScope &scope_;
  const BrokenFunctions &broken_;
  HostFunctionCalls calls_;
  int depth_ = 0;
};

} // namespace xt
