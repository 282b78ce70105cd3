// A directory whose content the user can trust.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace xt {

// An open directory that belongs to the user of this process and that nobody else can write to or swap for another one.
// That holds for it and, as sshd has it for its files, for each directory above it: each belongs to the user or to root, and
// where others may write, it has the sticky bit (as /tmp has), or the group that may is the user's own (of the user's name,
// with nobody else in it).
class PrivateDirectory {
public:
  enum class State { Open, Missing, Refused }; // Missing: it is not there and cannot be made, or not be read

  // Made with its parents where it is not there. Symbolic links are followed; it is what they lead to that must be private.
  explicit PrivateDirectory(const std::string &path);
  ~PrivateDirectory();
  PrivateDirectory(const PrivateDirectory &) = delete;
  PrivateDirectory &operator=(const PrivateDirectory &) = delete;

  State state() const { return state_; }
  const std::string &problem() const { return problem_; } // why it is not open
  const std::string &path() const { return path_; }       // without symbolic links
  int descriptor() const { return descriptor_; }

  // The content of a regular file of the user's in it; nothing for what is no such file or has more than `most` bytes.
  // `onlyOwn`: nor for one that others can read. The file counts as used now.
  std::optional<std::string> read(const std::string &name, size_t most, bool onlyOwn = false) const;
  // Makes or replaces a file with mode 0600, whole or not at all. `replace` false: one that is there stays, which is no failure.
  bool write(const std::string &name, std::initializer_list<std::string_view> pieces, bool replace = true) const;
  void remove(const std::string &name) const;

private:
  void open(const std::string &path);
  State state_ = State::Missing;
  std::string problem_, path_;
  int descriptor_ = -1;
};

} // namespace xt
