#include "targets/tools/run_ranks.h"

#include "targets/ranks/open_mpi.h"

#include <algorithm>
#include <thread>
#include <unistd.h>

namespace xt {

RunRanks::RunRanks(double seconds) : thread_([seconds] { return openMpi(seconds); }) {}

bool RunRanks::agree(std::string_view where, std::string_view content) {
  bool same = false;
  (void)thread_
      .run([&](Communicator &communicator) -> Result<void> {
        same = communicator.agree(where, content);
        return {};
      })
      .ok();
  return same;
}

int RunRanks::threads() {
  const int mine = static_cast<int>(std::thread::hardware_concurrency()); // that this process may use
  const int all = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return std::min(mine, std::max(1, all / thread_.onThisMachine()));
}

} // namespace xt
