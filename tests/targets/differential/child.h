// A process of its own for what may crash or never end.
#pragma once
#include <functional>
#include <string>

namespace xt {

struct ChildEnd {
  enum class How { Returned, Late, Signal, Exited } how = How::Returned; // Exited: by itself, as a failed XT_CHECK ends it
  int value = 0;                                                        // what `run` gave, the signal, or the exit status
  std::string said;                                                     // what `run` and the process wrote
};

// Runs `run` in a child that is ended after so many seconds. This process must have one thread. `run` says what it does by
// appending to its argument, which comes back even where the child crashes.
ChildEnd inChild(const std::function<int(const std::function<void(const std::string &)> &say)> &run, unsigned seconds);

} // namespace xt
