#include "lang/lower/file_params.h"

#include "ir/base/text.h"
#include "lang/check/param_targets.h"

#include <algorithm>
#include <map>
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

FileParams::FileParams(const FileSymbols &symbols, const std::vector<const ast::File *> &files, Diagnostics &diagnostics)
    : symbols_(symbols), files_(files), diagnostics_(diagnostics) {
  for (const ast::File *file : files)
    for (const ast::ParamDecl &param : file->params)
      for (const ast::TargetChoice &choice : param.targetChoices)
        if (std::ranges::find(targets_, choice.target) == targets_.end()) targets_.push_back(choice.target);
}

bool FileParams::isChangedBy(const ast::Name &param, const ConstValue &value) const {
  Diagnostics reported; // discarded: check() has reported the errors
  return std::ranges::any_of(targets_, [&](const std::string &target) {
    ParamScope params = scope({}, reported);
    params.setTarget(target);
    return params.get(param) != value;
  });
}

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
  params.setTarget(target_);
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
      std::vector<TargetValue> targets = checkTargets(param, choices);
      if (!value) continue;
      ModuleParam row{param.name.text, param.type.name.text, constText(*value), {}, std::move(targets)};
      for (const ConstValue &choice : choices) row.choices.push_back(constText(choice));
      // The value for a target is checked where it is stated.
      if (!choiceFor(param, target_) || isDefined(param)) checkListed(param, *value, param.name.range, choices);
      rows.push_back(std::move(row));
    }
  return rows;
}

bool FileParams::isDefined(const ast::ParamDecl &param) const {
  return std::ranges::find(defines_, param.name.text, &Overrides::value_type::first) != defines_.end();
}

void FileParams::checkListed(const ast::ParamDecl &param, const ConstValue &value, SourceRange range,
                             const std::vector<ConstValue> &choices) {
  if (isUnlisted(value, choices))
    diagnostics_.report(DiagCode::ParamNotListed, range, unlistedText(param.name.text, value, choices));
}

std::vector<TargetValue> FileParams::checkTargets(const ast::ParamDecl &param, const std::vector<ConstValue> &choices) {
  std::vector<TargetValue> rows;
  std::vector<std::string_view> known = paramTargets();
  std::map<std::string_view, SourceRange> stated;
  for (const ast::TargetChoice &choice : param.targetChoices) {
    bool broken = choice.targetRange.begin == choice.targetRange.end || (!choice.value && !choice.typeValue);
    if (broken) continue; // the parser has reported the error
    if (auto [first, isNew] = stated.emplace(choice.target, choice.targetRange); !isNew)
      diagnostics_
          .report(DiagCode::DuplicateName, choice.targetRange,
                  str("`$", param.name.text, "` has two values for `", choice.target, "`"))
          .at(first->second, "the first one");
    if (std::ranges::find(known, choice.target) == known.end()) {
      Diagnostic &diagnostic =
          diagnostics_.report(DiagCode::UnknownTarget, choice.targetRange, str("unknown target `", choice.target, "`"));
      if (std::string_view best = closestName(choice.target, known); !best.empty())
        diagnostic.fix(str("replace by \"", best, "\""), choice.targetRange, str('"', best, '"'));
      diagnostic.note("targets and families of targets are " + join(known, ", "));
    }
    ParamScope onTarget = scope({}, diagnostics_);
    onTarget.setTarget(choice.target);
    onTarget.forget(param.name.text); // the value of a definition
    std::optional<ConstValue> value = onTarget.get(param.name);
    if (!value) continue;
    checkListed(param, *value, choice.range, choices);
    rows.push_back({choice.target, constText(*value)});
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
