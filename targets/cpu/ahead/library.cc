#include "targets/cpu/ahead/library.h"

#include "ir/base/input_file.h"
#include "ir/base/output_file.h"
#include "ir/base/own_program.h"
#include "ir/base/text.h"
#include "targets/cpu/ahead/library_source.h"
#include "targets/process/external_tool.h"

#include <cctype>
#include <unistd.h>

namespace xt {
namespace {

constexpr int64_t kMostLibraryBytes = int64_t{1} << 30;

// The folder of xt_runtime.o and xtrt.h: lib/xt beside the folder of the programs.
Result<std::string> runtimeFolder() {
  std::string folder = ownProgramFolder() + "/../lib/xt";
  if (access((folder + "/xt_runtime.o").c_str(), R_OK) == 0) return folder;
  return Error::environment(
      str("the run time of libraries, ", folder, "/xt_runtime.o, is not there: build the target xt_runtime"));
}

class LibraryMaker {
public:
  LibraryMaker(LibraryNames names, ScratchDirectory folder, std::string runtime)
      : names_(std::move(names)), folder_(std::move(folder)), runtime_(std::move(runtime)) {}

  Result<std::vector<OutputFile>> make(const Module &module, const LibraryCode &code) {
    if (Result<void> done = writeObjects(module, code); !done) return done.error();
    if (Result<void> done = compileSource(); !done) return done.error();
    if (Result<void> done = link(); !done) return done.error();
    std::vector<OutputFile> files = {{names_.name + ".h", libraryHeader(module, names_)},
                                     {names_.name + ".json", libraryJson(module, code, names_)}};
    for (const char *suffix : {".a", ".so"}) {
      std::string name = str("lib", names_.name, suffix);
      Result<std::string> bytes = readInputFile(folder_.file(name), kMostLibraryBytes);
      if (!bytes) return bytes.error();
      files.push_back({name, std::move(*bytes)});
    }
    return files;
  }

private:
  Result<void> write(const std::string &name, const std::string &content) {
    return writeOutputFile(folder_.file(name), {content});
  }

  Result<void> writeObjects(const Module &module, const LibraryCode &code) {
    for (size_t l = 0; l < code.levels.size(); ++l) {
      objects_.push_back(str(names_.name, "_", kCodeLevels[l], ".o"));
      if (Result<void> done = write(objects_.back(), code.levels[l].object); !done) return done;
    }
    objects_.push_back(names_.name + "_grids.o");
    if (Result<void> done = write(objects_.back(), code.grids.object); !done) return done;
    if (Result<void> done = write(names_.name + ".h", libraryHeader(module, names_)); !done) return done;
    std::string exported = str("  ", names_.name, "_set_threads;\n");
    for (const auto &kernel : module.kernels)
      if (!isVariant(*kernel)) exported += str("  ", functionName(names_, *kernel), ";\n");
    // Names that several libraries of a process would share otherwise are local, too.
    if (Result<void> done = write("exported.map", str("{\n global:\n", exported, " local: *;\n};\n")); !done) return done;
    return write(names_.name + ".c", librarySource(module, code, names_));
  }

  Result<void> compileSource() {
    objects_.push_back(names_.name + ".o");
    return run("cc", "gcc",
               {"-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-I" + runtime_, "-c", names_.name + ".c", "-o",
                objects_.back()});
  }

  Result<void> link() {
    objects_.push_back(runtime_ + "/xt_runtime.o");
    std::vector<std::string> archive = {"rcsD", str("lib", names_.name, ".a")};
    std::vector<std::string> shared = {"-shared", "-o", str("lib", names_.name, ".so"),
                                       str("-Wl,-soname,lib", names_.name, ".so"), "-Wl,--version-script=exported.map"};
    archive.insert(archive.end(), objects_.begin(), objects_.end());
    shared.insert(shared.end(), objects_.begin(), objects_.end());
    for (const char *library : {"-lm", "-lpthread"}) shared.emplace_back(library);
    if (Result<void> done = run("ar", "binutils", archive); !done) return done;
    return run("cc", "gcc", shared);
  }

  Result<void> run(const std::string &program, std::string_view package, const std::vector<std::string> &arguments) {
    Result<ToolOutput> done = runTool(program, package, arguments, {.directory = folder_.path()});
    if (!done) return done.error();
    if (done->status == 0) return {};
    return Error::environment(str(program, " failed with status ", done->status, ": ", done->output));
  }

  const LibraryNames names_;
  const ScratchDirectory folder_;
  const std::string runtime_;
  std::vector<std::string> objects_;
};

} // namespace

Result<std::vector<OutputFile>> makeLibrary(const Module &module, const OutputOptions &options, Diagnostics &diagnostics) {
  auto stage = [&](const char *text) {
    if (options.stage) options.stage(text);
  };
  Result<std::string> runtime = runtimeFolder();
  if (!runtime) return runtime.error();
  Result<ScratchDirectory> folder = ScratchDirectory::make();
  if (!folder) return folder.error();
  LibraryNames names{options.libraryName, module.fileName, options.maker, options.variants};
  if (Result<void> checked = checkFunctionNames(module, names); !checked) return checked.error();
  stage("code of the library");
  Result<LibraryCode> code = libraryCode(module, str("xtrt_", names.name, "_"), diagnostics);
  if (!code) return code.error();
  stage("linking the library");
  return LibraryMaker(std::move(names), std::move(*folder), std::move(*runtime)).make(module, *code);
}

} // namespace xt
