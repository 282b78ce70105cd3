// Caches generated objects on disk for later processes.
#pragma once
#include "targets/llvm/private_directory.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace xt {

// One file per entry, named by its key, in a private directory. Entries are executed, so one is used only if its
// keyed digest (BLAKE3), over its name and its object, was made with the secret in the directory's file `key`, which
// only the user can read. Several processes may use the directory at once: files appear complete, by renaming. An entry
// that cannot be read or written is treated as missing.
class ObjectCache {
public:
  static constexpr uint64_t kDefaultLimit = uint64_t{256} << 20;

  // With "" or 0 bytes the cache is disabled. Beyond `limitBytes`, the least recently used entries are removed.
  explicit ObjectCache(const std::string &directory, uint64_t limitBytes = kDefaultLimit);
  explicit operator bool() const { return directory_ && !secret_.empty(); }

  // The reason if the directory was refused because it is not private; else "".
  std::string refusal() const;
  // Why nothing is cached, whatever the reason; "" if the cache works or no directory is named.
  const std::string &problem() const { return problem_; }

  // Returns the object stored under the key. An entry that is not authentic is removed.
  std::optional<std::string> find(const std::string &key) const;
  void keep(const std::string &key, const std::string &object) const;
  std::string fileOf(const std::string &key) const;

  struct Use {
    int64_t entries = 0, bytes = 0;
  };
  Use use() const; // number and total size of the entries

private:
  void prune() const;
  std::shared_ptr<const PrivateDirectory> directory_;
  std::string secret_, problem_;
  uint64_t limit_;
};

// Hexadecimal digits of a SHA-256 of everything that an object depends on: the bitcode, which contains the values of
// parameters, the processor and its features, the optimisation level, and the version of LLVM.
std::string objectKey(llvm::StringRef bitcode, const llvm::TargetMachine &machine);

} // namespace xt
