// The layouts of an instruction's operands (target_info.h): which lane holds each element of a matrix, and in which register.
#pragma once
#include "ir/gpu/target_info.h"

#include <span>
#include <vector>

namespace xt {

// The layout of a spec; null if it does not fit the shape.
const Layout *layoutOrNull(LayoutTable &table, const LayoutSpec &spec, std::span<const int64_t> shape);

struct RegisterLayout {
  const Layout *layout = nullptr; // on the lane axis; null if no layout describes the operand
  // The register of each element that a lane holds, in row-major order of the elements. It is the same for all lanes.
  std::vector<size_t> registers;
};
RegisterLayout registerLayout(LayoutTable &table, const MmaOperandLayout &operand);

} // namespace xt
