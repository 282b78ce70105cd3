// Objects that the code generator has made, kept on disk for later processes.
#pragma once
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <optional>
#include <string>

namespace xt {

// One file for each entry, named by its key, in a directory that is made when something is first kept. Several processes
// may use it at once: files appear whole, by renaming. Whatever cannot be read or written counts as not there.
class ObjectCache {
public:
  static constexpr uint64_t kDefaultLimit = uint64_t{256} << 20;

  // "": keeps and finds nothing. Beyond `limitBytes` the entries that were not used for longest go.
  explicit ObjectCache(std::string directory, uint64_t limitBytes = kDefaultLimit) : directory_(std::move(directory)), limit_(limitBytes) {}
  explicit operator bool() const { return !directory_.empty(); }

  // What was kept under the key. An entry whose digest does not fit is removed.
  std::optional<std::string> find(const std::string &key) const;
  void keep(const std::string &key, const std::string &object) const;
  std::string fileOf(const std::string &key) const;

private:
  void prune() const;
  std::string directory_;
  uint64_t limit_;
};

// Hexadecimal digits of a SHA-256 of all that an object depends on: the bitcode, which holds the values of parameters, the
// processor and its features, how far the code is optimised, and the version of LLVM.
std::string objectKey(llvm::StringRef bitcode, const llvm::TargetMachine &machine);

} // namespace xt
