// Runs external programs that inspect compiled code.
#pragma once
#include "ir/base/result.h"
#include "ir/base/temporary_files.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace xt {

struct ToolOutput {
  int status = 0;     // exit status; 128 + n if signal n ended it
  std::string output; // its standard output and standard error
};

// Runs a program found in PATH with an empty standard input; `environment` adds NAME=VALUE entries. If there is no such
// program, the Error names the package to install.
Result<ToolOutput> runTool(const std::string &program, std::string_view package, const std::vector<std::string> &arguments,
                           const std::string &directory = {}, const std::vector<std::string> &environment = {});

// A new directory for temporary files, which is removed with its contents when the object is destroyed.
class ScratchDirectory {
public:
  static Result<ScratchDirectory> make();
  ScratchDirectory(ScratchDirectory &&other) noexcept : path_(std::move(other.path_)), known_(std::move(other.known_)) { other.path_.clear(); }
  ScratchDirectory(const ScratchDirectory &) = delete;
  ScratchDirectory &operator=(const ScratchDirectory &) = delete;
  ~ScratchDirectory();
  const std::string &path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)), known_(std::make_unique<TemporaryPath>(path_)) {}
  std::string path_;
  std::unique_ptr<TemporaryPath> known_; // removes it on a signal, too
};

// SPIR-V as text, produced by the tool spirv-dis.
Result<std::string> disassembleSpirv(const std::vector<uint8_t> &spirv);

} // namespace xt
