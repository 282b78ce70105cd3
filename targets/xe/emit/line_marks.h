// Emits lines of source files into SPIR-V, which LLVM 22 does not do: OpLine before the instructions of each line.
#pragma once
#include <llvm/Target/RegisterTargetPassConfigCallback.h>

namespace xt {

// While an object exists, LLVM's SPIR-V back end emits OpLine instructions for functions with debug information.
class SpirvLineMarks {
public:
  SpirvLineMarks();

private:
  llvm::RegisterTargetPassConfigCallback callback_;
};

} // namespace xt
