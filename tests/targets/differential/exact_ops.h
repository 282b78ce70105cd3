// Statements of random kernels that compute vectors of integers so small that their element type holds them exactly.
#pragma once
#include "tests/targets/differential/kernel_text.h"

#include <vector>

namespace xt {

// Each statement takes values at random and adds its result to them. A statement that would have no exact result is left out.
class ExactOps : protected KernelText {
protected:
  struct Vec {
    std::string name, elem, layout; // layout: the text of the layout, "" at subgroup scope
    Shape shape;
    int64_t bound; // no element is larger in magnitude
  };

  explicit ExactOps(uint64_t seed) : KernelText(seed) {}

  static bool isFloatName(const std::string &elem) { return elem.find('f') != std::string::npos; }
  static int bitsOf(const std::string &elem);
  // Whether a type holds all integers of this magnitude exactly. Integer types always pass, because overflow wraps around in a
  // defined way.
  static bool holds(const std::string &elem, int64_t bound);

  std::string number(const std::string &elem, int64_t value) const { return str(value, isFloatName(elem) ? ".0" : ""); }
  // Adds a value to those that later statements may take.
  Vec add(Vec v);
  Vec any() { return values_[pick(values_.size())]; }
  Vec settled(const Vec &v) { return add(inKnownLayout(v)); }

  void elementwise();
  void cast();
  void reduce();
  void broadcast();
  void transpose();
  void reshape();
  void generate();
  void insertExtract();
  void mma();

  std::string elem_; // the element type of the kernel's input
  std::vector<Vec> values_;

private:
  std::string selected(const Vec &a, const Vec &b);
};

} // namespace xt
