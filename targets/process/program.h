// Starts programs of other packages.
#pragma once
#include "ir/base/result.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace xt {

struct ChildProgram {
  std::string name;                     // found in PATH, unless it contains a slash
  std::vector<std::string> arguments;   // without the name
  std::string missing;                  // the message if there is no such program
  std::string directory = {};           // "": this process's working directory
  std::vector<std::string> environment = {}; // NAME=VALUE, in addition to the variables of this process
  int input = -1, output = -1, errors = -1;  // descriptors of its standard streams; -1: /dev/null
  int processorSeconds = 0;             // SIGXCPU ends it after this many seconds of processor time; 0: no limit
  bool ownGroup = false;                // in a separate process group, so that all its processes can be ended at once
};

// Starts the program in a child, which is killed when the calling thread ends. SIGPIPE and SIGXFSZ, which our tools ignore, end
// it as usual. Returns the number of the process.
Result<pid_t> startProgram(const ChildProgram &program);

// Waits for the end of a child; returns its exit status, or 128 + n if signal n ended it.
int waitForEnd(pid_t child);

} // namespace xt
