#include "targets/llvm/machine.h"

#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "targets/llvm/guard.h"

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/LEB128.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace xt {
namespace {

// Collects the errors that a code generator reports instead of failing.
class ErrorCollector final : public llvm::DiagnosticHandler {
public:
  explicit ErrorCollector(std::string &errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream out(errors_);
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    out << "\n";
    return true;
  }

private:
  std::string &errors_;
};

} // namespace

Result<std::unique_ptr<llvm::TargetMachine>> makeTargetMachine(const std::string &triple, const std::string &cpu,
                                                               const std::string &features, llvm::CodeGenOptLevel level) {
  initialiseLlvm();
  llvm::Triple parsed(triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(parsed, error);
  if (!target) return Error::environment(str("LLVM has no back end for ", triple, ": ", error));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // an fma is emitted only where the module has one
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(parsed, cpu, features, options, llvm::Reloc::PIC_, std::nullopt, level));
  if (!machine) return Error::environment(str("LLVM cannot create a target machine for ", triple, ", ", cpu));
  return machine;
}

Result<std::string> generateCode(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  std::string errors;
  module.getContext().setDiagnosticHandler(std::make_unique<ErrorCollector>(errors));
  llvm::SmallVector<char, 0> bytes;
  Result<void> done = guardLlvm([&]() -> Result<void> {
    llvm::raw_svector_ostream out(bytes);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, out, nullptr, kind))
      return Error::environment("LLVM cannot write this kind of file for this processor");
    // FastISel selects simple instructions, such as address computations; the rest of a block is selected as usual. This takes
    // a quarter less time, and the loops are equally fast. It is set only here, because adding the passes resets it.
    machine.setFastISel(true);
    passes.run(module);
    return {};
  });
  module.getContext().setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!done) return done.error();
  if (!errors.empty()) return internalError(str("LLVM failed: ", errors));
  return std::string(bytes.begin(), bytes.end());
}

size_t largestFrame(llvm::StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "kernels"));
  if (!file) return llvm::consumeError(file.takeError()), 0;
  size_t largest = 0;
  for (const llvm::object::SectionRef &section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName(), text = section.getContents();
    bool sizes = name && text && *name == ".stack_sizes";
    if (!name) llvm::consumeError(name.takeError());
    if (!text) llvm::consumeError(text.takeError());
    if (!sizes) continue;
    const uint8_t *at = text->bytes_begin(), *end = text->bytes_end();
    while (end - at > 8) { // an 8-byte address, then the size
      at += 8;
      largest = std::max<size_t>(largest, llvm::decodeULEB128AndInc(at, end));
    }
  }
  return largest;
}

Result<void> verifyLlvm(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!llvm::verifyModule(module, &out)) return {};
  return internalError(str("the emitted LLVM module is not valid: ", out.str()));
}

std::string moduleText(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return out.str();
}

std::string moduleBitcode(const llvm::Module &module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace xt
