#include "targets/llvm/machine.h"

#include "ir/base/text.h"
#include "targets/llvm/guard.h"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/raw_ostream.h>

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
                                                               const std::string &features) {
  initialiseLlvm();
  llvm::Triple parsed(triple);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(parsed, error);
  if (!target) return Error::environment(str("LLVM has no back end for ", triple, ": ", error));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict; // an fma stands where one is meant
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      parsed, cpu, features, options, llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Less));
  if (!machine) return Error::environment(str("LLVM cannot make a target machine for ", triple, ", ", cpu));
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
      return Error::environment("LLVM cannot write this kind of file for the processor");
    passes.run(module);
    return {};
  });
  module.getContext().setDiagnosticHandler(std::make_unique<llvm::DiagnosticHandler>());
  if (!done) return done.error();
  if (!errors.empty()) return Error::environment(str("LLVM failed: ", errors));
  return std::string(bytes.begin(), bytes.end());
}

Result<void> verifyLlvm(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (!llvm::verifyModule(module, &out)) return {};
  return Error::environment(str("compiler bug: the emitted LLVM module is not valid: ", out.str()));
}

std::string moduleText(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return out.str();
}

} // namespace xt
