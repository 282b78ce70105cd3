// What a walk over a kernel assumes, and what of it turned out to be wrong.
#pragma once
#include "targets/prove/smt.h"

#include <unordered_set>
#include <vector>

namespace xt {

class Op;
class Value;

// A walk assumes that integers stay in the range of their types, and that what a loop carries is always in the same
// parameter. What turns out to be wrong is entered here, and the kernel is walked again.
struct Refuted {
  std::unordered_set<const Op *> wraps; // the result leaves the range of its type
  std::vector<const Op *> shown; // those of them that do not depend on data
  std::unordered_set<const Value *> bases; // a parameter of a loop's body that is carried from one memref to another
  size_t size() const { return wraps.size() + bases.size(); }
};

// What a walk assumes about the result of an op.
struct AssumedRange {
  const Op *op = nullptr;
  Term reached; // the op is executed
  Term fits; // the exact result is in the range of its type
};

} // namespace xt
