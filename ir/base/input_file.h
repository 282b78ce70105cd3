// How files that a user names for input are opened and read.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>

namespace xt {

// Opens a regular file for reading. Whatever else a path may name (a folder, a pipe, a device, a socket) could block, never
// end, or act by being opened: it is refused before it is opened. The Error is of the environment: "cannot read PATH: CAUSE".
Result<int> openInputFile(const std::string &path);
// The whole of a regular file, refused when it has more than `most` bytes.
Result<std::string> readInputFile(const std::string &path, int64_t most);
// All that an open descriptor gives; `name` stands for it in errors.
Result<std::string> readDescriptor(int descriptor, const std::string &name, int64_t most);

} // namespace xt
