// Sources on disk: reads files, finds the standard library, and reads imports.
#pragma once
#include "ir/base/own_program.h"
#include "lang/lower/imports.h"

namespace xt {

// The folder of the standard library, searched from the file `program` on; "" if it is not found.
std::string stdlibFolder(std::string program = ownProgram());
// Returns options that read imports within the time limit of a TimedReader, and that find the standard library with
// stdlibFolder().
ImportOptions importsFromDisk(std::string program = ownProgram());
inline constexpr int64_t kMostSourceBytes = int64_t{1} << 30; // positions in a source are 32-bit
// Returns the names of at most kMostNames entries of a folder, in no order; none if it cannot be read.
std::vector<std::string> namesIn(const std::string &folder);
inline constexpr size_t kMostNames = 10000;
// Reads a whole regular file of at most kMostSourceBytes bytes. The Error names the file and the reason.
Result<std::string> readFile(const std::string &path);

} // namespace xt
