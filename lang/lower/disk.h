// Sources on disk: reads files, finds the standard library, and reads imports.
#pragma once
#include "lang/lower/imports.h"

namespace xt {

// The folder of the standard library; "" if it is not found.
std::string stdlibFolder();
// Options that read imports within the time limit of a TimedReader, and find the standard library with stdlibFolder.
ImportOptions importsFromDisk();
// Reads a whole regular file. The Error names the file and the reason.
inline constexpr int64_t kMostSourceBytes = int64_t{1} << 30; // positions in a source are 32-bit
Result<std::string> readFile(const std::string &path);

} // namespace xt
