#include "targets/xe/emit/spirv.h"

#include "ir/base/crash.h"
#include "ir/base/text.h"
#include "targets/llvm/guard.h"
#include "targets/process/child_work.h"
#include "targets/xe/emit/cast_chains.h"
#include "targets/xe/emit/debug_scopes.h"
#include "targets/xe/emit/inline_assembly.h"
#include "targets/xe/emit/line_marks.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/TargetParser/Triple.h>

#include <memory>

// Translates a module to SPIR-V that may use the listed extensions; returns false and sets `message` if this fails. LLVM
// exports the function without a header that declares it (lib/Target/SPIRV/SPIRVAPI.cpp).
extern "C" bool SPIRVTranslate(llvm::Module *module, std::string &spirv, std::string &message,
                               const std::vector<std::string> &extensions, llvm::CodeGenOptLevel level, llvm::Triple triple);

namespace xt {
namespace {

// The extensions whose instructions LLVM writes for calls of functions. What other extensions of Intel add are functions of the driver's
// library, whose calls need no extension.
// Inline assembly occurs only in XeEmitOptions::definitions.
std::vector<std::string> allowedExtensions(bool intel) {
  std::vector<std::string> names = {"SPV_EXT_shader_atomic_float_add", "SPV_INTEL_inline_assembly", "SPV_INTEL_subgroups",
                                    "SPV_KHR_cooperative_matrix", "SPV_KHR_bfloat16"};
  if (intel)
    names.insert(names.end(),
                 {"SPV_INTEL_2d_block_io", "SPV_INTEL_subgroup_matrix_multiply_accumulate", "SPV_INTEL_cache_controls"});
  return names;
}

// Level None leaves out LoopStrengthReduce, which in LLVM 22 makes invalid SPIR-V: it narrows a counter of 64 bits and forgets
// the trunc. Apart from that, higher levels do nothing that Intel's compiler does not do itself.
Result<std::string> translate(llvm::Module &module, bool intelExtensions) {
  compareMasksAsBytes(module);
  joinCasts(module);
  auto spirv = std::make_unique<std::string>(), message = std::make_unique<std::string>();
  SpirvLineMarks marks;
  bool made = false;
  Result<void> done = guardLlvm([&]() -> Result<void> {
    made = SPIRVTranslate(&module, *spirv, *message, allowedExtensions(intelExtensions), llvm::CodeGenOptLevel::None,
                          module.getTargetTriple());
    return {};
  });
  if (!done) return done.error();
  if (!made) return internalError(str("LLVM failed: ", *message));
  return withInlineAssembly(withDebugScopes(*spirv, module));
}

constexpr char kGood = 'g', kFailed = 'f'; // the first byte of the answer, before the SPIR-V or the message

} // namespace

// Translates in a separate process, because LLVM 22 keeps the numbers of blocks in a variable of the whole process, by the
// addresses of functions, and never clears it (SPIRVModuleAnalysis::MAI.BBNumToRegMap). A second module would find the numbers
// of the first one.
Result<std::vector<uint8_t>> translateToSpirv(llvm::Module &module, bool intelExtensions) {
  initialiseLlvm();
  Result<std::string> made = inChildProcess("makes SPIR-V", [&] {
    Result<std::string> spirv = translate(module, intelExtensions);
    return spirv ? kGood + *spirv : kFailed + spirv.error().message;
  });
  if (!made) return made.error();
  const std::string &answer = *made;
  if (answer.empty()) return internalError("the process that makes SPIR-V returned nothing");
  if (answer[0] == kFailed) return internalError(answer.substr(1));
  return std::vector<uint8_t>(answer.begin() + 1, answer.end());
}

} // namespace xt
