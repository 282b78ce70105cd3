#include "ir/base/output_file.h"

#include "ir/base/descriptor.h"
#include "ir/base/temporary_files.h"
#include "ir/base/text.h"

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <optional>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace xt {
namespace {

using Pieces = std::initializer_list<std::string_view>;

// Returns 0, or the errno of the call that failed, as do followLinks() and the functions below that write.
int writePieces(int descriptor, Pieces pieces) {
  for (std::string_view piece : pieces)
    if (int failed = writeAll(descriptor, piece)) return failed;
  return 0;
}

// A descriptor whose close() is checked for errors: some file systems report only then that they are full.
class Output {
public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  ~Output() { close(); }
  Output(const Output &) = delete;
  Output &operator=(const Output &) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }
  int close() {
    int failed = descriptor_ >= 0 && ::close(descriptor_) != 0 && errno != EINTR ? errno : 0;
    descriptor_ = -1;
    return failed;
  }

private:
  int descriptor_;
};

std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

struct Destination {
  std::string path;
  std::optional<int> descriptor; // an open descriptor of this process that the path refers to
  bool magic = false;            // a link in /proc that can only be followed by opening it
  std::string refusal;           // why the file is not written although the system may allow it
};

// Whether another user may have put the file there so that this user opens it: in a folder that all can write to, such as
// /tmp, it belongs neither to this user nor to the owner of the folder. Linux can refuse to open such links, pipes and files
// (fs.protected_symlinks, protected_fifos, protected_regular), but only if it follows the links itself and if O_CREAT is used.
bool isPlanted(const std::string &path, const struct stat &info) {
  struct stat folder{};
  if (info.st_uid == geteuid() || stat(folderOf(path).c_str(), &folder) != 0) return false;
  bool shared = (folder.st_mode & S_ISVTX) && (folder.st_mode & S_IWOTH);
  return shared && info.st_uid != folder.st_uid;
}

bool isOfProc(int descriptor) {
  struct statfs info{};
  return fstatfs(descriptor, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

std::optional<int> ownDescriptor(const std::string &link) {
  char real[PATH_MAX];
  if (!realpath(folderOf(link).c_str(), real)) return std::nullopt;
  std::string folder = real, process = str("/proc/", getpid());
  if (folder != process + "/fd" && !(folder.starts_with(process + "/task/") && folder.ends_with("/fd"))) return std::nullopt;
  std::string name = link.substr(link.rfind('/') + 1);
  char *end = nullptr;
  long number = std::strtol(name.c_str(), &end, 10);
  return *end == 0 && number >= 0 && number <= INT_MAX ? std::optional(static_cast<int>(number)) : std::nullopt;
}

// Follows symbolic links if the path's last component is one. The file need not exist.
int followLinks(const std::string &path, Destination &to) {
  constexpr int kMostLinks = 40; // as in Linux
  to.path = path;
  for (int i = 0; i < kMostLinks; ++i) {
    // The type and the target of the link are read through one descriptor, so that another user cannot replace the link in
    // between.
    Output link(open(to.path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info{};
    if (!link || fstat(link.get(), &info) != 0) return errno == ENOENT ? 0 : errno;
    if (!S_ISLNK(info.st_mode)) return 0;
    if (isOfProc(link.get())) {
      to.magic = true;
      to.descriptor = ownDescriptor(to.path);
      return 0;
    }
    if (isPlanted(to.path, info)) {
      to.refusal = "it is a symbolic link of another user in a world-writable folder";
      return EACCES;
    }
    char target[PATH_MAX];
    ssize_t length = readlinkat(link.get(), "", target, sizeof target);
    if (length < 0) return errno;
    std::string next(target, static_cast<size_t>(length));
    to.path = next.starts_with('/') ? next : str(folderOf(to.path), "/", next);
  }
  return ELOOP;
}

// Flags for open() after followLinks(): a symbolic link that was created since then is not followed. The links in /proc are an
// exception, because only open() can follow them.
int openFlags(const Destination &to) { return O_WRONLY | O_CLOEXEC | O_NOCTTY | (to.magic ? 0 : O_NOFOLLOW); }

int writeToDescriptor(int descriptor, Pieces pieces) {
  std::fflush(descriptor == STDERR_FILENO ? stderr : stdout);
  return writePieces(descriptor, pieces);
}

// Writes into a device, a pipe, or anything else without content to replace.
int writeInto(const Destination &to, Pieces pieces) {
  Output file(open(to.path.c_str(), openFlags(to)));
  if (!file) return errno;
  if (int failed = writePieces(file.get(), pieces)) return failed;
  return file.close();
}

// Overwrites an existing file. The file is truncated only at the end, so that its blocks can be reused for the new content.
int writeInPlace(const Destination &to, Pieces pieces, bool &begun) {
  Output file(open(to.path.c_str(), openFlags(to)));
  if (!file) return errno;
  begun = true;
  if (int failed = writePieces(file.get(), pieces)) return failed;
  off_t length = 0;
  for (std::string_view piece : pieces) length += static_cast<off_t>(piece.size());
  if (ftruncate(file.get(), length) != 0) return errno;
  return file.close();
}

bool hasAttributes(const std::string &path) {
  char names[4096];
  ssize_t length = listxattr(path.c_str(), names, sizeof names);
  if (length < 0) return errno == ERANGE;
  for (ssize_t at = 0; at < length; at += static_cast<ssize_t>(std::strlen(names + at)) + 1)
    if (std::string_view(names + at) != "security.selinux") return true; // SELinux gives it to every file, by its location
  return false;
}

// Gives the new file the owner, group and mode of the old one; false if that is not possible.
bool makeAlike(int descriptor, const struct stat &old) {
  struct stat own{};
  if (fstat(descriptor, &own) != 0) return false;
  bool sameOwner = own.st_uid == old.st_uid && own.st_gid == old.st_gid;
  if (!sameOwner && fchown(descriptor, old.st_uid, old.st_gid) != 0) return false;
  return fchmod(descriptor, old.st_mode & 07777) == 0;
}

enum class Replaced { Yes, No, Cannot }; // Cannot: the file must be written in place, if it exists

Replaced replaceFile(const std::string &path, const struct stat *old, Pieces pieces, int &failed) {
  // The name does not contain the file's name, because it could become too long.
  std::string temporary = str(folderOf(path), "/.xt-", randomDigits(), ".tmp");
  TemporaryPath known(temporary);
  Output file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, old ? 0600 : 0666));
  if (!file) {
    failed = errno;
    return failed == EACCES || failed == EPERM || failed == EROFS ? Replaced::Cannot : Replaced::No;
  }
  Replaced done = Replaced::No;
  failed = writePieces(file.get(), pieces);
  if (!failed && old && !makeAlike(file.get(), *old)) {
    done = Replaced::Cannot;
  } else if (!failed && (failed = file.close()) == 0) {
    if (rename(temporary.c_str(), path.c_str()) == 0) return Replaced::Yes;
    failed = errno;
    if (failed == EBUSY || failed == EPERM || failed == EACCES || failed == EXDEV) done = Replaced::Cannot;
  }
  unlink(temporary.c_str());
  return done;
}

int writeTo(Destination &to, Pieces pieces, bool &begun) {
  if (to.descriptor) return writeToDescriptor(*to.descriptor, pieces);
  struct stat old{};
  bool there = stat(to.path.c_str(), &old) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && S_ISDIR(old.st_mode)) return EISDIR;
  if (there && !to.magic && (S_ISREG(old.st_mode) || S_ISFIFO(old.st_mode)) && isPlanted(to.path, old)) {
    to.refusal = str("it is a ", S_ISFIFO(old.st_mode) ? "pipe" : "file", " of another user in a world-writable folder");
    return EACCES;
  }
  if (there && (to.magic || !S_ISREG(old.st_mode))) return writeInto(to, pieces);
  int failed = 0;
  if (!there) {
    if (replaceFile(to.path, nullptr, pieces, failed) == Replaced::Yes) return 0;
    return failed;
  }
  // A file without write permission is not replaced, although the permissions of its folder may allow that.
  if (faccessat(AT_FDCWD, to.path.c_str(), W_OK, AT_EACCESS) != 0) return errno;
  if (old.st_nlink == 1 && !hasAttributes(to.path)) {
    Replaced done = replaceFile(to.path, &old, pieces, failed);
    if (done != Replaced::Cannot) return done == Replaced::Yes ? 0 : failed;
  }
  return writeInPlace(to, pieces, begun);
}

} // namespace

Result<void> writeOutputFile(const std::string &path, Pieces pieces) {
  Destination to;
  bool begun = false;
  int failed = path.empty() ? ENOENT : followLinks(path, to);
  if (!failed) failed = writeTo(to, pieces, begun);
  if (!failed) return {};
  std::string cause = !to.refusal.empty() ? to.refusal : failed == EISDIR ? "it is a folder" : std::strerror(failed);
  return Error::environment(str("cannot write ", path, ": ", cause, begun ? "; the file is now incomplete" : ""));
}

Result<void> checkOutputFile(const std::string &path) {
  struct stat found{};
  if (path.empty() || (stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode)))
    return Error::environment(str("cannot write ", path, ": ", path.empty() ? "no name of a file" : "it is a folder"));
  if (access(path.c_str(), W_OK) == 0) return {};
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (errno == ENOENT && access(folder.c_str(), W_OK | X_OK) == 0) return {};
  return Error::environment(str("cannot write ", path, ": ", std::strerror(errno)));
}

} // namespace xt
