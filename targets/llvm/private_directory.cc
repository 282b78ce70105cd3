#include "targets/llvm/private_directory.h"

#include "ir/base/descriptor.h"
#include "ir/base/temporary_files.h"
#include "ir/base/text.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace xt {
namespace {

void makeFolders(const std::string &path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1))
    mkdir(path.substr(0, slash).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

// Many systems give each user a group of the same name without other members.
bool isOwnGroup(gid_t group) {
  constexpr size_t kBytes = 16384;
  std::vector<char> groupText(kBytes), userText(kBytes);
  struct group groupEntry{}, *foundGroup = nullptr;
  struct passwd userEntry{}, *foundUser = nullptr;
  if (getgrgid_r(group, &groupEntry, groupText.data(), kBytes, &foundGroup) != 0 || !foundGroup) return false;
  if (getpwuid_r(geteuid(), &userEntry, userText.data(), kBytes, &foundUser) != 0 || !foundUser) return false;
  if (foundUser->pw_gid != group || std::strcmp(foundUser->pw_name, foundGroup->gr_name) != 0) return false;
  for (char **member = foundGroup->gr_mem; *member; ++member)
    if (std::strcmp(*member, foundUser->pw_name) != 0) return false;
  return true;
}

// Why other users can change the content of a directory; "" if they cannot. `last`: whether it is the private directory itself,
// and not one above it.
std::string whyNotPrivate(const std::string &path, const struct stat &info, bool last) {
  bool ours = info.st_uid == geteuid();
  if (!ours && (last || info.st_uid != 0)) return str(path, " belongs to another user (uid ", info.st_uid, ")");
  mode_t others = info.st_mode & (S_IWGRP | S_IWOTH);
  bool sticky = !last && (info.st_mode & S_ISVTX);
  if (!others || sticky || (!last && others == S_IWGRP && isOwnGroup(info.st_gid))) return "";
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777));
  return str("other users can write to ", path, " (mode ", mode, "); make it private with `chmod go-w ", path, "`");
}

// Renames a file as renameat does, but if there is a file of the new name already, keeps that file and returns true.
bool renameUnlessThere(int folder, const std::string &from, const std::string &to) {
  if (linkat(folder, from.c_str(), folder, to.c_str(), 0) == 0) {
    unlinkat(folder, from.c_str(), 0);
    return true;
  }
  if (errno == EEXIST) {
    unlinkat(folder, from.c_str(), 0);
    return true;
  }
  return renameat2(folder, from.c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0; // for a file system without hard links
}

} // namespace

PrivateDirectory::PrivateDirectory(const std::string &path) { open(path); }

PrivateDirectory::~PrivateDirectory() {
  if (descriptor_ >= 0) close(descriptor_);
}

void PrivateDirectory::open(const std::string &path) {
  makeFolders(path);
  char real[PATH_MAX];
  if (!realpath(path.c_str(), real)) {
    problem_ = str("cannot create ", path, ": ", std::strerror(errno));
    return;
  }
  path_ = real;
  // Each directory is opened relative to its parent, so that the directory that was checked is the one that is used.
  int folder = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (size_t begin = 0;;) {
    size_t end = std::min(path_.find('/', begin + 1), path_.size());
    bool last = end == path_.size();
    std::string name = path_.substr(begin + 1, end - begin - 1);
    struct stat info{};
    if (folder < 0 || fstat(folder, &info) != 0) break;
    if (std::string why = whyNotPrivate(begin == 0 ? "/" : path_.substr(0, begin), info, false); !why.empty()) {
      close(folder);
      problem_ = why, state_ = State::Refused;
      return;
    }
    int next = openat(folder, name.c_str(), (last ? O_RDONLY : O_PATH) | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(std::exchange(folder, next));
    begin = end;
    if (last) break;
  }
  struct stat info{};
  if (folder < 0 || fstat(folder, &info) != 0) {
    problem_ = str("cannot open ", path_, ": ", std::strerror(errno));
    if (folder >= 0) close(folder);
    return;
  }
  problem_ = whyNotPrivate(path_, info, true);
  if (problem_.empty())
    state_ = State::Open, descriptor_ = folder;
  else
    state_ = State::Refused, close(folder);
}

PrivateDirectory::Found PrivateDirectory::read(const std::string &name, size_t most, std::string &text, bool onlyOwn) const {
  int file = openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return errno == ENOENT ? Found::Missing : errno == ELOOP || errno == EACCES || errno == ENXIO ? Found::Bad : Found::Unknown;
  struct stat info{};
  Found found = fstat(file, &info) != 0 ? Found::Unknown : Found::Good;
  mode_t forbidden = onlyOwn ? 077 : 0;
  bool fits = S_ISREG(info.st_mode) && info.st_uid == geteuid() && static_cast<size_t>(info.st_size) <= most &&
              (info.st_mode & forbidden) == 0;
  if (found == Found::Good && !fits) found = Found::Bad;
  text.clear();
  if (found == Found::Good) {
    if (readAll(file, text, most) != 0 || text.size() != static_cast<size_t>(info.st_size)) found = Found::Unknown;
    futimens(file, nullptr); // records the read, which many systems do not do themselves
  }
  close(file);
  return found;
}

bool PrivateDirectory::write(const std::string &name, std::initializer_list<std::string_view> pieces, bool replace) const {
  std::string temporary = str("llvmcache-new-", randomDigits());
  TemporaryPath known(str(path_, "/", temporary));
  int file = openat(descriptor_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool written = std::ranges::all_of(pieces, [&](std::string_view piece) { return writeAll(file, piece) == 0; });
  written &= close(file) == 0;
  if (written && replace)
    written = renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) == 0;
  else if (written)
    written = renameUnlessThere(descriptor_, temporary, name);
  if (!written) unlinkat(descriptor_, temporary.c_str(), 0);
  return written;
}

void PrivateDirectory::remove(const std::string &name) const { unlinkat(descriptor_, name.c_str(), 0); }

bool PrivateDirectory::lock() const {
  constexpr int kMostTries = 200;
  constexpr useconds_t kPause = 5000;
  for (int i = 0; i < kMostTries; ++i) {
    if (flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false; // some network file systems have no locks
    usleep(kPause);
  }
  return false;
}

void PrivateDirectory::unlock() const { flock(descriptor_, LOCK_UN); }

} // namespace xt
