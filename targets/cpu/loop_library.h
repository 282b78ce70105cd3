// The code of outlined loops (outlined_loops.h), shared by all kernels of this process that have the same.
#pragma once
#include "targets/llvm/linked_object.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace xt {

struct LoadedLoop {
  std::unique_ptr<LinkedObject> code;
  void *address;
  size_t frameBytes; // of the stack
};

// By objectKey of what a loop was made from. Safe from any thread.
class LoopLibrary {
public:
  static constexpr size_t kMost = 128; // beyond which those that were not used for longest go, unless a kernel has them

  static LoopLibrary &ofProcess();
  std::shared_ptr<const LoadedLoop> find(const std::string &key); // null: it has none
  // Gives what is there under the key then: another thread may have been first.
  std::shared_ptr<const LoadedLoop> keep(const std::string &key, LoadedLoop loop);

private:
  using Entry = std::pair<std::string, std::shared_ptr<const LoadedLoop>>;
  std::shared_ptr<const LoadedLoop> use(const std::string &key);
  std::mutex mutex_;
  std::vector<Entry> loops_; // the last used one last
};

} // namespace xt
