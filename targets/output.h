// The output of `xtc --emit` for a target's code: its kinds, options and result.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

class Module;
struct TargetInfo;

enum class OutputKind : uint8_t {
  Llvm,
  Asm,
  Object,
  Library, // files of a library for programs in C
  Spirv,
  SpirvText, // disassembled
  Ptx,
  Launch,    // how a host launches the kernels, as JSON
  Isa,       // the listing of Intel's offline compiler, or a report on it
  SassStats, // what NVIDIA's assembler makes of the PTX: registers, spills, the instructions of each loop
};
inline constexpr OutputKind kOutputKinds[] = {OutputKind::Llvm,  OutputKind::Asm,       OutputKind::Object, OutputKind::Library,
                                              OutputKind::Spirv, OutputKind::SpirvText, OutputKind::Ptx,    OutputKind::Launch,
                                              OutputKind::Isa,   OutputKind::SassStats};
// The name of a kind in --emit, such as "llvm".
constexpr std::string_view outputName(OutputKind kind) {
  switch (kind) {
  case OutputKind::Llvm: return "llvm";
  case OutputKind::Asm: return "asm";
  case OutputKind::Object: return "obj";
  case OutputKind::Library: return "lib";
  case OutputKind::Spirv: return "spirv";
  case OutputKind::SpirvText: return "spvasm";
  case OutputKind::Ptx: return "ptx";
  case OutputKind::Launch: return "meta";
  case OutputKind::Isa: return "isa";
  case OutputKind::SassStats: return "sass-stats";
  }
  return "";
}
constexpr std::optional<OutputKind> outputNamed(std::string_view name) {
  for (OutputKind kind : kOutputKinds)
    if (outputName(kind) == name) return kind;
  return std::nullopt;
}

// What the SPIR-V for an Intel GPU may use beside its core. Intel: block messages, products and cache hints are instructions of Intel's
// extensions. InlineAssembly: block messages in loops keep their addresses in registers (SPV_INTEL_inline_assembly). Auto: InlineAssembly
// where the driver that builds the code is known to take it, otherwise None; so None for a file of SPIR-V, and both for a library.
enum class SpirvExtensions : uint8_t { Auto, None, Intel, InlineAssembly };
// The value of --spirv-extensions: "intel".
constexpr std::string_view extensionsName(SpirvExtensions extensions) {
  switch (extensions) {
  case SpirvExtensions::Auto: return "auto";
  case SpirvExtensions::None: return "none";
  case SpirvExtensions::Intel: return "intel";
  case SpirvExtensions::InlineAssembly: return "inline-assembly";
  }
  return "";
}
// Whether SPIR-V certainly needs an extension of Intel's.
constexpr bool needsExtensions(SpirvExtensions extensions) {
  return extensions == SpirvExtensions::Intel || extensions == SpirvExtensions::InlineAssembly;
}

struct OutputFile {
  std::string name, content; // a name without folder
};

// A kernel of a library with other values of its file's parameters, and the sizes for which it is the fastest.
struct LibraryVariant {
  std::string kernel, name; // of the kernel that it replaces, and its own: "gemm", "gemm$BM=512"
  std::vector<std::vector<int64_t>> arrays; // the extents of the arguments that are arrays
};

struct OutputOptions {
  std::vector<OutputKind> kinds; // printed in this order
  std::string processor; // for CPU code: LLVM's name of the processor; "": the processor of this machine
  bool blockMessages = true; // GPU code may use messages that have rules for buffers
  bool overlappingArguments = false; // GPU code takes arguments that overlap in any way
  SpirvExtensions extensions = SpirvExtensions::Auto;
  // LLVM IR that defines device functions which the offline compiler lacks, to inspect how it compiles a kernel; "": none. For
  // Isa only.
  std::string definitions;
  bool report = false; // for Isa: a report on the listings instead of the listings
  std::string libraryName = {}; // for Library: letters, digits and `_`, and no digit first
  std::vector<LibraryVariant> variants = {}; // for Library: a launch takes that of the nearest size; `name` may be `kernel`
  // For Library: builds the module from its source once more and runs the target's pipeline() for other hardware.
  std::function<Result<std::unique_ptr<Module>>(const TargetInfo &)> again = {};
  std::string maker = {}; // for Library: the compiler and its version, which the files name
  const SourceManager *sources = nullptr; // the sources of the module
  std::function<void(std::string)> stage = {}; // receives the name of each step that may take long
};

// The output of the requested kinds: the SPIR-V, and the text of all other kinds, one after the other. A file that xtc writes
// the SPIR-V to holds nothing else.
struct Output {
  std::string text, spirv;
  std::vector<OutputFile> files; // of a library
};

} // namespace xt
