// A folder for the files of a test. Processes of tests run at the same time, also several of one program, so that a file with a
// fixed name would be another test's too.
#pragma once
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

namespace xt::test {

// Makes an empty folder that no other process has and that only this user can access, and removes it with its content at the
// end. If it cannot be made, the program ends with a message; what cannot be removed stays.
class TemporaryFolder {
public:
  TemporaryFolder() {
    namespace fs = std::filesystem;
    std::string name = (fs::canonical(fs::temp_directory_path()) / "xt-test-XXXXXX").string();
    if (!mkdtemp(name.data())) {
      std::fprintf(stderr, "cannot make the folder %s: %s\n", name.c_str(), std::strerror(errno));
      std::abort();
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  // Its absolute path, without symbolic links.
  const std::filesystem::path &path() const { return path_; }
  std::string string() const { return path_.string(); }
  // The path of a file in it.
  std::filesystem::path operator/(const std::filesystem::path &name) const { return path_ / name; }

private:
  std::filesystem::path path_;
};

} // namespace xt::test
