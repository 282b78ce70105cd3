// Objects that the code generator has made, kept on disk for later processes.
#pragma once
#include "targets/llvm/private_directory.h"

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace xt {

// One file for each entry, named by its key, in a private directory. What is found there is run: an entry counts only if
// its keyed digest (BLAKE3), over its name and its object, was made with the secret in the directory's file `key`, which
// the user alone can read. Several processes may use it at once: files appear whole, by renaming. Whatever cannot be read or
// written counts as not there.
class ObjectCache {
public:
  static constexpr uint64_t kDefaultLimit = uint64_t{256} << 20;

  // "" or no bytes: keeps and finds nothing. Beyond `limitBytes` the entries that were not used for longest go.
  explicit ObjectCache(const std::string &directory, uint64_t limitBytes = kDefaultLimit);
  explicit operator bool() const { return directory_ && !secret_.empty(); }

  // Why a directory is not used that others could write to; "": it is used, cannot be made, or none is wanted.
  std::string refusal() const;
  // Why nothing is kept, for whatever reason; "": something is, or no directory is named.
  const std::string &problem() const { return problem_; }

  // What was kept under the key. An entry that is not authentic is removed.
  std::optional<std::string> find(const std::string &key) const;
  void keep(const std::string &key, const std::string &object) const;
  std::string fileOf(const std::string &key) const;

  struct Use {
    int64_t entries = 0, bytes = 0;
  };
  Use use() const; // how much is kept

private:
  void prune() const;
  std::shared_ptr<const PrivateDirectory> directory_;
  std::string secret_, problem_;
  uint64_t limit_;
};

// Hexadecimal digits of a SHA-256 of all that an object depends on: the bitcode, which holds the values of parameters, the
// processor and its features, how far the code is optimised, and the version of LLVM.
std::string objectKey(llvm::StringRef bitcode, const llvm::TargetMachine &machine);

} // namespace xt
