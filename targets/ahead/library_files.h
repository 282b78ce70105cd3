// Compiles and links the files of a library that is compiled ahead of time, by the C compiler `cc` and by `ar`.
#pragma once
#include "targets/ahead/library_text.h"

#include <functional>

namespace xt {

struct LibraryParts {
  std::vector<OutputFile> objects; // object files
  std::vector<OutputFile> included; // files that the C text includes, such as a GPU's code
  std::string source, header, json;
  std::vector<std::string> exported; // names of functions
  std::string runtime; // the run time that is linked into the library: "xt_runtime.o"
  std::vector<std::string> libraries; // of the system, such as "-lm"
};

// The folder in which the run times and xtrt.h are; an Error says that this one is not built.
Result<std::string> runtimeFolder(const std::string &runtime);

// The functions that users of a library call.
std::vector<std::string> exportedFunctions(const Module &module, const LibraryNames &names, const LibraryForm &form);

// The files of the library NAME: NAME.h, NAME.json, libNAME.a and libNAME.so. An Error says if a tool is not there or fails.
Result<std::vector<OutputFile>> linkLibrary(const LibraryNames &names, const LibraryParts &parts);

} // namespace xt
