// Code that this process has, shared by all kernels that have the same.
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
  size_t frameBytes = 0; // of the stack that it takes at most
};

// By objectKey of what it was made from. Safe from any thread.
class CodeLibrary {
public:
  static constexpr size_t kMost = 128; // beyond which what was not used for longest goes, unless a kernel has it

  static CodeLibrary &ofProcess();
  std::shared_ptr<const LoadedCode> find(const std::string &key); // null: it has none
  // Gives what is there under the key then: another thread may have been first.
  std::shared_ptr<const LoadedCode> keep(const std::string &key, std::shared_ptr<const LoadedCode> code);

private:
  using Entry = std::pair<std::string, std::shared_ptr<const LoadedCode>>;
  std::shared_ptr<const LoadedCode> use(const std::string &key);
  std::mutex mutex_;
  std::vector<Entry> entries_; // the last used one last
};

} // namespace xt
