// Records the source line of each LLVM instruction as LLVM debug information.
#pragma once
#include "ir/base/source.h"
#include "ir/module.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <map>

namespace xt {

class SourceLines {
public:
  // `sources`: null if no lines are needed; then nothing is added to the module. `onlyLines`: the code generator gets lines, and
  // no other debug information.
  SourceLines(llvm::Module &module, const SourceManager *sources, bool onlyLines = false);
  // The locations that are requested between begin() and end() belong to this kernel.
  void begin(llvm::Function &function, const Kernel &kernel);
  void end();
  // The location for the next instructions; empty if the range is not in a source.
  llvm::DebugLoc at(SourceRange range);
  void finish();

private:
  llvm::DIFile *file(uint32_t index);

  llvm::Module &module_;
  const SourceManager *sources_;
  llvm::DICompileUnit::DebugEmissionKind kind_;
  llvm::DIBuilder builder_;
  llvm::DICompileUnit *unit_ = nullptr;
  llvm::DISubprogram *kernel_ = nullptr;
  std::map<uint32_t, llvm::DIFile *> files_;
  std::map<uint32_t, llvm::DIScope *> scopes_; // scopes of the kernel, by file
};

} // namespace xt
