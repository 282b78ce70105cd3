// The first and the last call of every tool's main(): streams, signals and limits of the process.
#pragma once
#include "ir/base/exit_status.h"

namespace xt {

// Call first. `tool` is the name in messages. Afterwards
// - a standard stream that was closed is replaced by a descriptor on which reads and writes fail, so that no file opened later
//   gets its number;
// - writing to a pipe without a reader, or beyond the file size limit of the process, is an error of write(), not a signal;
// - a signal that ends the process removes its temporary files;
// - if the system has no more memory or threads, the process ends with a message and kExitEnvironment.
void startProcess(const char *tool);

// Call last: flushes standard output. Returns `status`, or kExitEnvironment if printed output was lost, unless `status` is a
// worse one (usage, compiler bug). Prints the cause on standard error, except for a pipe whose reader has closed it
// (`xtc --list-ops | head -1`).
int endProcess(int status);

// Whether standard output has already failed, so that producing more output is useless. Flushes it.
bool standardOutputLost();

} // namespace xt
