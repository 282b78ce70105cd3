// The file around a random kernel of floating-point ops: buffers, and the test that launches the kernel and checks its results.
#pragma once
#include "tests/targets/differential/kernel_text.h"

namespace xt {

// Collects the parts of the file. The kernel is launched with `workgroups_` workgroups. `batches_` is the number of workgroups,
// or at subgroup scope the number of subgroups.
class FloatTestText : protected KernelText {
protected:
  explicit FloatTestText(uint64_t seed);

  // Binds an expression to a new name in the test, and returns the name.
  std::string let(const std::string &expression);
  // Adds a buffer of the test that is not an argument of the kernel.
  std::string table(const std::string &initializer, const std::string &type);
  // Adds an argument with one matrix per batch.
  std::string argument(const std::string &initializer, const std::string &elem, Shape shape, bool output);
  // Adds an argument with one dimension.
  std::string listArgument(const std::string &initializer, const std::string &elem, int64_t extent);
  // Returns an expression for the elements of an array of shape `extent` that a tile at [y, x] covers, with `padding` outside
  // of the array.
  std::string window(const std::string &array, Shape extent, int64_t y, int64_t x, Shape shape, const std::string &padding);

  std::string file() const;

  int64_t workgroups_, batches_;
  std::string functions_, host_, checks_;

private:
  std::string declared(std::string name, const std::string &initializer, const std::string &type,
                       const std::string &parameterType);

  uint64_t seed_;
  int hosts_ = 0, tables_ = 0;
  std::string params_, decls_;
  std::vector<std::string> arguments_;
};

} // namespace xt
