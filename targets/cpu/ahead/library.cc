#include "targets/cpu/ahead/library.h"

#include "ir/base/text.h"
#include "targets/ahead/library_files.h"
#include "targets/cpu/ahead/library_tables.h"

namespace xt {
namespace {

constexpr const char *kRuntime = "xt_runtime.o";

LibraryForm cpuForm(const LibraryNames &names) {
  LibraryForm form;
  form.description = str(" * Link with lib", names.name, ".so, or with lib", names.name,
                         R"(.a and -lm -lpthread. Each function runs a kernel and waits for the end. It
 * returns 0, or a status: 1 if an argument is wrong (nothing has run then), 5 if a check of the kernel failed, 6 if there is no
 * memory. `message` receives what is wrong, cut to `message_bytes` bytes with a zero byte at the end; it may be NULL.
 *
 * An array is the address of element [0, ..., 0], extents, and strides in elements, which are not negative. The memory is the
 * caller's, is not copied, and must exist during the call. Types of 16 and 8 bits that C lacks are passed as their bits.
 *
 * The functions may be called by several threads at once: launches run one after another, each on all threads of the library.
 * The code is chosen for the processor at the first launch: )",
                         join(kCodeLevels, ", "), R"(; the environment
 * variable XT_CODE_LEVEL limits it.)");
  std::string setThreads = names.name + "_set_threads";
  form.functions = {
      {setThreads, "which sets the number of threads",
       str("/* The number of threads that run later launches, with the calling one; 0: one per processor. Waits for "
           "launches. */\nvoid ",
           setThreads, "(int threads);")}};
  form.launch = "xtrt_launch(";
  form.definitions =
      str("__attribute__((visibility(\"default\"))) void ", setThreads, "(int threads) { xtrt_set_threads(threads); }\n");
  return form;
}

LibraryFacts factsOf(const LibraryCode &code) {
  LibraryFacts facts;
  facts.levels.assign(std::begin(kCodeLevels), std::end(kCodeLevels));
  facts.scratchBytes.resize(code.levels[0].kernels.size());
  for (const ObjectCode &level : code.levels)
    for (size_t k = 0; k < level.kernels.size(); ++k) facts.scratchBytes[k].push_back(level.kernels[k].scratchBytes);
  return facts;
}

} // namespace

Result<std::vector<OutputFile>> makeLibrary(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) {
  auto stage = [&](const char *text) {
    if (options.stage) options.stage(text);
  };
  if (Result<std::string> there = runtimeFolder(kRuntime); !there) return there.error();
  LibraryNames names{options.libraryName, module.fileName, options.maker, options.variants};
  LibraryForm form = cpuForm(names);
  if (Result<void> checked = checkFunctionNames(module, names, form); !checked) return checked.error();
  stage("code of the library");
  Result<LibraryCode> code = libraryCode(module, symbolPrefix(names.name), diagnostics);
  if (!code) return code.error();
  stage("linking the library");
  LibraryParts parts;
  for (size_t l = 0; l < code->levels.size(); ++l)
    parts.objects.push_back({str(names.name, "_", kCodeLevels[l], ".o"), code->levels[l].object});
  parts.objects.push_back({names.name + "_headers.o", code->headers.object});
  parts.source = librarySource(module, names, form, kernelTables(module, *code));
  parts.header = libraryHeader(module, names, form);
  parts.json = libraryJson(module, factsOf(*code), names);
  parts.exported = exportedFunctions(module, names, form);
  parts.runtime = kRuntime;
  parts.libraries = {"-lm", "-lpthread"};
  return linkLibrary(names, parts);
}

} // namespace xt
