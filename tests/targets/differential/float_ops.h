// Statements of random kernels on floats that load vectors and compute on them, each with the expression that the test compares
// the result with.
#pragma once
#include "tests/targets/differential/float_test_text.h"

#include <initializer_list>
#include <vector>

namespace xt {

// Each statement takes values at random and adds its result to them.
class FloatOps : protected FloatTestText {
protected:
  struct Vec {
    std::string name, elem, layout, host; // host: the name of the same values in the test, an array [batch, rows, columns]
    Shape shape;
    double most; // no element is larger in magnitude
  };

  explicit FloatOps(uint64_t seed) : FloatTestText(seed) {}

  static bool isNarrow(const std::string &elem) { return elem == "f16" || elem == "bf16"; }
  static bool isByte(const std::string &elem) { return elem == "f8E4M3" || elem == "f8E5M2"; }

  // Adds a value to those that later statements may take.
  Vec add(Vec v);
  Vec any() { return chooseFrom(values_); }
  // Returns a value of one of the element types. Loads one if there is none.
  Vec anyOf(std::initializer_list<const char *> elems);
  Vec floats() { return anyOf({"f32", "f16", "bf16", "f64"}); }
  Vec settled(const Vec &v) { return add(inKnownLayout(v)); }
  // In the kernel, each operation on f16 and bf16 rounds to that type. The host rounds to f32 (or f64 for f64), so it needs a
  // cast.
  static std::string rounded(const std::string &elem, const std::string &expression);
  // Emits an operation in the kernel, and the same operation in the test. In `text`, $0 and $1 stand for the operands. An
  // `exact` operation does not round.
  Vec apply(const std::string &text, std::initializer_list<Vec> operands, double most, bool exact);
  // Divides by 32 until no element is larger in magnitude than `limit`.
  Vec scaled(Vec v, double limit);
  Vec cast(const Vec &v, const std::string &to);
  Vec load(const std::string &elem);
  // If `ragged`, parts of the tile may be out of bounds.
  Vec load(Vec v, bool ragged);

  void unary();
  void binary();
  void casts();
  void reduce();
  void broadcast();
  void transpose();

  std::vector<Vec> values_;

private:
  // Makes a value that is at least one half.
  Vec positive(const Vec &v);
  void choice(const Vec &a, const Vec &b);
  void masked(const Vec &a, const Vec &b);
  // Maps values to factors near 1, so that the product of many stays in range.
  Vec nearOne(const Vec &v);
  std::string reducedWhole(const Vec &v, const std::string &kind, int dim);
  // Expresses the reduction of blocks in the test: sums as a product with a matrix that has ones in the blocks, other kinds
  // term by term.
  std::string reducedBlocks(const Vec &v, const std::string &kind, int dim, int64_t extent, int64_t size);
};

} // namespace xt
