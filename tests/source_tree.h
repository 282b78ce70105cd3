// The files of the repository, for tests of the tree itself.
#pragma once
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace xt::test {

// Returns every file of the source tree as a sorted relative path, without build folders.
inline std::vector<std::string> sourceFiles() {
  namespace fs = std::filesystem;
  const fs::path root = XT_SOURCE_DIR;
  std::vector<std::string> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::recursive_directory_iterator(); ++it) {
    std::string name = it->path().filename();
    bool folder = it->is_directory();
    if (folder && (name == "build" || name.starts_with("build-") || name == ".git" || name == ".cache" || it->is_symlink()))
      it.disable_recursion_pending();
    if (!folder) files.push_back(it->path().lexically_relative(root));
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Returns the Markdown pages among these files.
inline std::vector<std::filesystem::path> pages() {
  std::vector<std::filesystem::path> found;
  for (const std::string &file : sourceFiles())
    if (file.ends_with(".md")) found.push_back(file);
  return found;
}

} // namespace xt::test
