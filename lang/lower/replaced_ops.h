// Ops that others replace before layouts are inferred, and what the source's records say about them.
#pragma once
#include "lang/lower/kernel_state.h"

#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace xt {

class ReplacedOps {
public:
  explicit ReplacedOps(KernelState &state) : state_(state) {}

  // Makes the users of the op's result use `value`. `layout`: that of the value, if it has none yet.
  void replace(Op &op, Value *value, const Layout *layout);
  void drop(Op &op) { dead_.push_back(&op); } // an op without a result that is still used

  // Removes the records about the ops and about their results; `vanishes`: whether another value will not exist either.
  void forget(const std::function<bool(const Value *)> &vanishes = nullptr);
  void erase(); // the ops, the last one first

private:
  KernelState &state_;
  std::vector<Op *> dead_;
  std::unordered_map<const Value *, Value *> values_; // by the result that each of them replaces; for lookup only
};

} // namespace xt
