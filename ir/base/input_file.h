// Opens and reads input files that the user names.
#pragma once
#include "ir/base/result.h"

#include <cstdint>
#include <string>

namespace xt {

// Opens a regular file for reading. Anything else that a path may name (a folder, a pipe, a device, a socket) could block,
// never end, or have side effects when opened, so it is rejected before it is opened. On failure returns an environment Error:
// "cannot read PATH: CAUSE".
Result<int> openInputFile(const std::string &path);
// Reads a whole regular file; an error if it has more than `most` bytes.
Result<std::string> readInputFile(const std::string &path, int64_t most);
// Reads an open descriptor to its end; an error if it gives more than `most` bytes. `name` stands for it in errors.
Result<std::string> readDescriptor(int descriptor, const std::string &name, int64_t most);

} // namespace xt
