// Tests that every C and C++ file is formatted as clang-format 22 formats it with the .clang-format at the root.
#include "tests/golden.h"
#include "tests/shell.h"
#include "tests/source_tree.h"
#include "tests/temporary_folder.h"

#include <cstdio>
#include <set>

namespace xt {
namespace {

// Returns the standard output of a shell command that runs at the root of the repository.
std::string outputOf(const std::string &command) { return test::runShell("cd '" XT_SOURCE_DIR "' && " + command).output; }

// Returns the files that clang-format would change.
std::set<std::string> unformatted(const std::vector<std::string> &files) {
  constexpr size_t kFilesAtOnce = 100; // keeps command lines below the system's limit
  std::set<std::string> found;
  for (size_t first = 0; first < files.size(); first += kFilesAtOnce) {
    std::string command = "clang-format-22 --dry-run";
    for (size_t i = first; i < std::min(files.size(), first + kFilesAtOnce); ++i) command += " '" + files[i] + "'";
    std::istringstream warnings(outputOf(command + " 2>&1"));
    for (std::string line; std::getline(warnings, line);)
      if (line.find("[-Wclang-format-violations]") != std::string::npos) found.insert(line.substr(0, line.find(':')));
  }
  return found;
}

TEST(Format, EveryFileIsFormatted) {
  if (outputOf("command -v clang-format-22").empty()) GTEST_SKIP() << "clang-format-22 is not installed";
  std::vector<std::string> files;
  for (const std::string &file : test::sourceFiles())
    if (file.ends_with(".cc") || file.ends_with(".h") || file.ends_with(".c")) files.push_back(file);
  ASSERT_GT(files.size(), 500u);
  for (const std::string &file : unformatted(files)) ADD_FAILURE() << "clang-format-22 -i " << file << "  # formats it";

  // The check itself is tested: a file of another style must be found.
  test::TemporaryFolder folder;
  std::filesystem::copy_file(XT_SOURCE_DIR "/.clang-format", folder / ".clang-format");
  std::filesystem::path probe = folder / "probe.cc";
  std::ofstream(probe) << "int  f( ) { return 1 ; }\n";
  EXPECT_EQ(unformatted({probe}).size(), 1u);
}

} // namespace
} // namespace xt
