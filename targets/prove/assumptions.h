// The assumptions of a walk over a kernel, and those that turned out to be wrong.
#pragma once
#include "targets/prove/smt.h"

#include <unordered_set>
#include <vector>

namespace xt {

class Op;
class Value;

// A walk assumes that integers stay in the range of their types, and that a memref or tile that a loop carries always refers to
// the same parameter. Assumptions that turn out to be wrong are recorded here, and the kernel is walked again.
struct Refuted {
  std::unordered_set<const Op *> wraps; // ops whose result may leave the range of its type
  std::vector<const Op *> shown; // ops of `wraps` that do not depend on data
  std::unordered_set<const Value *> bases; // parameters of loop bodies whose memref may change between iterations
  size_t size() const { return wraps.size() + bases.size(); }
};

// The assumption of a walk about the result of an op.
struct AssumedRange {
  const Op *op = nullptr;
  Term reached; // the op is executed
  Term fits; // the exact result is in the range of its type
};

} // namespace xt
