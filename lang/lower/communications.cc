// Lowers the communications of tests.
#include "ir/base/text.h"
#include "lang/lower/rank_statements.h"

#include <algorithm>

namespace xt {

using Into = CommunicationInfo::Into;

struct RankStatements::Parts {
  const CommunicationInfo &info;
  const HostName *from = nullptr, *into = nullptr; // the buffers that are read and written
  std::string fromName = {};
  bool slice = false; // a slice of the source is read
  size_t rank = 0;    // the number of dimensions of the source
};

namespace {

// Axes that `shard` leaves out divide nothing.
bool isDividedAlike(const HostName &a, const HostName &b) {
  auto dimension = [](const HostName &buffer, size_t axis) { return axis < buffer.axes.size() ? buffer.axes[axis] : -1; };
  for (size_t axis = 0; axis < std::max(a.axes.size(), b.axes.size()); ++axis)
    if (dimension(a, axis) != dimension(b, axis)) return false;
  return true;
}

bool isSharded(const HostName &buffer) {
  return std::ranges::any_of(buffer.axes, [](int64_t dim) { return dim >= 0; });
}

std::string exampleOf(const CommunicationInfo &info) { return str("for example `", info.example, "`"); }

// "its arguments are kind, axis"
std::string argumentsText(const std::vector<std::string_view> &names) {
  if (names.empty()) return "it takes none";
  return str(names.size() == 1 ? "its only argument is " : "its arguments are ", join(names, ", "));
}

bool isGiven(const HostStmt &stmt, std::string_view name) {
  return std::ranges::find(stmt.named, name, &HostExpr::Named::name) != stmt.named.end();
}

} // namespace

// --- source and destination ------------------------------------------------------------------------------------------

// Checks a slice of a buffer, which keeps all dimensions.
bool RankStatements::checkSlice(const HostExpr &slice, const Parts &parts) {
  if (parts.info.kind != Communication::Broadcast) {
    wrong(slice.range, str("`", parts.info.name, "` takes a whole buffer, not a slice"))
        .note("a slice is sent by `broadcast`: " + exampleOf(communicationInfo(Communication::Broadcast)));
    return false;
  }
  size_t rank = parts.from->type.extents.size();
  if (slice.ranges.size() > rank && !parts.from->broken) {
    wrong(slice.range, str("the slice has ", slice.ranges.size(), " dimensions, and `%", parts.fromName, "` has ", rank));
    return false;
  }
  for (const HostExpr::Range &range : slice.ranges) {
    if (range.single) {
      wrong(range.begin[0].range, "a slice that is sent keeps all dimensions, so it has ranges and no single index")
          .note(exampleOf(parts.info));
      return false;
    }
    if (range.step.empty()) continue;
    wrong(range.step[0].range, "a slice that is sent has no step").note(exampleOf(parts.info));
    return false;
  }
  return true;
}

bool RankStatements::lowerSource(const ast::Stmt &stmt, HostStmt &out, Parts &parts) {
  if (!exprs_.lower(*stmt.expr, out.value)) return false;
  parts.slice = out.value.kind == HostExpr::Kind::Slice;
  const HostExpr &buffer = parts.slice ? out.value.args[0] : out.value;
  parts.from = bufferOf(buffer, parts.info.name);
  if (!parts.from) return false;
  parts.fromName = buffer.text;
  parts.rank = parts.from->type.extents.size();
  out.name = buffer.text;
  out.nameRange = buffer.range;
  return !parts.slice || checkSlice(out.value, parts);
}

bool RankStatements::lowerDestination(const ast::Stmt &stmt, HostStmt &out, Parts &parts) {
  parts.into = parts.from;
  if (!stmt.into) {
    if (parts.info.into != Into::Always && !parts.slice) return true;
    wrong(stmt.expr->range.endPoint(), parts.slice ? std::string("a slice is received in another buffer: `-> %P` is missing")
                                                   : str("`", parts.info.name, "` writes another buffer: `-> %Y` is missing"))
        .note(exampleOf(parts.info));
    return false;
  }
  if (parts.info.into == Into::Never) {
    wrong(stmt.into->range, str("`", parts.info.name, "` writes the buffer that it reads, and takes no `->`"))
        .note(exampleOf(parts.info));
    return false;
  }
  HostExpr buffer;
  parts.into = lowerBuffer(*stmt.into, parts.info.name, buffer);
  if (!parts.into) return false;
  out.name = buffer.text;
  out.nameRange = buffer.range;
  if (parts.into != parts.from) return true;
  wrong(buffer.range, str("`%", out.name, "` is read: the result goes to another buffer")).note(exampleOf(parts.info));
  return false;
}

// --- arguments -------------------------------------------------------------------------------------------------------

bool RankStatements::lowerKind(const ast::Expr &value, HostExpr &out) {
  std::span<const std::string_view> kinds = combineKinds();
  out.kind = HostExpr::Kind::Text;
  out.text = value.text;
  out.range = value.range;
  bool word = value.is(ast::Expr::Kind::Ident);
  if (word && std::ranges::find(kinds, value.text) != kinds.end()) return true;
  Diagnostic &report = wrong(value.range, word ? str("no kind is called `", value.text, "`")
                                               : std::string("the kind is a word, without quotes"));
  report.note("the kinds are " + join(kinds, ", "));
  if (word || value.is(ast::Expr::Kind::Text)) suggestName(report, value.range, 0, value.text, kinds);
  return false;
}

bool RankStatements::lowerArgument(const ast::Expr &value, std::string_view name, HostExpr &out) {
  if (name == "kind") return lowerKind(value, out);
  // A word that is no value is probably a kind.
  if (value.is(ast::Expr::Kind::Ident) && std::ranges::find(combineKinds(), value.text) != combineKinds().end()) {
    wrong(value.range, str("`", value.text, "` is a kind, and `", name, "` is an integer"));
    return false;
  }
  if (!exprs_.lower(value, out)) return false;
  auto named = out.kind == HostExpr::Kind::Buffer ? scope_.names.find(out.text) : scope_.names.end();
  bool buffer = named != scope_.names.end() && named->second.isBuffer;
  bool other = out.kind == HostExpr::Kind::Float || out.kind == HostExpr::Kind::Text || out.kind == HostExpr::Kind::Elem ||
               out.kind == HostExpr::Kind::List || out.kind == HostExpr::Kind::Slice;
  if (buffer || other) {
    wrong(value.range, str("`", name, "` is an integer"));
    return false;
  }
  bool outside = out.kind == HostExpr::Kind::Int && (out.integer < 0 || out.integer >= static_cast<int64_t>(axes_));
  if (name != "axis" || !outside) return true;
  Diagnostic &report = wrong(value.range, str("the mesh has no axis ", out.integer));
  if (mesh_) report.at(*mesh_, str("its axes are 0 to ", axes_ - 1));
  if (!mesh_) report.note("without `mesh` there is one axis, 0");
  return false;
}

bool RankStatements::lowerArguments(const ast::Stmt &stmt, HostStmt &out, const CommunicationInfo &info) {
  std::vector<std::string_view> names = argumentNames(info.named);
  std::vector<std::optional<HostExpr>> given(names.size());
  bool ok = true, named = false;
  for (size_t i = 0; i < stmt.values.size(); ++i) {
    const ast::Expr &value = stmt.values[i];
    size_t at = i;
    if (const ast::Name &name = stmt.argNames[i]) {
      named = true;
      at = static_cast<size_t>(std::ranges::find(names, name.text) - names.begin());
      if (at == names.size()) {
        Diagnostic &report = wrong(name.range, str("`", info.name, "` has no argument `", name.text, "`"));
        if (names.empty() || !suggestName(report, name.range, 0, name.text, names)) report.note(argumentsText(names));
        ok = false;
        continue;
      }
    } else if (named) {
      wrong(value.range, "a positional argument must come before the named ones");
      ok = false;
      continue;
    }
    if (at >= names.size()) {
      Diagnostic &report = wrong(value.range, names.empty() ? str("`", info.name, "` takes no arguments")
                                                            : str("`", info.name, "` takes at most ",
                                                                  counted(static_cast<int64_t>(names.size()), "argument")));
      if (!names.empty()) report.note(argumentsText(names));
      return false;
    }
    if (given[at]) {
      wrong(value.range, str("`", names[at], "` is given twice")).at(given[at]->range, "first here");
      ok = false;
      continue;
    }
    ok &= lowerArgument(value, names[at], given[at].emplace());
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (given[i]) out.named.push_back({std::string(names[i]), std::move(*given[i])});
  return ok;
}

// Reports an argument that is needed and missing. Returns whether there is one.
bool RankStatements::missingArguments(const ast::Stmt &stmt, const HostStmt &out, const CommunicationInfo &info) {
  std::vector<std::string_view> names = argumentNames(info.named);
  for (size_t i = 0; i < static_cast<size_t>(info.minArgs); ++i) {
    if (isGiven(out, names[i])) continue;
    wrong(stmt.word.range, str("`", info.name, "` needs the argument `", names[i], "`")).note(exampleOf(info));
    return true;
  }
  if (info.kind != Communication::Broadcast || stmt.into || isGiven(out, "root")) return false;
  wrong(stmt.word.range, "`broadcast` into the buffer that it reads needs the argument `root`")
      .note("for example `broadcast %C (root = 0)`");
  return true;
}

// --- what is read against what is written ----------------------------------------------------------------------------

bool RankStatements::checkTypes(const ast::Stmt &stmt, const Parts &parts) {
  const HostBufferType &from = parts.from->type, &into = parts.into->type;
  if (parts.from->broken || parts.into->broken) return false; // reported
  bool combines = parts.info.kind == Communication::AllReduce || parts.info.kind == Communication::ReduceScatter;
  if (combines && elemInfo(from.elem).bits < 8) {
    wrong(stmt.expr->range, str("`", parts.info.name, "` does not combine elements of type ", elemName(from.elem)))
        .note("elements have at least 8 bits");
    return false;
  }
  if (parts.from == parts.into) return true;
  if (from.elem != into.elem) {
    wrong(stmt.into->range,
          str("`%", stmt.into->text, "` holds ", elemName(into.elem), ", and ", elemName(from.elem), " is sent"))
        .at(stmt.expr->range, str("elements of type ", elemName(from.elem)));
    return false;
  }
  if (parts.rank != into.extents.size()) {
    wrong(stmt.into->range,
          str("`%", stmt.into->text, "` has ", counted(static_cast<int64_t>(into.extents.size()), "dimension"),
              ", and what is sent has ", parts.rank));
    return false;
  }
  if (parts.slice) return true;
  for (size_t d = 0; d < into.extents.size(); ++d) {
    const HostExpr &a = from.extents[d], &b = into.extents[d];
    if (a.kind != HostExpr::Kind::Int || b.kind != HostExpr::Kind::Int || a.integer == b.integer) continue;
    wrong(stmt.into->range, str("the ", ordinal(d + 1), " extent of `%", stmt.into->text, "` is ", b.integer,
                                ", and that of `%", parts.fromName, "` is ", a.integer))
        .note("the types of buffers have the extents of the whole array, sharded or not");
    return false;
  }
  return true;
}

// A root gives all that it holds, to ranks that hold as much.
bool RankStatements::checkRoot(const ast::Stmt &stmt, const HostStmt &out, const Parts &parts) {
  if (parts.slice) {
    wrong(stmt.expr->range, "a rank sends all that it holds, so `root` cannot be combined with a slice")
        .note("without `root`, the ranks that hold the slice send it: `broadcast %A[:, 0:32] -> %P`");
    return false;
  }
  if (isDividedAlike(*parts.from, *parts.into)) return true;
  wrong(stmt.into->range, str("`%", out.name, "` is not sharded as `%", parts.fromName, "` is"))
      .note("with `root`, each rank gets as much as the root holds");
  return false;
}

// The ranks that combine values, or get those of a root, hold the same part of a buffer.
bool RankStatements::checkSameParts(const ast::Stmt &stmt, const HostStmt &out, const Parts &parts) {
  auto axis = std::ranges::find(out.named, std::string_view("axis"), &HostExpr::Named::name);
  for (size_t i = 0; i < parts.from->axes.size(); ++i) {
    if (parts.from->axes[i] < 0) continue;
    if (axis != out.named.end() && (axis->value.kind != HostExpr::Kind::Int || axis->value.integer != static_cast<int64_t>(i)))
      continue; // a value that is known when the test runs is checked then
    wrong(stmt.expr->range,
          str("axis ", i, " of the mesh divides `%", parts.fromName, "`, so these ranks hold different parts of it"))
        .note(str("`", parts.info.name, " %", parts.fromName, " (axis = …)` takes ranks that hold the same part"));
    return false;
  }
  return true;
}

bool RankStatements::checkSharding(const ast::Stmt &stmt, const HostStmt &out, const Parts &parts) {
  bool from = isSharded(*parts.from), into = isSharded(*parts.into);
  auto need = [&](SourceRange range, std::string message, const std::string &buffer) {
    wrong(range, std::move(message)).note(str("for example `shard %", buffer, " (0)`, before launches and communications"));
    return false;
  };
  switch (parts.info.kind) {
  case Communication::AllGather:
    if (!from)
      return need(stmt.expr->range, str("`%", parts.fromName, "` is not sharded, so every rank holds all of it"),
                  parts.fromName);
    for (size_t i = 0; i < parts.from->axes.size() && i < parts.into->axes.size(); ++i) {
      int64_t dim = parts.into->axes[i];
      if (dim < 0 || dim == parts.from->axes[i]) continue;
      wrong(stmt.into->range, str("axis ", i, " of the mesh divides dimension ", dim, " of `%", out.name,
                                  "`, and not that of `%", parts.fromName, "`"))
          .note("the destination of `all_gather` is sharded less than the source, or not at all");
      return false;
    }
    if (parts.from->axes != parts.into->axes) return true;
    wrong(stmt.into->range, str("`%", out.name, "` is sharded as `%", parts.fromName, "` is, so nothing is gathered"))
        .note("the destination of `all_gather` is sharded less than the source, or not at all");
    return false;
  case Communication::ReduceScatter:
    if (from) {
      wrong(stmt.expr->range, str("`%", parts.fromName, "` is sharded, and `reduce_scatter` reads a whole buffer on each rank"))
          .note("`all_reduce` combines the parts of ranks that hold the same part");
      return false;
    }
    return into || need(stmt.into->range, str("`%", out.name, "` is not sharded, so it has no part for each rank"), out.name);
  case Communication::Broadcast:
    if (isGiven(out, "root")) return checkRoot(stmt, out, parts) && checkSameParts(stmt, out, parts);
    if (from) return true;
    wrong(stmt.expr->range, str("`%", parts.fromName, "` is not sharded, so `broadcast` needs the rank that sends it"))
        .note("for example `broadcast %C -> %P (root = 0)`");
    return false;
  case Communication::AllReduce: return checkSameParts(stmt, out, parts);
  case Communication::Send:
  case Communication::Recv:
  case Communication::Shift: return true;
  }
  return true;
}

bool RankStatements::lowerParts(const ast::Stmt &stmt, HostStmt &out, Parts &parts) {
  bool ok = lowerSource(stmt, out, parts) && lowerDestination(stmt, out, parts);
  ok &= lowerArguments(stmt, out, parts.info);
  return ok && !missingArguments(stmt, out, parts.info) && checkTypes(stmt, parts) && checkSharding(stmt, out, parts);
}

bool RankStatements::lowerCommunication(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Communicate;
  const CommunicationInfo *info = findCommunication(stmt.word.text);
  if (!info || !stmt.expr) return false;
  out.communication = info->kind;
  out.started = static_cast<bool>(stmt.start);
  Parts parts{.info = *info};
  bool ok = lowerParts(stmt, out, parts);
  if (parts.from) used(parts.fromName, stmt.range);
  if (parts.into) used(out.name, stmt.range);
  if (out.started && !out.name.empty()) {
    begun_.push_back({out.name, stmt.range});
    everBegun_.insert(out.name);
  }
  return ok;
}

} // namespace xt
