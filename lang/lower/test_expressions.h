// Lowers the expressions of tests: arrays, slices, calls of host functions.
#pragma once
#include "ir/module.h"
#include "lang/check/const_eval.h"

#include <map>

namespace xt {

// A name that a test binds.
struct HostName {
  SourceRange range;
  bool isBuffer = false;
  bool isCounter = false; // the variable of a loop
  bool broken = false; // a buffer whose type is invalid, which has been reported
  HostBufferType type; // the type of a buffer
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
  HostExprLowering(ParamScope &params, const TestScope &scope) : params_(params), scope_(scope) {}
  bool lower(const ast::Expr &expr, HostExpr &out);
  bool lowerCall(const ast::Expr &expr, const HostFnInfo &fn, HostExpr &out);

private:
  bool lowerChildren(const ast::Expr &expr, HostExpr &out);
  bool lowerParam(const ast::Expr &expr, HostExpr &out);
  bool lowerName(const ast::Expr &expr, HostExpr &out);
  bool lowerWord(const ast::Expr &expr, HostExpr &out);
  bool lowerNegative(const ast::Expr &expr, HostExpr &out);
  bool lowerOperator(const ast::Expr &expr, HostExpr &out);
  bool lowerNamedCall(const ast::Expr &expr, HostExpr &out);
  bool lowerSlice(const ast::Expr &expr, HostExpr &out);
  Diagnostics &diagnostics() const { return params_.diagnostics(); }

  ParamScope &params_;
  const TestScope &scope_;
  int depth_ = 0;
};

} // namespace xt
