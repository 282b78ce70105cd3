// Lowers the statements about the ranks of a test: mesh, shard, communications and wait (lang/reference/ranks.md).
#pragma once
#include "lang/lower/test_expressions.h"

namespace xt {

class RankStatements {
public:
  RankStatements(ParamScope &params, TestScope &scope, HostExprLowering &exprs)
      : params_(params), scope_(scope), exprs_(exprs) {}

  // These return false if an error was reported.
  bool lowerMesh(const ast::Stmt &stmt, HostStmt &out);
  bool lowerShard(const ast::Stmt &stmt, HostStmt &out);
  bool lowerCommunication(const ast::Stmt &stmt, HostStmt &out);
  bool lowerWait(const ast::Stmt &stmt, HostStmt &out);
  // Records a launch, whose buffers must have been sharded above it.
  void launches(const HostStmt &launch);
  // Reports communications that are started and never waited for.
  bool allEnd();

private:
  // A communication that `start` began and no `wait` has ended.
  struct Begun {
    std::string buffer;
    SourceRange range;
  };
  struct Parts; // of a communication

  HostName *bufferOf(const HostExpr &expr, std::string_view word);
  HostName *lowerBuffer(const ast::Expr &expr, std::string_view word, HostExpr &out);
  bool positional(const ast::Stmt &stmt);
  bool lowerExtent(const ast::Expr &expr, HostExpr &out);
  std::optional<int64_t> dimension(const ast::Expr &expr, const HostName &buffer, const std::string &name);
  bool shardOnce(const ast::Stmt &stmt);
  bool fitsMesh(const ast::Stmt &stmt);
  bool lowerDimensions(const ast::Stmt &stmt, const HostName &buffer, std::vector<int64_t> &axes);
  bool lowerParts(const ast::Stmt &stmt, HostStmt &out, Parts &parts);
  bool lowerSource(const ast::Stmt &stmt, HostStmt &out, Parts &parts);
  bool lowerDestination(const ast::Stmt &stmt, HostStmt &out, Parts &parts);
  bool lowerArguments(const ast::Stmt &stmt, HostStmt &out, const CommunicationInfo &info);
  bool lowerArgument(const ast::Expr &value, std::string_view name, HostExpr &out);
  bool missingArguments(const ast::Stmt &stmt, const HostStmt &out, const CommunicationInfo &info);
  bool lowerKind(const ast::Expr &value, HostExpr &out);
  bool checkSlice(const HostExpr &slice, const Parts &parts);
  bool checkTypes(const ast::Stmt &stmt, const Parts &parts);
  bool checkSharding(const ast::Stmt &stmt, const HostStmt &out, const Parts &parts);
  bool checkRoot(const ast::Stmt &stmt, const HostStmt &out, const Parts &parts);
  bool checkSameParts(const ast::Stmt &stmt, const HostStmt &out, const Parts &parts);
  void used(const std::string &buffer, SourceRange range);
  Diagnostic &wrong(SourceRange range, std::string message);
  Diagnostics &diagnostics() const { return params_.diagnostics(); }

  ParamScope &params_;
  TestScope &scope_;
  HostExprLowering &exprs_;
  size_t axes_ = 1;                     // of the mesh
  std::optional<SourceRange> mesh_;     // the statement `mesh`
  std::optional<SourceRange> firstUse_; // the first statement that needs the mesh
  std::map<std::string, SourceRange, std::less<>> usedAt_, shardedAt_; // for each buffer the first use, and its `shard`
  std::vector<Begun> begun_;
  std::set<std::string, std::less<>> everBegun_;
};

} // namespace xt
