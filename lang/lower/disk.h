// Sources on disk: reading a file, the standard library, and what imports name.
#pragma once
#include "ir/base/timed_reader.h"
#include "lang/lower/imports.h"

namespace xt {

// The folder of the standard library; "" where there is none.
std::string stdlibFolder();
// How the files that a file imports are found and read: as with readImport.
ImportOptions importsFromDisk();
// Reads a whole regular file within the reader's limit of time.
Result<std::string> readImport(TimedReader &reader, const std::string &path);
// Reads a whole regular file; the Error says which file and why.
inline constexpr int64_t kMostSourceBytes = int64_t{1} << 30; // positions in a source are 32-bit
Result<std::string> readFile(const std::string &path);

} // namespace xt
