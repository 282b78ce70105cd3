#include "targets/llvm/object_cache.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/SHA256.h>
#include <llvm/Support/raw_ostream.h>

namespace xt {
namespace {

// An entry: this, the SHA-256 of the key and the object, the object.
constexpr llvm::StringLiteral kMagic = "xt object 1\n";
constexpr size_t kDigestBytes = 32;

std::string digestOf(llvm::StringRef key, llvm::StringRef object) {
  llvm::SHA256 hash;
  hash.update(key);
  hash.update(object);
  auto digest = hash.final();
  return std::string(digest.begin(), digest.end());
}

} // namespace

std::string ObjectCache::fileOf(const std::string &key) const {
  llvm::SmallString<256> path(directory_);
  llvm::sys::path::append(path, "llvmcache-" + key); // llvm::pruneCache looks at these names only
  return std::string(path);
}

std::optional<std::string> ObjectCache::find(const std::string &key) const {
  if (!*this) return std::nullopt;
  std::string path = fileOf(key);
  auto file = llvm::MemoryBuffer::getFile(path, false, false);
  if (!file) return std::nullopt;
  llvm::StringRef text = (*file)->getBuffer();
  bool whole = text.consume_front(kMagic) && text.size() >= kDigestBytes;
  llvm::StringRef object = whole ? text.drop_front(kDigestBytes) : "";
  if (!whole || text.take_front(kDigestBytes) != digestOf(key, object)) {
    llvm::sys::fs::remove(path);
    return std::nullopt;
  }
  // Many systems do not record reads: the time says which entries are in use.
  int descriptor = 0;
  if (!llvm::sys::fs::openFileForReadWrite(path, descriptor, llvm::sys::fs::CD_OpenExisting, llvm::sys::fs::OF_None)) {
    llvm::sys::fs::setLastAccessAndModificationTime(descriptor, std::chrono::system_clock::now());
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  }
  return object.str();
}

void ObjectCache::keep(const std::string &key, const std::string &object) const {
  if (!*this || llvm::sys::fs::create_directories(directory_, true, llvm::sys::fs::owner_all)) return;
  int descriptor = 0;
  llvm::SmallString<256> name;
  auto mode = llvm::sys::fs::owner_read | llvm::sys::fs::owner_write;
  if (llvm::sys::fs::createUniqueFile(fileOf("new-%%%%%%%%"), descriptor, name, llvm::sys::fs::OF_None, mode)) return;
  bool written = false;
  {
    llvm::raw_fd_ostream out(descriptor, true);
    out << kMagic << digestOf(key, object) << object;
    out.flush();
    written = !out.has_error();
    out.clear_error();
  }
  if (!written || llvm::sys::fs::rename(name, fileOf(key))) llvm::sys::fs::remove(name);
  prune();
}

void ObjectCache::prune() const {
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 100;
  policy.MaxSizeBytes = limit_;
  llvm::pruneCache(directory_, policy);
}

std::string objectKey(llvm::StringRef bitcode, const llvm::TargetMachine &machine) {
  llvm::SHA256 hash;
  std::string level = std::to_string(static_cast<int>(machine.getOptLevel()));
  for (llvm::StringRef part : {llvm::StringRef(level), llvm::StringRef(LLVM_VERSION_STRING), llvm::StringRef(machine.getTargetTriple().str()),
                               machine.getTargetCPU(), machine.getTargetFeatureString()}) {
    hash.update(part);
    hash.update(llvm::StringRef("\0", 1));
  }
  hash.update(bitcode);
  return llvm::toHex(hash.final(), true);
}

} // namespace xt
