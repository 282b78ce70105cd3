// A directory whose content the user can trust.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace xt {

// An open directory that belongs to the user of this process and that nobody else can write to or replace by another one.
// Therefore each directory above it is checked, too, as sshd does for its files: it belongs to the user or to root; and if
// others may write to it, it has the sticky bit (as /tmp has), or the group that may write is the user's own (it has the user's
// name and no other members).
class PrivateDirectory {
public:
  enum class State { Open, Missing, Refused }; // Missing: it does not exist and cannot be created, or cannot be read

  // Creates the directory and its parents if they do not exist. Symbolic links are followed; the directory that they
  // lead to must be private.
  explicit PrivateDirectory(const std::string &path);
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  State state() const { return state_; }
  const std::string &problem() const { return problem_; } // why the directory is not open
  const std::string &path() const { return path_; } // without symbolic links
  int descriptor() const { return descriptor_; }

  enum class Found {
    Good,
    Missing,
    Bad, // not a regular file of the user, or too long; with `onlyOwn` also a file that others can read
    Unknown, // the system failed to read it, perhaps only this time: too many open files, an error of the disk
  };
  // Reads a file of this directory with at most `most` bytes into `text`, and marks it as used now.
  Found read(const std::string &name, size_t most, std::string &text, bool onlyOwn = false) const;
  // Creates or replaces a file with mode 0600, completely or not at all. With `replace` false an existing file stays,
  // which is not a failure.
  bool write(const std::string &name, std::initializer_list<std::string_view> pieces, bool replace = true) const;
  void remove(const std::string &name) const;
  // Waits until no other object, in any process, holds the lock of this directory, but not forever: returns false if the lock
  // is not taken. The lock ends with the process or with unlock().
  bool lock() const;
  void unlock() const;

private:
  void open(const std::string &path);
  State state_ = State::Missing;
  std::string problem_, path_;
  int descriptor_ = -1;
};

} // namespace xt
