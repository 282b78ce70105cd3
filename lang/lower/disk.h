// Sources on disk: reading a file, the standard library, and what imports name.
#pragma once
#include "ir/base/result.h"
#include "lang/lower/imports.h"

namespace xt {

// The folder of the standard library; "" where there is none.
std::string stdlibFolder();
// How the files that a file imports are found and read.
ImportOptions importsFromDisk();
// Reads a whole file; the Error says which file and why.
Result<std::string> readFile(const std::string &path);

} // namespace xt
