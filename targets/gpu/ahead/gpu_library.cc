#include "targets/gpu/ahead/gpu_library.h"

#include "ir/base/text.h"
#include "targets/ahead/library_files.h"
#include "targets/cpu/ahead/library_tables.h"

#include <algorithm>

namespace xt {
namespace {

constexpr const char *kRuntime = "xt_gpu_runtime.o";
constexpr const char *kCodeNames[] = {"fast", "careful", "assembly"}; // in the order of xtrt_gpu_library

OwnFunction useFunction(const LibraryNames &names, bool nvidia) {
  OwnFunction made;
  made.what = "which chooses the device";
  if (nvidia) {
    made.name = names.name + "_use_cuda";
    made.declaration = str(
        R"(/* Later launches run in a context of the caller: a CUcontext, the number of its device, and a CUstream behind whose
 * work they run; NULL: a stream of the library's own. The objects must exist until others are given; NULL, 0, NULL lets go of them, and the
 * next launch opens a device again. Returns a status. */
int )",
        made.name, "(void *context, int device, void *stream, char *message, size_t message_bytes);");
    return made;
  }
  made.name = names.name + "_use_level_zero";
  made.declaration = str(
      R"(/* Later launches run in a context of the caller: a ze_context_handle_t, a ze_device_handle_t, and an immediate command
 * list behind whose work they run; NULL: a list of the library's own. Nothing else may use it during a launch. The objects
 * must exist until others are given; three times NULL lets go of them, and the next launch opens a device again. Returns a status. */
int )",
      made.name, "(void *context, void *device, void *list, char *message, size_t message_bytes);");
  return made;
}

std::string useDefinition(const OwnFunction &function, bool nvidia) {
  std::string parameters = nvidia ? "void *context, int device, void *queue" : "void *context, void *device, void *queue";
  return str("__attribute__((visibility(\"default\"))) int ", function.name, "(", parameters,
             ", char *message, size_t message_bytes) {\n  return ", nvidia ? "xtrt_gpu_use_cuda" : "xtrt_gpu_use_level_zero",
             "(&xtrt_library, context, device, queue, message, message_bytes);\n}\n");
}

LibraryForm gpuForm(const LibraryNames &names, const TargetInfo &target) {
  const bool nvidia = target.family == GpuFamily::Nvidia;
  LibraryForm form;
  form.description =
      str(" * For ", target.name, ": ", target.summary, ".\n *\n * Link with lib", names.name, ".so, or with lib", names.name,
          R"(.a and -lm -lpthread. Each function runs a kernel and waits for the end. It
 * returns 0, or a status: 1 if an argument is wrong (nothing has run then), 5 if a check of the kernel failed, 6 if there is no
 * device that runs the code, no memory, or if the driver fails. `message` receives what is wrong, cut to `message_bytes` bytes with a
 * zero byte at the end; it may be NULL.
 *
 * An array is the address of element [0, ..., 0], extents, and strides in elements, which are not negative. Arrays in memory that the
 * device sees ()",
          nvidia ? "of cuMemAlloc, cuMemAllocManaged, cuMemHostAlloc" : "of zeMemAllocDevice, zeMemAllocShared, zeMemAllocHost",
          R"() are used in place; others are copied to the
 * device and back. Types of 16 and 8 bits that C lacks are passed as their bits.
 *
 * The functions may be called by several threads at once: launches run one after another. The first launch opens )",
          nvidia ? "NVIDIA's driver\n * (libcuda.so.1)" : "Level Zero\n * (libze_loader.so.1)",
          " and takes the first device that runs the code, unless another one was chosen.");
  form.functions = {useFunction(names, nvidia)};
  form.launch = "xtrt_gpu_launch(&xtrt_library, ";
  form.definitions = useDefinition(form.functions[0], nvidia);
  return form;
}

std::string placeText(const SourceManager *sources, SourceRange range) {
  if (!sources || range.file == 0 || range.file >= sources->count()) return "";
  LineColumn at = sources->file(range.file).lineColumn(range.begin);
  return str(sources->file(range.file).name(), ":", at.line, ":", at.column);
}

// An array of structures, and the members of xtrt_gpu_kernel that hold its address and length.
struct Table {
  std::string definition, members = "0, 0";
};
Table tableOf(std::string_view type, const std::string &name, const std::vector<std::string> &rows) {
  if (rows.empty()) return {};
  return {str("static const ", type, " ", name, "[] = {", join(rows, ", "), "};\n"), str(name, ", ", rows.size())};
}

// The definitions of a kernel's tables, to which `name` leads; appends its row of xtrt_gpu_kernel.
std::string kernelTable(const GpuKernel &code, const std::string &name, const SourceManager *sources,
                        std::vector<std::string> &rows) {
  std::string out;
  std::vector<std::string> failures, alignments, uses;
  for (const LaneFailure &failure : code.failures) {
    std::string shape = str(name, "_shape", failures.size());
    if (!failure.shape.empty()) out += str("static const int64_t ", shape, "[] = {", numbers(failure.shape), "};\n");
    failures.push_back(str("{", failure.first, ", ", cString(failure.text), ", ", cString(placeText(sources, failure.place)),
                           ", ", failure.asserted ? 1 : 0, ", ", failure.byWorkgroup ? 1 : 0, ", ",
                           failure.shape.empty() ? "0" : shape, ", ", failure.shape.size(), "}"));
  }
  for (const LaneAlignment &alignment : code.alignments)
    alignments.push_back(str("{", alignment.param, ", ", alignment.bytes, "}"));
  for (const GpuBlockUse &use : code.blockUses) uses.push_back(str("{", use.param, ", ", use.turned ? 1 : 0, "}"));
  Table ofFailures = tableOf("xtrt_failure", name + "_failures", failures),
        ofAlignments = tableOf("xtrt_alignment", name + "_alignments", alignments),
        ofUses = tableOf("xtrt_block_use", name + "_uses", uses);
  rows.push_back(str("  {", cString(code.entry), ", ", code.subgroups, ", ", code.subgroupSize, ", ", code.slmBytes, ", ",
                     code.givenSlmBytes, ", ", code.largeRegisterFile ? 1 : 0, ", ", code.reportsFailures ? 1 : 0, ", ",
                     static_cast<int>(code.overlapRule), ", ", ofFailures.members, ", ", ofAlignments.members, ", ",
                     ofUses.members, "}"));
  return out + ofFailures.definition + ofAlignments.definition + ofUses.definition;
}

