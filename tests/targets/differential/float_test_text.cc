#include "tests/targets/differential/float_test_text.h"

namespace xt {

FloatTestText::FloatTestText(uint64_t seed) : KernelText(seed), seed_(seed) {
  workgroups_ = between(1, 3);
  batches_ = workgroup_ ? workgroups_ : workgroups_ * subgroups_;
  indent_ = 1;
}

std::string FloatTestText::let(const std::string &expression) {
  std::string name = str("%h", hosts_++);
  host_ += str("  ", name, " = ", expression, "\n");
  return name;
}

std::string FloatTestText::table(const std::string &initializer, const std::string &type) {
  std::string name = str("%t", tables_++);
  decls_ += str("  ", name, " = ", initializer, " : memref<", type, ">\n");
  return name;
}

std::string FloatTestText::declared(std::string name, const std::string &initializer, const std::string &type,
                                    const std::string &parameterType) {
  decls_ += str("  ", name, " = ", initializer, " : memref<", type, ">\n");
  params_ += str(params_.empty() ? "" : ", ", name, ": memref<", parameterType, ">");
  arguments_.push_back(name);
  return name;
}

std::string FloatTestText::argument(const std::string &initializer, const std::string &elem, Shape shape, bool output) {
  std::string name = str(output ? "%C" : "%A", arguments_.size());
  return declared(name, initializer, str(batches_, "x", shapeText(shape, elem)), str("?x?x?x", elem));
}

std::string FloatTestText::listArgument(const std::string &initializer, const std::string &elem, int64_t extent) {
  return declared(str("%A", arguments_.size()), initializer, str(extent, "x", elem), str("?x", elem));
}

std::string FloatTestText::window(const std::string &array, Shape extent, int64_t y, int64_t x, Shape shape,
                                  const std::string &padding) {
  if (extent == shape && x == 0 && y == 0) return array;
  auto places = [&](int64_t count, int64_t from, int64_t limit) {
    return table(str("from (i) => min(max(i + ", from, ", 0), ", limit - 1, ")"), str(count, "xi32"));
  };
  std::string rows = places(shape.rows, y, extent.rows), columns = places(shape.columns, x, extent.columns);
  std::string inRows = str("i + ", y, " >= 0 and i + ", y, " < ", extent.rows),
              inColumns = str("j + ", x, " >= 0 and j + ", x, " < ", extent.columns);
  std::string inside = table(str("from (i, j) => ", inRows, " and ", inColumns), shapeText(shape, "i32"));
  return let(
      str("where(", inside, ", gather(gather(", array, ", ", rows, ", dim = 1), ", columns, ", dim = 2), ", padding, ")"));
}

std::string FloatTestText::file() const {
  std::string text = str("// seed ", seed_, "\n", functions_, "kernel @k(", params_, ", %three: index)");
  if (!workgroup_) text += str(" subgroups(", subgroups_, ")");
  text += str(" grid (%g = 0 to ", workgroups_, ") {\n");
  text += workgroup_ ? "  %w = %g + 0\n" : str("  %sg = subgroup_id()\n  %w = %g * ", subgroups_, " + %sg\n");
  text += out_ + "}\ntest \"t\" {\n" + decls_ + "  launch @k(";
  for (const std::string &name : arguments_) text += name + ", ";
  return text + "3)\n" + host_ + checks_ + "}\n";
}

} // namespace xt
