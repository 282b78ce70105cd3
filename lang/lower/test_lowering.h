// Lowers `test` blocks to host ops.
#pragma once
#include "ir/module.h"
#include "lang/check/types.h"
#include "lang/lower/file_params.h"
#include "lang/lower/rank_statements.h"
#include "lang/lower/test_expressions.h"

#include <functional>

namespace xt {

// Returns the start of a formula that initialises a buffer, with an index for each dimension: "from (i, j) => " for two.
std::string formulaHead(size_t dimensions);

class TestLowering {
public:
  // Returns the instance of a kernel with these overrides, lowering it if it does not exist yet; null if an error was reported.
  // `attrs` is the attribute that contains the overrides, null if there are none.
  using Instantiate = std::function<Kernel *(const ast::KernelDecl &decl, Overrides overrides, const ast::Attr *attrs)>;

  using Sizes = std::vector<std::pair<std::string, int64_t>>;

  // `sizes`: LowerOptions::sizes.
  TestLowering(Context &context, ParamScope &params, const Sizes &sizes, const BrokenFunctions &broken, Instantiate instantiate)
      : params_(params), types_(context, params), sizes_(sizes), instantiate_(std::move(instantiate)),
        exprs_(params, scope_, broken), ranks_(params, scope_, exprs_) {}
  TestLowering(const TestLowering &) = delete; // exprs_ refers to scope_
  TestLowering &operator=(const TestLowering &) = delete;
  // Lowers one test. Returns false if an error was reported.
  bool lower(const ast::TestDecl &decl, HostTest &test);

private:
  bool lowerSizes(const ast::TestDecl &decl);
  bool lowerStmt(const ast::Stmt &stmt, HostStmt &out);
  bool lowerBuffer(const ast::Stmt &stmt, HostStmt &out);
  const ast::TypeExpr *shapedType(const ast::TypeExpr &alias) const;
  bool lowerType(const ast::TypeExpr &expr, HostBufferType &out);
  bool lowerBound(const ast::Expr &expr, HostExpr &out);
  bool lowerLoop(const ast::Stmt &stmt, HostStmt &out);
  static bool mayRepeat(const ast::Stmt &stmt);
  bool lowerLaunch(const ast::Stmt &stmt, HostStmt &out);
  bool checkArgument(const HostExpr &arg, const Value &param, size_t index);
  bool lowerCheck(const ast::Stmt &stmt, HostStmt &out);
  static bool makesBuffer(const ast::Expr &init);
  bool bufferWithoutType(const ast::Stmt &stmt);
  void sizesWithoutSigil(const ast::TypeExpr &expr, size_t errors);
  bool bindBuffer(const ast::Name &name, const HostBufferType &type, bool typed);
  bool bind(const ast::Name &name, const HostBufferType *type);
  Diagnostics &diagnostics() const { return params_.diagnostics(); }

  ParamScope &params_;
  TypeResolver types_;
  const Sizes &sizes_;
  Instantiate instantiate_;
  HostTest *test_ = nullptr;
  TestScope scope_;
  HostExprLowering exprs_;
  RankStatements ranks_;
  int loops_ = 0; // number of loops around the statement
};

} // namespace xt
