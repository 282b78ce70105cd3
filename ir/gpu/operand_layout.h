// The layouts of an instruction's operands (target_info.h): which lane holds each element of a matrix, and in which register.
#pragma once
#include "ir/gpu/target_info.h"

#include <vector>

namespace xt {

struct RegisterLayout {
  const Layout *layout = nullptr; // on the lane axis; null: the operand has none
  // The register of each element of a lane's part, which is listed row-major. Every lane has the same.
  std::vector<size_t> registers;
};
RegisterLayout registerLayout(LayoutTable &table, const MmaOperandLayout &operand);

} // namespace xt
