#include "targets/output.h"

#include "ir/base/check.h"

namespace xt {

std::string_view outputName(OutputKind kind) {
  switch (kind) {
  case OutputKind::Llvm: return "llvm";
  case OutputKind::Asm: return "asm";
  case OutputKind::Object: return "obj";
  case OutputKind::Spirv: return "spirv";
  case OutputKind::SpirvText: return "spvasm";
  case OutputKind::Launch: return "meta";
  case OutputKind::Isa: return "isa";
  }
  XT_UNREACHABLE("kind of output");
}

std::optional<OutputKind> outputNamed(std::string_view name) {
  for (OutputKind kind : kOutputKinds)
    if (outputName(kind) == name) return kind;
  return std::nullopt;
}

} // namespace xt
