// A grid with more variables than a launch has dimensions: the first ones share one dimension.
#pragma once
#include "lang/lower/kernel_state.h"

namespace xt {

inline constexpr size_t kMostGridVars = 5;       // as many as a memref has dimensions
inline constexpr size_t kMostGridDimensions = 3; // of a launch

// Binds a grid variable in the kernel's body, or reports that the name is bound already.
void bindGridVar(KernelState &state, const ast::Name &name, Value *value);

// The dimension that the first variables share: it counts their combinations. Lowered at the builder's position, in the block of
// the grid's bounds. `dims` are the dimensions of the variables. Returns the dimensions of the launch.
std::vector<GridDim> sharedDimensions(KernelState &state, const std::vector<GridDim> &dims);

// Binds the variables that share `variable`, the first dimension of the launch, in the kernel's body. Their bounds are computed
// again, from the kernel's parameters.
void bindSharedVars(KernelState &state, Value *variable);

} // namespace xt
