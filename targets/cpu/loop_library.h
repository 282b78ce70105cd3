// The code of outlined loops (outlined_loops.h), shared by all kernels of this process that have the same.
#pragma once
#include "targets/llvm/linked_object.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace xt {

// A function, and the object that it is of.
struct LoadedCode {
  std::unique_ptr<LinkedObject> object;
  void *address = nullptr;
  size_t frameBytes = 0; // of the stack that it takes at most; kernels of fibers, which have small ones, call no loops
  std::vector<std::shared_ptr<const LoadedCode>> calls;
};

// By objectKey of what a loop was made from. Safe from any thread.
class LoopLibrary {
public:
  static constexpr size_t kMost = 128; // beyond which those that were not used for longest go, unless a kernel has them

  static LoopLibrary &ofProcess();
  std::shared_ptr<const LoadedCode> find(const std::string &key); // null: it has none
  // Gives what is there under the key then: another thread may have been first.
  std::shared_ptr<const LoadedCode> keep(const std::string &key, std::shared_ptr<const LoadedCode> loop);

private:
  using Entry = std::pair<std::string, std::shared_ptr<const LoadedCode>>;
  std::shared_ptr<const LoadedCode> use(const std::string &key);
  std::mutex mutex_;
  std::vector<Entry> loops_; // the last used one last
};

} // namespace xt