// The tables of a code, and its bytes, which the assembler reads from a file.
std::string codeTables(const GpuCode &code, const std::string &name, const std::string &file, const SourceManager *sources) {
  std::vector<std::string> rows;
  std::string out;
  for (size_t k = 0; k < code.kernels.size(); ++k)
    out += kernelTable(code.kernels[k], str(name, "_", tableName(k)), sources, rows);
  return out + str("static const xtrt_gpu_kernel ", name, "_kernels[] = {\n", join(rows, ",\n"),
                   "\n};\n__asm__(\".pushsection .rodata\\n", name, ":\\n.incbin \\\"", file, "\\\"\\n", name,
                   "_end:\\n.byte 0\\n.popsection\\n\");\nextern const unsigned char ", name,
                   "[] __attribute__((visibility(\"hidden\"))), ", name, "_end[] __attribute__((visibility(\"hidden\")));\n");
}

std::string libraryTable(const Module &module, const TargetInfo &target, size_t codeCount) {
  std::vector<std::string> kernels, rules;
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    kernels.push_back(str("&", tableName(k), "_kernel"));
    rules.push_back(std::to_string(static_cast<int>(overlapRuleOf(*module.kernels[k]))));
  }
  std::vector<std::string> codes;
  for (size_t i = 0; i < codeCount; ++i) {
    std::string name = str("xtrt_", kCodeNames[i]);
    codes.push_back(str("{", name, ", ", name, "_end, ", name, "_kernels}"));
  }
  return str("static const xtrt_kernel *const xtrt_kernels[] = {", join(kernels, ", "),
             "};\nstatic const int32_t xtrt_overlap_rules[] = {", join(rules, ", "),
             "};\nstatic const xtrt_gpu_library xtrt_library = {", cString(target.name), ", xtrt_kernels, xtrt_overlap_rules, ",
             module.kernels.size(), ", {", join(codes, ", "), "}};\n");
}

// A launch may take either code, and names failures by those of the first one.
bool haveTheSameKernels(const GpuCode &one, const GpuCode &other) {
  return std::ranges::equal(one.kernels, other.kernels, [](const GpuKernel &a, const GpuKernel &b) {
    return a.entry == b.entry && a.failures.size() == b.failures.size();
  });
}

} // namespace

Result<std::vector<OutputFile>> makeGpuLibrary(const Module &module, const GpuLibraryCode &code, const TargetInfo &target,
                                               const OutputOptions &options, Diagnostics &diagnostics) {
  if (Result<std::string> there = runtimeFolder(kRuntime); !there) return there.error();
  if (module.kernels.empty()) return Error::environment("a library needs a kernel, but the file has none");
  LibraryNames names{options.libraryName, module.fileName, options.maker, options.variants};
  LibraryForm form = gpuForm(names, target);
  if (Result<void> checked = checkFunctionNames(module, names, form); !checked) return checked.error();
  std::vector<const GpuCode *> codes = {&code.fast, &code.careful};
  if (!code.assembly.kernels.empty()) codes.push_back(&code.assembly);
  if (!std::ranges::all_of(codes, [&](const GpuCode *other) { return haveTheSameKernels(code.fast, *other); }))
    return Error::environment("compiling again gives other kernels: the sources have changed");
  Result<ObjectCode> headers = headerCode(module, symbolPrefix(names.name), diagnostics);
  if (!headers) return headers.error();
  std::vector<KernelTables> tables;
  size_t next = 0;
  for (size_t k = 0; k < module.kernels.size(); ++k)
    tables.push_back(module.kernels[k]->computesHeader()
                         ? headerTables(headers->kernels[next++], headers->frameBytes, tableName(k))
                         : KernelTables());
  LibraryParts parts;
  parts.objects.push_back({names.name + "_headers.o", std::move(headers->object)});
  std::string codeText;
  for (size_t i = 0; i < codes.size(); ++i) {
    const std::string name = kCodeNames[i];
    parts.included.push_back({name, std::string(codes[i]->binary.begin(), codes[i]->binary.end())});
    codeText += codeTables(*codes[i], str("xtrt_", name), name, options.sources);
  }
  form.definitions = codeText + libraryTable(module, target, codes.size()) + form.definitions;
  parts.source = librarySource(module, names, form, tables);
  parts.header = libraryHeader(module, names, form);
  parts.json = libraryJson(module, {.levels = {}, .target = std::string(target.name), .scratchBytes = {}}, names);
  parts.exported = exportedFunctions(module, names, form);
  parts.runtime = kRuntime;
  parts.libraries = {"-lm", "-lpthread"};
  if (options.stage) options.stage("linking the library");
  return linkLibrary(names, parts);
}

} // namespace xt
