// The only place where output files named by the user are written.
#pragma once
#include "ir/base/result.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace xt {

// Writes the pieces, concatenated, as the content of `path`.
//
// Symbolic links are followed; a dangling link creates the file that it names. A new file, and an existing regular file, appear
// whole or not at all, even if a signal ends the process: a temporary file in the same folder is renamed. The function does not
// wait until the content is on the disk, so after a power failure the file may be incomplete. The file keeps its mode, owner
// and group. It is written in place if a rename would change more than its content: if it has several names (hard links),
// extended attributes, an owner that the process cannot give to another file, a folder that the process cannot write to, or a
// mount on it. If writing in place fails, the file is incomplete, and the error says so.
//
// In a folder that all users can write to and that has the sticky bit (/tmp), links, pipes and files of other users are
// refused, except those of the folder's owner: they could have been put there to redirect the output.
//
// Anything but a regular file (a device, a pipe) is written into and not replaced. A path that refers to an open descriptor of
// the process (/dev/stdout, /dev/fd/3) is written through that descriptor, at its position, after the data buffered by stdio.
//
// On failure returns an environment Error: "cannot write PATH: CAUSE".
Result<void> writeOutputFile(const std::string &path, std::initializer_list<std::string_view> pieces);

// Whether writeOutputFile() is likely to succeed, for work that takes long before it writes: the file, or the folder in which it
// will be, can be written to. The same Error if not. Writes nothing.
Result<void> checkOutputFile(const std::string &path);

} // namespace xt
