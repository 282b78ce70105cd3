// Puts ops into an `if`, for passes that let only some of the subgroups or lanes run them.
#pragma once
#include "ir/builder.h"

#include <functional>

namespace xt {

// Puts the ops that `body` creates into an `if`, so that they run only where the condition holds. If the condition is null,
// they always run, without an `if`.
void onlyWhere(Builder &builder, Value *condition, const std::function<void()> &body);

// Returns a value of `type`: that of `body` where the condition holds, and that of `otherwise` elsewhere. A null condition
// always holds.
Value *valueWhere(Builder &builder, Value *condition, Type type, const std::function<Value *()> &body,
                  const std::function<Value *()> &otherwise);

} // namespace xt
