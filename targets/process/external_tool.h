// Runs programs of other packages to their end.
#pragma once
#include "ir/base/result.h"
#include "ir/base/temporary_files.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

struct ToolOutput {
  int status = 0;     // exit status; 128 + n if signal n ended it
  std::string output; // what it wrote to standard output and to standard error
};

struct ToolSetting {
  std::string directory = {};                // "": this process's working directory
  std::vector<std::string> environment = {}; // NAME=VALUE, in addition to the variables of this process
  uint64_t mostOutput = UINT64_MAX;          // bytes of output that are kept; the rest is read and dropped
};

// Runs a program that is found in PATH, with an empty standard input. If there is no such program, the Error names its package.
Result<ToolOutput> runTool(const std::string &program, std::string_view package, const std::vector<std::string> &arguments,
                           const ToolSetting &setting = {});

// A new directory for temporary files, which is removed with all its files when the object is destroyed, or by a signal.
class ScratchDirectory {
public:
  static Result<ScratchDirectory> make();
  ScratchDirectory(ScratchDirectory &&other) noexcept : path_(std::move(other.path_)), known_(std::move(other.known_)) {
    other.path_.clear();
  }
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;
  ~ScratchDirectory();
  const std::string &path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)), known_(std::make_unique<TemporaryPath>(path_)) {}
  std::string path_;
  std::unique_ptr<TemporaryPath> known_;
};

} // namespace xt
