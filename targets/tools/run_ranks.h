// The ranks of `xtrun --mpi`: opens MPI, and finds out what the ranks have in common, so that only one of them prints it.
#pragma once
#include "targets/ranks/communication_thread.h"

namespace xt {

class RunRanks {
public:
  // `seconds`: how long a rank waits for the others.
  explicit RunRanks(double seconds);
  const Result<void> &opened() const { return thread_.opened(); }
  CommunicationThread &thread() { return thread_; }
  int rank() const { return thread_.rank(); }
  int count() const { return thread_.count(); }
  // Whether all ranks are here with the same content. All ranks call this. `where` is for messages: "the end of a test".
  bool agree(std::string_view where, std::string_view content);
  // The number of threads of a rank: the processors of its machine divided among the ranks there, at most those that it may use.
  int threads();

private:
  CommunicationThread thread_;
};

} // namespace xt
