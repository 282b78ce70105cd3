// Which line of a source file each LLVM instruction comes from, as LLVM's debug information.
#pragma once
#include "ir/base/source.h"
#include "ir/module.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/Module.h>

#include <map>

namespace xt {

class SourceLines {
public:
  // `sources`: null where no lines are wanted; then nothing is added to the module.
  SourceLines(llvm::Module &module, const SourceManager *sources);
  // The function that follows in begin()...end() is this kernel's.
  void begin(llvm::Function &function, const Kernel &kernel);
  void end();
  // The location of what comes next; an empty one where no source spells it.
  llvm::DebugLoc at(SourceRange range);
  void finish();

private:
  llvm::DIFile *file(uint32_t index);

  llvm::Module &module_;
  const SourceManager *sources_;
  llvm::DIBuilder builder_;
  llvm::DICompileUnit *unit_ = nullptr;
  llvm::DISubprogram *kernel_ = nullptr;
  std::map<uint32_t, llvm::DIFile *> files_;
  std::map<uint32_t, llvm::DIScope *> scopes_; // of the kernel, by file
};

} // namespace xt
