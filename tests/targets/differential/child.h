// Runs code that may crash or never end in a child process.
#pragma once
#include <functional>
#include <string>

namespace xt {

struct ChildEnd {
  enum class How { Returned, Late, Signal, Exited } how = How::Returned; // Exited: inside `run`, as by a failed XT_CHECK
  int value = 0;                                                        // the result of `run`, the signal, or the exit status
  std::string said; // the text passed to `say`, and the output of the child
};

// Runs `run` in a child process that is killed after `seconds`. The calling process must have only one thread. `run` passes
// progress messages to its argument; these are returned even if the child crashes.
ChildEnd inChild(const std::function<int(const std::function<void(const std::string &)> &say)> &run, unsigned seconds);

} // namespace xt
