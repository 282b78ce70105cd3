// Random ops on tiles, vectors and single elements.
#pragma once
#include "tests/targets/cpu/vector/random_values.h"

namespace xt {

// Each op takes random values that are in scope, and adds its result to them.
class RandomTileOps : protected RandomValues {
protected:
  explicit RandomTileOps(uint64_t seed) : RandomValues(seed) {}

  void load();
  void store();

  // Sums and products of floats are not used, because they are exact in any order only for some values.
  void reduction();
  void broadcast();
  void reshape();
  void extract();
  void insert();
  void generate();
  void pointwise();

  void gather();
  void scatter();
  void atomic();
  void element();
  void print() { m_.print("x", {vector(), any(scalars_)}); }

private:
  // Returns the indices of an element of `x`; those that are scalars in scope may be out of bounds.
  std::vector<Value *> place(Value *x);
};

} // namespace xt
