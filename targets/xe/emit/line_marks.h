// Lines of source files in SPIR-V, which LLVM 22 does not write: OpLine before the instructions of each line.
#pragma once
#include <llvm/Target/RegisterTargetPassConfigCallback.h>

namespace xt {

// While one lives, what LLVM's SPIR-V back end makes of functions with debug information has OpLine instructions.
class SpirvLineMarks {
public:
  SpirvLineMarks();

private:
  llvm::RegisterTargetPassConfigCallback callback_;
};

} // namespace xt
