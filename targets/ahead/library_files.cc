#include "targets/ahead/library_files.h"

#include "ir/base/input_file.h"
#include "ir/base/output_file.h"
#include "ir/base/own_program.h"
#include "ir/base/text.h"
#include "targets/process/external_tool.h"

#include <unistd.h>

namespace xt {
namespace {

constexpr int64_t kMostLibraryBytes = int64_t{1} << 30;

class LibraryMaker {
public:
  LibraryMaker(const LibraryNames &names, const LibraryParts &parts, ScratchDirectory folder, std::string runtimes)
      : names_(names), parts_(parts), folder_(std::move(folder)), runtimes_(std::move(runtimes)) {}

  Result<std::vector<OutputFile>> make() {
    if (Result<void> done = writeFiles(); !done) return done.error();
    if (Result<void> done = compileSource(); !done) return done.error();
    if (Result<void> done = link(); !done) return done.error();
    std::vector<OutputFile> files = {{names_.name + ".h", parts_.header}, {names_.name + ".json", parts_.json}};
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

  Result<void> writeFiles() {
    for (const auto *files : {&parts_.objects, &parts_.included})
      for (const OutputFile &file : *files)
        if (Result<void> done = write(file.name, file.content); !done) return done;
    for (const OutputFile &object : parts_.objects) objects_.push_back(object.name);
    if (Result<void> done = write(names_.name + ".h", parts_.header); !done) return done;
    std::string exported;
    for (const std::string &function : parts_.exported) exported += str("  ", function, ";\n");
    // Names that several libraries of a process would share otherwise are local, too.
    if (Result<void> done = write("exported.map", str("{\n global:\n", exported, " local: *;\n};\n")); !done) return done;
    return write(names_.name + ".c", parts_.source);
  }

  Result<void> compileSource() {
    objects_.push_back(names_.name + ".o");
    return run("cc", "gcc",
               {"-std=gnu11", "-O2", "-fPIC", "-fvisibility=hidden", "-I" + runtimes_, "-c", names_.name + ".c", "-o",
                objects_.back()});
  }

  Result<void> link() {
    objects_.push_back(runtimes_ + "/" + parts_.runtime);
    std::vector<std::string> archive = {"rcsD", str("lib", names_.name, ".a")};
    std::vector<std::string> shared = {"-shared", "-o", str("lib", names_.name, ".so"),
                                       str("-Wl,-soname,lib", names_.name, ".so"), "-Wl,--version-script=exported.map"};
    archive.insert(archive.end(), objects_.begin(), objects_.end());
    shared.insert(shared.end(), objects_.begin(), objects_.end());
    shared.insert(shared.end(), parts_.libraries.begin(), parts_.libraries.end());
    if (Result<void> done = run("ar", "binutils", archive); !done) return done;
    return run("cc", "gcc", shared);
  }

  Result<void> run(const std::string &program, std::string_view package, const std::vector<std::string> &arguments) {
    Result<ToolOutput> done = runTool(program, package, arguments, {.directory = folder_.path()});
    if (!done) return done.error();
    if (done->status == 0) return {};
    return Error::environment(str(program, " failed with status ", done->status, ": ", done->output));
  }

  const LibraryNames &names_;
  const LibraryParts &parts_;
  const ScratchDirectory folder_;
  const std::string runtimes_;
  std::vector<std::string> objects_;
};

} // namespace

// lib/xt beside the folder of the programs.
Result<std::string> runtimeFolder(const std::string &runtime) {
  std::string folder = ownProgramFolder() + "/../lib/xt";
  if (access((folder + "/" + runtime).c_str(), R_OK) == 0) return folder;
  return Error::environment(str("the run time of libraries, ", folder, "/", runtime, ", is not there: build the target ",
                                runtime.substr(0, runtime.rfind('.'))));
}

std::vector<std::string> exportedFunctions(const Module &module, const LibraryNames &names, const LibraryForm &form) {
  std::vector<std::string> all;
  for (const OwnFunction &own : form.functions) all.push_back(own.name);
  for (const auto &kernel : module.kernels)
    if (!isVariant(*kernel)) all.push_back(functionName(names, *kernel));
  return all;
}

Result<std::vector<OutputFile>> linkLibrary(const LibraryNames &names, const LibraryParts &parts) {
  Result<std::string> runtimes = runtimeFolder(parts.runtime);
  if (!runtimes) return runtimes.error();
  Result<ScratchDirectory> folder = ScratchDirectory::make();
  if (!folder) return folder.error();
  return LibraryMaker(names, parts, std::move(*folder), std::move(*runtimes)).make();
}

} // namespace xt
