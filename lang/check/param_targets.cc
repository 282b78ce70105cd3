#include "lang/check/param_targets.h"

#include "ir/gpu/target_info.h"

#include <algorithm>

namespace xt {
namespace {

std::string_view familyOf(std::string_view target) { return target.substr(0, target.find('-')); }

} // namespace

std::vector<std::string_view> paramTargets() {
  std::vector<std::string_view> names = {"interp", "cpu"};
  auto add = [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const TargetInfo &target : targetInfos()) add(familyOf(target.name)), add(target.name);
  return names;
}

const ast::TargetChoice *choiceFor(const ast::ParamDecl &param, std::string_view target) {
  if (target.empty()) return nullptr;
  for (std::string_view name : {target, familyOf(target)})
    for (const ast::TargetChoice &choice : param.targetChoices)
      if (choice.target == name) return &choice;
  return nullptr;
}

} // namespace xt
