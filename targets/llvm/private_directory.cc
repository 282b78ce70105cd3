#include "targets/llvm/private_directory.h"

#include "ir/base/temporary_files.h"
#include "ir/base/text.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
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
  struct group groupEntry {}, *foundGroup = nullptr;
  struct passwd userEntry {}, *foundUser = nullptr;
  if (getgrgid_r(group, &groupEntry, groupText.data(), kBytes, &foundGroup) != 0 || !foundGroup) return false;
  if (getpwuid_r(geteuid(), &userEntry, userText.data(), kBytes, &foundUser) != 0 || !foundUser) return false;
  if (foundUser->pw_gid != group || std::strcmp(foundUser->pw_name, foundGroup->gr_name) != 0) return false;
  for (char **member = foundGroup->gr_mem; *member; ++member)
    if (std::strcmp(*member, foundUser->pw_name) != 0) return false;
  return true;
}

// Why other users can change the content of a directory; "" if they cannot.
std::string whyNotPrivate(const std::string &path, const struct stat &info, bool last) {
  bool ours = info.st_uid == geteuid();
  if (!ours && (last || info.st_uid != 0)) return str(path, " belongs to another user (number ", info.st_uid, ")");
  mode_t others = info.st_mode & (S_IWGRP | S_IWOTH);
  bool sticky = !last && (info.st_mode & S_ISVTX);
  if (!others || sticky || (!last && others == S_IWGRP && isOwnGroup(info.st_gid))) return "";
  char mode[8];
  std::snprintf(mode, sizeof mode, "%04o", static_cast<unsigned>(info.st_mode & 07777));
  return str("others can write to ", path, " (mode ", mode, "); `chmod go-w ", path, "` makes it private");
}

std::string temporaryName() {
  static std::atomic<unsigned> number{0};
  return str("llvmcache-new-", getpid(), "-", number++);
}

bool writeAll(int descriptor, std::initializer_list<std::string_view> pieces) {
  for (std::string_view piece : pieces)
    while (!piece.empty()) {
      ssize_t put = ::write(descriptor, piece.data(), piece.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      piece.remove_prefix(static_cast<size_t>(put));
    }
  return true;
}

// Like renameat, but keeps an existing file of the new name.
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
    problem_ = str("cannot make ", path, ": ", std::strerror(errno));
    return;
  }
  path_ = real;
  // Each directory is opened relative to its parent, so that the directory that was checked is the one that is used.
  int folder = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (size_t begin = 0;;) {
    size_t end = std::min(path_.find('/', begin + 1), path_.size());
    bool last = end == path_.size();
    std::string name = path_.substr(begin + 1, end - begin - 1);
    struct stat info {};
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
  struct stat info {};
  if (folder < 0 || fstat(folder, &info) != 0) {
    problem_ = str("cannot open ", path_, ": ", std::strerror(errno));
    if (folder >= 0) close(folder);
    return;
  }
  problem_ = whyNotPrivate(path_, info, true);
  if (problem_.empty()) state_ = State::Open, descriptor_ = folder;
  else state_ = State::Refused, close(folder);
}

std::optional<std::string> PrivateDirectory::read(const std::string &name, size_t most, bool onlyOwn) const {
  int file = openat(descriptor_, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat info {};
  bool good = fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && static_cast<size_t>(info.st_size) <= most;
  if (onlyOwn) good = good && (info.st_mode & 077) == 0;
  std::string text(good ? static_cast<size_t>(info.st_size) : 0, '\0');
  size_t length = 0;
  while (good && length < text.size()) {
    ssize_t got = ::read(file, text.data() + length, text.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    length += static_cast<size_t>(got);
  }
  // Many systems do not record reads; setting the times marks the file as used.
  if (good) futimens(file, nullptr);
  close(file);
  if (!good || length != text.size()) return std::nullopt;
  return text;
}

bool PrivateDirectory::write(const std::string &name, std::initializer_list<std::string_view> pieces, bool replace) const {
  std::string temporary = temporaryName();
  TemporaryPath known(str(path_, "/", temporary));
  unlinkat(descriptor_, temporary.c_str(), 0);
  int file = openat(descriptor_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  bool written = writeAll(file, pieces);
  written &= close(file) == 0;
  if (written && replace) written = renameat(descriptor_, temporary.c_str(), descriptor_, name.c_str()) == 0;
  else if (written) written = renameUnlessThere(descriptor_, temporary, name);
  if (!written) unlinkat(descriptor_, temporary.c_str(), 0);
  return written;
}

void PrivateDirectory::remove(const std::string &name) const { unlinkat(descriptor_, name.c_str(), 0); }

} // namespace xt
