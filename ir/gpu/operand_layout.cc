#include "ir/gpu/operand_layout.h"

namespace xt {
namespace {

int64_t extentOf(const MmaOperandDim &dim) {
  int64_t extent = 1;
  for (const Factor &digit : dim.digits()) extent *= digit.extent;
  return extent;
}

// The part of the register's number that an index along one dimension contributes.
int64_t registerOf(const MmaOperandDim &dim, int64_t index) {
  int64_t number = 0;
  for (size_t i = dim.digits().size(); i-- > 0;) {
    const Factor &digit = dim.digits()[i];
    if (digit.axis == Axis::Register) number += index % digit.extent * digit.stride;
    index /= digit.extent;
  }
  return number;
}

} // namespace

const Layout *layoutOrNull(LayoutTable &table, const LayoutSpec &spec, std::span<const int64_t> shape) {
  LayoutOrError made = makeLayout(table, spec, shape);
  const Layout *const *layout = std::get_if<const Layout *>(&made);
  return layout ? *layout : nullptr;
}

RegisterLayout registerLayout(LayoutTable &table, const MmaOperandLayout &operand) {
  FactorMap map;
  std::vector<int64_t> shape;
  for (const MmaOperandDim *dim : {&operand.rows, &operand.columns}) {
    shape.push_back(extentOf(*dim));
    map.dims.emplace_back(dim->digits().begin(), dim->digits().end());
    if (map.dims.back().empty() || shape.back() == 0) return {};
  }
  LayoutSpec spec;
  spec.factors = std::move(map);
  const Layout *layout = layoutOrNull(table, spec, shape);
  if (!layout) return {};
  RegisterLayout found{layout, {}};
  for (int64_t row : layout->sliceOf(Axis::Lane, 0, 0))
    for (int64_t column : layout->sliceOf(Axis::Lane, 0, 1))
      found.registers.push_back(static_cast<size_t>(registerOf(operand.rows, row) + registerOf(operand.columns, column)));
  return found;
}

} // namespace xt
