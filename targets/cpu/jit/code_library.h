// Compiled code that is loaded into this process. Kernels with the same code share it.
#pragma once
#include "targets/llvm/linked_object.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace xt {

// A function, and the object that it belongs to.
struct LoadedCode {
  std::unique_ptr<LinkedObject> object;
  void *address = nullptr;
  size_t frameBytes = 0; // an upper bound on the stack that it uses
};

// Loaded code by objectKey. Thread-safe.
class CodeLibrary {
public:
  // The maximum number of entries; beyond it, the least recently used one is dropped (kernels that use it keep it alive).
  static constexpr size_t kMost = 128;

  static CodeLibrary &ofProcess();
  std::shared_ptr<const LoadedCode> find(const std::string &key); // null: not loaded
  // Adds code under a key. Returns the code that is then kept under it, which another thread may have added first.
  std::shared_ptr<const LoadedCode> keep(const std::string &key, std::shared_ptr<const LoadedCode> code);

private:
  using Entry = std::pair<std::string, std::shared_ptr<const LoadedCode>>;
  std::shared_ptr<const LoadedCode> use(const std::string &key);
  std::mutex mutex_;
  std::vector<Entry> entries_; // the most recently used one last
};

} // namespace xt
