#include "targets/llvm/lane/source_lines.h"

#include <llvm/BinaryFormat/Dwarf.h>

namespace xt {

SourceLines::SourceLines(llvm::Module &module, const SourceManager *sources, bool onlyLines)
    : module_(module), sources_(sources),
      kind_(onlyLines ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::FullDebug), builder_(module) {}

llvm::DIFile *SourceLines::file(uint32_t index) {
  llvm::DIFile *&found = files_[index];
  if (!found) found = builder_.createFile(sources_->file(index).name(), "");
  return found;
}

void SourceLines::begin(llvm::Function &function, const Kernel &kernel) {
  kernel_ = nullptr;
  scopes_.clear();
  if (!sources_ || kernel.nameRange.file == 0) return;
  llvm::DIFile *own = file(kernel.nameRange.file);
  if (!unit_)
    unit_ =
        builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_OpenCL), own, "xt", true, "", 0, "", kind_);
  unsigned line = sources_->file(kernel.nameRange.file).lineColumn(kernel.nameRange.begin).line;
  auto *type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  kernel_ = builder_.createFunction(own, kernel.name, "", own, line, type, line, llvm::DINode::FlagZero,
                                    llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function.setSubprogram(kernel_);
  scopes_[kernel.nameRange.file] = kernel_;
}

llvm::DebugLoc SourceLines::at(SourceRange range) {
  if (!kernel_ || range.file == 0) return {};
  llvm::DIScope *&scope = scopes_[range.file]; // an op may come from a function of an imported file
  if (!scope) scope = builder_.createLexicalBlockFile(kernel_, file(range.file));
  LineColumn place = sources_->file(range.file).lineColumn(range.begin);
  return llvm::DILocation::get(module_.getContext(), place.line, place.column, scope);
}

void SourceLines::end() {
  if (kernel_) builder_.finalizeSubprogram(kernel_);
  kernel_ = nullptr;
}

void SourceLines::finish() {
  if (!unit_) return;
  module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  builder_.finalize();
}

} // namespace xt
