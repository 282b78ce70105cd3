#include "lang/lower/rank_statements.h"

#include "ir/base/text.h"
#include "lang/parse/rank_words.h"

#include <algorithm>
#include <array>

namespace xt {
namespace {

constexpr size_t kMostAxes = 3;

// The first part of an expression whose value may differ between ranks, or that needs the mesh; null if there is none.
const HostExpr *ownPart(const HostExpr &expr) {
  bool rank = expr.kind == HostExpr::Kind::Call && expr.fn == HostFn::Rank;
  bool axis = expr.kind == HostExpr::Kind::Call && expr.fn == HostFn::Ranks && (!expr.args.empty() || !expr.named.empty());
  if (rank || axis || expr.kind == HostExpr::Kind::Buffer) return &expr;
  const HostExpr *found = nullptr;
  eachOperand(expr, [&](const HostExpr &operand) { found = found ? found : ownPart(operand); });
  return found;
}

} // namespace

Diagnostic &RankStatements::wrong(SourceRange range, std::string message) {
  return diagnostics().report(DiagCode::TestCommunication, range, std::move(message));
}

void RankStatements::used(const std::string &buffer, SourceRange range) {
  usedAt_.emplace(buffer, range);
  if (!firstUse_) firstUse_ = range;
}

void RankStatements::launches(const HostStmt &launch) {
  for (const HostExpr &arg : launch.args) {
    const bool address = arg.kind == HostExpr::Kind::Call && arg.fn == HostFn::Address && arg.args.size() == 1;
    const HostExpr &buffer = address ? arg.args[0] : arg;
    if (buffer.kind == HostExpr::Kind::Buffer) used(buffer.text, launch.range);
  }
  if (!firstUse_) firstUse_ = launch.range;
}

// The buffer that an expression names; null, with an error, if it names something else.
HostName *RankStatements::bufferOf(const HostExpr &expr, std::string_view word) {
  auto named = expr.kind == HostExpr::Kind::Buffer || expr.kind == HostExpr::Kind::Counter ? scope_.names.find(expr.text)
                                                                                           : scope_.names.end();
  if (named != scope_.names.end() && named->second.isBuffer) return &named->second;
  Diagnostic &report =
      diagnostics().report(DiagCode::UnknownValue, expr.range,
                           named == scope_.names.end() ? str("`", word, "` takes a buffer")
                                                       : str("`%", expr.text, "` is a value, and `", word, "` takes a buffer"));
  if (const RankWord *info = findRankWord(word)) report.note(str("for example `", info->example, "`"));
  if (named != scope_.names.end()) report.at(named->second.range, "bound here");
  return nullptr;
}

HostName *RankStatements::lowerBuffer(const ast::Expr &expr, std::string_view word, HostExpr &out) {
  return exprs_.lower(expr, out) ? bufferOf(out, word) : nullptr;
}

// Reports arguments with names, which `mesh` and `shard` do not have.
bool RankStatements::positional(const ast::Stmt &stmt) {
  for (const ast::Name &name : stmt.argNames) {
    if (!name) continue;
    wrong(name.range, str("`", stmt.word.text, "` takes an argument for each axis of the mesh, in order and without names"))
        .note(str("for example `", findRankWord(stmt.word.text)->example, "`"));
    return false;
  }
  return true;
}

// --- mesh ------------------------------------------------------------------------------------------------------------

bool RankStatements::lowerExtent(const ast::Expr &expr, HostExpr &out) {
  if (!exprs_.lower(expr, out)) return false;
  if (const HostExpr *own = ownPart(out)) {
    wrong(own->range, "the extents of a mesh are made of numbers, sizes and ranks(), which are the same on all ranks")
        .note("0 stands for the ranks that are left: `mesh (2, 0)`");
    return false;
  }
  bool number = out.kind == HostExpr::Kind::Int || out.kind == HostExpr::Kind::Size || out.kind == HostExpr::Kind::Call;
  if (number && !(out.kind == HostExpr::Kind::Int && out.integer < 0)) return true;
  wrong(out.range, number ? str("the extent of an axis must not be negative: ", out.integer)
                          : std::string("the extent of an axis is an integer"))
      .note("0 stands for the ranks that are left: `mesh (2, 0)`");
  return false;
}

bool RankStatements::lowerMesh(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Mesh;
  bool ok = positional(stmt);
  if (mesh_) {
    wrong(stmt.word.range, "a test arranges its ranks once").at(*mesh_, "the first `mesh`");
    ok = false;
  } else if (firstUse_) {
    wrong(stmt.word.range, "`mesh` must come before the first shard, launch and communication")
        .at(*firstUse_, "the first of them");
    ok = false;
  }
  if (stmt.values.empty() || stmt.values.size() > kMostAxes) {
    wrong(stmt.values.empty() ? stmt.range : stmt.values[kMostAxes].range,
          str("a mesh has 1 to ", kMostAxes, " axes, not ", stmt.values.size()))
        .note("for example `mesh (2, 0)`, a grid with 2 rows");
    ok = false;
  }
  for (const ast::Expr &value : stmt.values) {
    out.args.emplace_back();
    ok &= lowerExtent(value, out.args.back());
  }
  if (!mesh_) mesh_ = stmt.range;
  axes_ = std::clamp<size_t>(stmt.values.size(), 1, kMostAxes);
  return ok;
}

// --- shard -----------------------------------------------------------------------------------------------------------

// Whether the buffer may be sharded here: it has not been, and nothing uses it yet.
bool RankStatements::shardOnce(const ast::Stmt &stmt) {
  const std::string &name = stmt.expr->text;
  auto [first, isNew] = shardedAt_.emplace(name, stmt.range);
  if (!isNew) {
    wrong(stmt.expr->range, str("`%", name, "` is sharded twice")).at(first->second, "sharded here");
    return false;
  }
  auto used = usedAt_.find(name);
  if (used == usedAt_.end()) return true;
  wrong(stmt.expr->range, str("`%", name, "` is used before it is sharded"))
      .at(used->second, "used here")
      .note("a buffer is sharded for the whole test: write `shard` before launches and communications");
  return false;
}

// The dimension that an argument of `shard` gives, -1 for `none`; nothing if an error was reported.
std::optional<int64_t> RankStatements::dimension(const ast::Expr &expr, const HostName &buffer, const std::string &name) {
  if (expr.is(ast::Expr::Kind::Ident) && expr.text == "none") return -1;
  bool size = expr.is(ast::Expr::Kind::Param) && scope_.isSize(expr.text);
  if (size || expr.is(ast::Expr::Kind::Ident)) {
    Diagnostic &report = wrong(expr.range, size ? str("a dimension is a constant, and `$", expr.text, "` is a size of the test")
                                                : str("expected a dimension or `none`, found `", expr.text, "`"));
    if (size || !suggestName(report, expr.range, 0, expr.text, std::array<std::string_view, 1>{"none"}))
      report.note("for example `shard %A (0, none)`");
    return std::nullopt;
  }
  std::optional<int64_t> dim = params_.evalInt(expr, "a dimension");
  if (!dim || buffer.broken) return dim;
  size_t rank = buffer.type.extents.size();
  if (*dim >= 0 && *dim < static_cast<int64_t>(rank)) return dim;
  Diagnostic &report = wrong(expr.range, str("`%", name, "` has no dimension ", *dim));
  report.note(rank == 1 ? std::string("its only dimension is 0") : str("its dimensions are 0 to ", rank - 1));
  return std::nullopt;
}

// Reports a `shard` with more arguments than the mesh has axes, or with none.
bool RankStatements::fitsMesh(const ast::Stmt &stmt) {
  if (stmt.values.empty()) {
    wrong(stmt.range, "`shard` needs the dimension that an axis of the mesh divides").note("for example `shard %A (0)`");
    return false;
  }
  if (stmt.values.size() <= axes_) return true;
  Diagnostic &report = wrong(stmt.values[axes_].range, str("the mesh has ", axes_, axes_ == 1 ? " axis" : " axes",
                                                           ", and this is the ", ordinal(axes_ + 1), " dimension"));
  if (mesh_)
    report.at(*mesh_, "the mesh");
  else
    report.note("without `mesh` there is one axis, of all ranks; `mesh (2, 0)` before this makes two");
  return false;
}

// Gives `axes` the dimension that each axis of the mesh divides.
bool RankStatements::lowerDimensions(const ast::Stmt &stmt, const HostName &buffer, std::vector<int64_t> &axes) {
  bool ok = true;
  for (size_t i = 0; i < std::min(axes_, stmt.values.size()); ++i) {
    const ast::Expr &value = stmt.values[i];
    std::optional<int64_t> dim = dimension(value, buffer, stmt.expr->text);
    ok &= dim.has_value();
    if (dim && *dim >= 0 && std::ranges::count(axes, *dim)) {
      wrong(value.range, str("dimension ", *dim, " is divided by another axis already"))
          .note("an axis that divides no dimension is `none`");
      ok = false;
    }
    axes[i] = dim.value_or(-1);
  }
  return ok;
}

bool RankStatements::lowerShard(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Shard;
  if (!firstUse_) firstUse_ = stmt.range;
  bool ok = positional(stmt);
  HostExpr buffer;
  HostName *name = stmt.expr ? lowerBuffer(*stmt.expr, "shard", buffer) : nullptr;
  if (!name) return false;
  out.name = buffer.text;
  out.nameRange = buffer.range;
  ok &= fitsMesh(stmt);
  std::vector<int64_t> axes(axes_, -1);
  ok &= lowerDimensions(stmt, *name, axes);
  ok &= shardOnce(stmt);
  name->axes = axes;
  for (int64_t dim : axes) {
    HostExpr arg;
    arg.integer = dim;
    arg.range = stmt.range;
    out.args.push_back(std::move(arg));
  }
  return ok;
}

// --- wait ------------------------------------------------------------------------------------------------------------

bool RankStatements::lowerWait(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Wait;
  HostExpr buffer;
  if (!stmt.expr || !lowerBuffer(*stmt.expr, "wait", buffer)) return false;
  out.name = buffer.text;
  out.nameRange = buffer.range;
  std::erase_if(begun_, [&](const Begun &each) { return each.buffer == out.name; });
  if (everBegun_.contains(out.name)) return true;
  Diagnostic &report = wrong(buffer.range, str("nothing above has started a communication that writes `%", out.name, "`"));
  report.note(str("`start` begins it, for example `start all_reduce %", out.name, "`"));
  return false;
}

bool RankStatements::allEnd() {
  for (const Begun &each : begun_)
    wrong(each.range, str("no `wait %", each.buffer, "` below ends this communication"))
        .note("without `start` it ends before the next statement");
  return begun_.empty();
}

} // namespace xt
