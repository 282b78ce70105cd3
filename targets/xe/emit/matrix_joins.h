// Internal to the emission of cooperative matrices: removes exchanges between lanes and matrices that are not needed.
#pragma once
#include "targets/xe/emit/uniform_flow.h"

namespace xt {

// A matrix that is made of the lanes' elements of another one becomes that one, also through phis: sums stay matrices from one
// product to the next. A matrix of one value becomes a fill. Exchanges that remain move out of loops, to where lanes need the
// elements. Takes time in proportion to the size of the function.
void joinMatrices(llvm::Function &function, const UniformFlow &flow);

} // namespace xt
