#include "lang/lower/file_params.h"

#include "ir/base/text.h"

#include <algorithm>
#include <set>

namespace xt {
namespace {

bool isUnlisted(const ConstValue &value, const std::vector<ConstValue> &choices) {
  return !choices.empty() && std::find(choices.begin(), choices.end(), value) == choices.end();
}
std::string unlistedText(const std::string &name, const ConstValue &value, const std::vector<ConstValue> &choices) {
  std::vector<std::string> listed;
  for (const ConstValue &choice : choices) listed.push_back(constText(choice));
  return str("`$", name, "` is ", constText(value), ", which its `in [", join(listed, ", "), "]` does not list");
}

} // namespace

void FileParams::readDefines(const std::vector<std::pair<std::string, std::string>> &defines) {
  for (const auto &[name, text] : defines) {
    const ast::ParamDecl *param = symbols_.param(name);
    std::optional<ConstValue> value = param ? paramFromText(*param, text) : std::nullopt;
    if (value) {
      defines_.emplace_back(name, *value);
      continue;
    }
    if (!param) {
      auto &diagnostic = diagnostics_.report(DiagCode::UnknownParam, {},
                                             str("-D ", name, "=", text, ": the file has no parameter `$", name, "`"));
      std::vector<std::string_view> names = symbols_.paramNames();
      if (!names.empty()) diagnostic.note("its parameters are $" + join(names, ", $"));
    } else {
      diagnostics_.report(DiagCode::LiteralValue, param->name.range,
                          str("-D ", name, "=", text, ": `", text, "` is not a value of type ", param->type.name.text));
    }
  }
}

ParamScope FileParams::scope(const Overrides &overrides, Diagnostics &diagnostics) const {
  ParamScope params(symbols_, diagnostics);
  for (const auto &[name, value] : defines_) params.override(name, value);
  for (const auto &[name, value] : overrides) params.override(name, value);
  return params;
}

std::vector<ModuleParam> FileParams::check() {
  std::vector<ModuleParam> rows;
  ParamScope params = scope({}, diagnostics_);
  for (const ast::File *file : files_)
    for (const ast::ParamDecl &param : file->params) {
      if (!param.name || symbols_.param(param.name.text) != &param) continue;
      std::optional<ConstValue> value = params.get(param.name);
      std::vector<ConstValue> choices = params.choices(param);
      if (!value) continue;
      ModuleParam row{param.name.text, param.type.name.text, constText(*value), {}};
      for (const ConstValue &choice : choices) row.choices.push_back(constText(choice));
      if (isUnlisted(*value, choices))
        diagnostics_.report(DiagCode::ParamNotListed, param.name.range, unlistedText(row.name, *value, choices));
      rows.push_back(std::move(row));
    }
  return rows;
}

void FileParams::checkLaunch(ParamScope &launch, const Lookups &kernel, ParamScope &file, const ast::Attr &attrs) {
  Diagnostics reported; // discarded: errors in the lists have been reported
  std::set<std::string_view> used;
  for (const Lookups::Entry &entry : kernel.entries)
    if (entry.kind == NameKind::Param) used.insert(entry.name);
  for (const ast::File *source : files_)
    for (const ast::ParamDecl &param : source->params) {
      if (symbols_.param(param.name.text) != &param || !used.contains(param.name.text)) continue;
      std::optional<ConstValue> value = launch.get(param.name);
      if (!value || value == file.get(param.name)) continue;
      std::vector<ConstValue> choices = ParamScope(launch, reported).choices(param);
      if (!isUnlisted(*value, choices)) continue;
      SourceRange range = attrs.range;
      for (const ast::Attr::Entry &entry : attrs.entries)
        if (entry.key.text == param.name.text) range = entry.range;
      diagnostics_.report(DiagCode::ParamNotListed, range, unlistedText(param.name.text, *value, choices))
          .at(param.name.range, "declared here");
    }
}

} // namespace xt
