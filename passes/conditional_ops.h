// Puts ops into an `if`, for passes that let only some of the subgroups or lanes run them.
#pragma once
#include "ir/builder.h"

#include <functional>

namespace xt {

// Lets `body` create ops that run only where the condition holds. Null: everywhere, without an `if`.
void onlyWhere(Builder &builder, Value *condition, const std::function<void()> &body);

// A value of `type` that comes from the ops of `body` where the condition holds and from those of `otherwise` elsewhere.
// A null condition always holds.
Value *valueWhere(Builder &builder, Value *condition, Type type, const std::function<Value *()> &body,
                  const std::function<Value *()> &otherwise);

} // namespace xt
