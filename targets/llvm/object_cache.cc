#include "targets/llvm/object_cache.h"

#include "ir/base/text.h"

#include <llvm-c/blake3.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <sys/random.h>

namespace xt {
namespace {

// An entry consists of this magic, the keyed digest of the entry's name and object, and the object.
constexpr std::string_view kMagic = "xt object 2\n";
constexpr size_t kDigestBytes = LLVM_BLAKE3_OUT_LEN, kSecretBytes = LLVM_BLAKE3_KEY_LEN;
constexpr size_t kMostObjectBytes = size_t{1} << 30;
constexpr const char *kSecretFile = "key";

std::string digestOf(const std::string &secret, std::string_view name, std::string_view object) {
  llvm_blake3_hasher hasher;
  llvm_blake3_hasher_init_keyed(&hasher, reinterpret_cast<const uint8_t *>(secret.data()));
  for (std::string_view part : {kMagic, name, std::string_view("\0", 1), object})
    llvm_blake3_hasher_update(&hasher, part.data(), part.size());
  std::string digest(kDigestBytes, '\0');
  llvm_blake3_hasher_finalize(&hasher, reinterpret_cast<uint8_t *>(digest.data()), digest.size());
  return digest;
}

// Takes the same time wherever the digests differ, so that the time does not reveal the place.
bool sameDigest(std::string_view a, std::string_view b) {
  unsigned different = a.size() == b.size() ? 0 : 1;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) different |= static_cast<unsigned char>(a[i] ^ b[i]);
  return different == 0;
}

std::string freshSecret() {
  std::string fresh(kSecretBytes, '\0');
  return getrandom(fresh.data(), fresh.size(), 0) == static_cast<ssize_t>(fresh.size()) ? fresh : "";
}

PrivateDirectory::Found readSecret(const PrivateDirectory &directory, std::string &secret) {
  PrivateDirectory::Found found = directory.read(kSecretFile, kSecretBytes, secret, true);
  return found == PrivateDirectory::Found::Good && secret.size() != kSecretBytes ? PrivateDirectory::Found::Bad : found;
}

// Returns the directory's secret, which is created if it does not exist. If several processes create it at once, the secret of
// one of them stays, and all use that one. A secret that others can read, or of the wrong length, is replaced, and the entries
// made with it are compiled again. If the system fails to read the file, the file stays. Returns "" and sets `problem` if there
// is no secret this time.
std::string secretOf(const PrivateDirectory &directory, std::string &problem) {
  constexpr int kMostTries = 4;
  std::string secret, file = str(directory.path(), "/", kSecretFile);
  for (int i = 0; i < kMostTries; ++i) {
    PrivateDirectory::Found found = readSecret(directory, secret);
    if (found == PrivateDirectory::Found::Good) return secret;
    problem = str("cannot read ", file);
    if (found == PrivateDirectory::Found::Unknown) return "";
    problem = str("cannot write ", file);
    if (found == PrivateDirectory::Found::Bad) {
      // The lock prevents this process from removing a good secret with which another process has just replaced the bad one.
      if (!directory.lock()) return "";
      if (readSecret(directory, secret) == PrivateDirectory::Found::Bad) directory.remove(kSecretFile);
      directory.unlock();
    }
    std::string fresh = freshSecret();
    if (fresh.empty() || !directory.write(kSecretFile, {fresh}, false)) return "";
  }
  return "";
}

std::string nameOf(const std::string &key) { return "llvmcache-" + key; } // the prefix that llvm::pruneCache requires

} // namespace

ObjectCache::ObjectCache(const std::string &directory, uint64_t limitBytes) : limit_(limitBytes) {
  if (directory.empty() || limit_ == 0) return;
  directory_ = std::make_shared<const PrivateDirectory>(directory);
  problem_ = directory_->problem();
  if (directory_->state() != PrivateDirectory::State::Open) return;
  std::string problem;
  secret_ = secretOf(*directory_, problem);
  if (secret_.empty()) problem_ = problem;
}

std::string ObjectCache::refusal() const {
  return directory_ && directory_->state() == PrivateDirectory::State::Refused ? problem_ : "";
}

std::string ObjectCache::fileOf(const std::string &key) const {
  return directory_ ? str(directory_->path(), "/", nameOf(key)) : "";
}

std::optional<std::string> ObjectCache::find(const std::string &key) const {
  if (!*this) return std::nullopt;
  std::string name = nameOf(key);
  std::string entry;
  if (directory_->read(name, kMostObjectBytes, entry) != PrivateDirectory::Found::Good) return std::nullopt;
  std::string_view text = entry;
  bool whole = text.starts_with(kMagic) && text.size() >= kMagic.size() + kDigestBytes;
  if (whole) {
    std::string_view digest = text.substr(kMagic.size(), kDigestBytes), object = text.substr(kMagic.size() + kDigestBytes);
    if (sameDigest(digest, digestOf(secret_, name, object))) return std::string(object);
  }
  directory_->remove(name);
  return std::nullopt;
}

void ObjectCache::keep(const std::string &key, const std::string &object) const {
  if (!*this || object.size() + kMagic.size() + kDigestBytes > std::min<uint64_t>(limit_, kMostObjectBytes)) return;
  std::string name = nameOf(key);
  if (directory_->write(name, {kMagic, digestOf(secret_, name, object), object})) prune();
}

ObjectCache::Use ObjectCache::use() const {
  Use all;
  if (!*this) return all;
  std::error_code failed;
  for (llvm::sys::fs::directory_iterator at(directory_->path(), failed), end; !failed && at != end; at.increment(failed)) {
    llvm::ErrorOr<llvm::sys::fs::basic_file_status> status = at->status();
    if (!status || !llvm::sys::path::filename(at->path()).starts_with("llvmcache-")) continue;
    ++all.entries;
    all.bytes += static_cast<int64_t>(status->getSize());
  }
  return all;
}

void ObjectCache::prune() const {
  llvm::CachePruningPolicy policy;
  policy.Interval = std::chrono::seconds(0);
  policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizePercentageOfAvailableSpace = 100;
  policy.MaxSizeBytes = limit_;
  llvm::pruneCache(directory_->path(), policy);
}

std::string objectKey(llvm::StringRef bitcode, const llvm::TargetMachine &machine) {
  llvm::SHA256 hash;
  std::string level = std::to_string(static_cast<int>(machine.getOptLevel()));
  for (llvm::StringRef part :
       {llvm::StringRef(level), llvm::StringRef(LLVM_VERSION_STRING), llvm::StringRef(machine.getTargetTriple().str()),
        machine.getTargetCPU(), machine.getTargetFeatureString()}) {
    hash.update(part);
    hash.update(llvm::StringRef("\0", 1));
  }
  hash.update(bitcode);
  return llvm::toHex(hash.final(), true);
}

} // namespace xt
