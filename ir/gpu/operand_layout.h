// The layouts of an instruction's operands (target_info.h): which lane holds each element of a matrix, and in which register.
#pragma once
#include "ir/gpu/target_info.h"

#include <vector>

namespace xt {

struct RegisterLayout {
  const Layout *layout = nullptr; // on the lane axis; null if no layout describes the operand
  // The register of each element that a lane holds, in row-major order of the elements. It is the same for all lanes.
  std::vector<size_t> registers;
};
RegisterLayout registerLayout(LayoutTable &table, const MmaOperandLayout &operand);

} // namespace xt
