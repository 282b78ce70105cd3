// Where every file that a user names for output is written.
#pragma once
#include "ir/base/result.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace xt {

// Writes the pieces, one after the other, as the content of `path`.
//
// Symbolic links are followed; one that leads nowhere makes the file that it names. A new file, and a regular file that
// is there, appear whole or not at all: a temporary file in the same folder is renamed. The file keeps its mode, owner and
// group. It is written in place if a rename would change more than its content: it has several names (hard
// links), extended attributes, an owner that the process cannot give to another file, a folder that the process cannot
// write to, or something is mounted on it. If writing in place fails, the file is incomplete, and the error says so.
//
// What is no regular file (a device, a pipe) is written into and stays what it is. A path that stands for an open
// descriptor of the process (/dev/stdout, /dev/fd/3) is that descriptor, at its position, after what stdio holds.
//
// The Error is of the environment: "cannot write PATH: CAUSE".
Result<void> writeOutputFile(const std::string &path, std::initializer_list<std::string_view> pieces);

} // namespace xt
