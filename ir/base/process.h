// What main() of every tool does first and last: streams, signals and limits of the process.
#pragma once

namespace xt {

inline constexpr int kExitEnvironment = 3; // a file, a device or a limit of the system

// Call first. `tool` is the name in messages. From then on
// - a standard stream that is closed is a descriptor that gives errors, so that no file which is opened takes its number;
// - a pipe that nobody reads, and a file that grows beyond the limit of the process, are errors of write() and no signals;
// - a signal that ends the process removes its temporary files;
// - memory or threads that the system does not give end the process with a message and kExitEnvironment.
void startProcess(const char *tool);

// Call last: flushes standard output. Gives `status`, or kExitEnvironment if something that was printed is lost and
// `status` says of nothing worse (usage, compiler bug). Tells why on standard error, but says nothing of a pipe whose
// reader has gone (`xtc --list-ops | head -1`).
int endProcess(int status);

// Whether standard output is lost already, so that more work for it is in vain. Flushes it.
bool standardOutputLost();

} // namespace xt
