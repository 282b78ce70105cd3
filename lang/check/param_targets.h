// The values that a parameter has on some targets only: `param $BM : index = 256 for "xe-dg2" = 128`.
#pragma once
#include "lang/ast.h"

#include <string_view>
#include <vector>

namespace xt {

// The names that `for` may state: those of targets, and of families of targets ("xe" for "xe-pvc", "xe-dg2" …).
std::vector<std::string_view> paramTargets();

// The value that `for` states for this target, or else for its family. Null if there is none, so that the parameter has the
// value before `for`.
const ast::TargetChoice *choiceFor(const ast::ParamDecl &param, std::string_view target);

} // namespace xt
