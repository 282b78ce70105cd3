// Lowers the launches of tests.
#include "ir/base/text.h"
#include "lang/lower/test_lowering.h"

#include <algorithm>

namespace xt {

bool TestLowering::checkArgument(const HostExpr &arg, const Value &param, size_t index) {
  Type type = param.type();
  const HostName *buffer = nullptr;
  if (arg.kind == HostExpr::Kind::Buffer)
    if (auto it = scope_.names.find(arg.text); it != scope_.names.end() && it->second.isBuffer) buffer = &it->second;
  auto wrong = [&](std::string message, std::string note = {}) {
    auto &diagnostic = diagnostics().report(DiagCode::LaunchArgumentType, arg.range, std::move(message));
    diagnostic.at(param.range(), str("parameter ", index + 1, ": ", shapedText(type)));
    if (!note.empty()) diagnostic.note(std::move(note));
    return false;
  };
  if (buffer && buffer->broken) return false; // an error in its type has been reported
  // For a parameter of address type, a buffer passes its address.
  if (type.isScalar())
    return buffer && !type.isAddress() ? wrong(str("`%", param.name(), "` is a scalar, but this is a buffer")) : true;
  if (!buffer)
    return wrong(str("`%", param.name(), "` is a memref, so its argument is a buffer"),
                 str("a formula makes a buffer of an expression: `%Z = ", formulaHead(type.shape().size()), "… : memref<…>`"));
  if (buffer->type.elem != type.elem())
    return wrong(str("the buffer holds ", elemName(buffer->type.elem), ", the kernel takes ", elemName(type.elem())));
  if (buffer->type.extents.size() != type.shape().size())
    return wrong(str("the buffer has ", buffer->type.extents.size(), " dimensions, the kernel takes ", type.rank()));
  for (size_t d = 0; d < type.shape().size(); ++d) {
    const HostExpr &extent = buffer->type.extents[d];
    int64_t wanted = type.shape()[d];
    // A rank passes its part of a sharded buffer, whose extents depend on the number of ranks.
    if (std::ranges::find(buffer->axes, static_cast<int64_t>(d)) != buffer->axes.end()) continue;
    if (wanted != kDynamic && extent.kind == HostExpr::Kind::Int && extent.integer != wanted)
      return wrong(str("the ", ordinal(d + 1), " extent of the buffer is ", extent.integer, ", the kernel takes ", wanted));
  }
  return true;
}

bool TestLowering::lowerLaunch(const ast::Stmt &stmt, HostStmt &out) {
  out.kind = HostStmt::Kind::Launch;
  out.kernelRange = stmt.kernel.range;
  bool ok = true;
  for (const ast::Expr &value : stmt.values) {
    out.args.emplace_back();
    ok &= exprs_.lower(value, out.args.back());
  }
  ranks_.launches(out);
  for (const ast::Expr &extent : stmt.grid) {
    out.grid.emplace_back();
    ok &= exprs_.lower(extent, out.grid.back());
  }
  if (stmt.grid.size() > 3) {
    diagnostics().report(DiagCode::GridRange, stmt.grid[3].range, "a grid has at most three extents: x, y, z");
    ok = false;
  }
  const ast::KernelDecl *decl = params_.symbols().kernel(stmt.kernel.text);
  if (NameIndex *index = params_.symbols().index(); index && decl)
    index->use(NameKind::Kernel, stmt.kernel.range, decl->name.range);
  if (!decl) {
    if (!stmt.kernel || !params_.symbols().complete()) return false;
    auto &diagnostic =
        diagnostics().report(DiagCode::UnknownKernel, stmt.kernel.range, str("unknown kernel `@", stmt.kernel.text, "`"));
    suggestName(diagnostic, stmt.kernel.range, '@', stmt.kernel.text, params_.symbols().kernelNames());
    return false;
  }
  if (decl->ofTests) {
    diagnostics()
        .report(DiagCode::NotHere, stmt.kernel.range, str("`@", stmt.kernel.text, "` is a function of tests, not a kernel"))
        .at(decl->name.range, "its parameters have no types");
    return false;
  }
  Overrides overrides;
  if (stmt.attrs)
    for (const ast::Attr::Entry &entry : stmt.attrs->entries) {
      const ast::ParamDecl *param = params_.symbols().param(entry.key.text);
      if (NameIndex *index = params_.symbols().index(); index && param)
        index->use(NameKind::Param, entry.key.range, param->name.range);
      if (!param) {
        ok = false;
        if (!params_.symbols().complete()) continue;
        auto &diagnostic =
            diagnostics().report(DiagCode::UnknownParam, entry.key.range, str("unknown parameter `$", entry.key.text, "`"));
        suggestName(diagnostic, entry.key.range, 0, entry.key.text, params_.symbols().paramNames());
        continue;
      }
      std::optional<ConstValue> value;
      if (entry.value && entry.value->value)
        value = params_.eval(*entry.value->value);
      else if (entry.value && (entry.value->kind == ast::Attr::Kind::Word || entry.value->kind == ast::Attr::Kind::Type)) {
        ast::TypeExpr type;
        if (entry.value->type)
          type = *entry.value->type;
        else
          type.kind = ast::TypeExpr::Kind::Word, type.name = entry.value->name, type.range = entry.value->range;
        if (std::optional<Elem> elem = types_.element(type))
          value = ConstValue{.kind = ConstValue::Kind::Type, .elem = *elem, .literal = false};
      }
      if (value) value = paramValue(*param, *value, entry.range, diagnostics());
      if (value)
        overrides.emplace_back(entry.key.text, *value);
      else
        ok = false;
    }
  if (!ok) return false;
  Kernel *kernel = instantiate_(*decl, std::move(overrides), stmt.attrs ? &*stmt.attrs : nullptr);
  if (!kernel) return false;
  out.kernel = kernel->name;
  if (out.args.size() != kernel->paramCount) {
    diagnostics()
        .report(DiagCode::LaunchArguments, stmt.kernel.range,
                str("`@", stmt.kernel.text, "` takes ", kernel->paramCount, " argument", kernel->paramCount == 1 ? "" : "s",
                    ", but ", out.args.size(), out.args.size() == 1 ? " is" : " are", " given"))
        .at(decl->name.range, "the kernel");
    return false;
  }
  for (size_t i = 0; i < out.args.size(); ++i) ok &= checkArgument(out.args[i], *kernel->param(i), i);
  if (!out.grid.empty() && !kernel->grid.empty()) {
    diagnostics()
        .report(DiagCode::NotHere, out.grid[0].range, "this kernel declares its own grid, so the launch cannot give one")
        .at(decl->name.range, "the kernel");
    return false;
  }
  return ok;
}

} // namespace xt
