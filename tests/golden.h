// Golden files: compares an output with the expected text in a file next to the input. Rewrites the file if XT_UPDATE_GOLDEN is
// set (tests/run --update).
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace xt::test {

inline std::string readText(const std::filesystem::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Returns the files of a folder under tests/ with this extension, sorted by name. Fails the test if there is none, because a
// loop over no files would check nothing.
inline std::vector<std::filesystem::path> filesIn(const std::string &folder, const std::string &extension) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(XT_SOURCE_DIR) / "tests" / folder))
    if (entry.path().extension() == extension) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  if (files.empty()) ADD_FAILURE() << "tests/" << folder << " has no " << extension << " file";
  return files;
}

inline void expectGolden(const std::filesystem::path &golden, const std::string &actual) {
  if (std::getenv("XT_UPDATE_GOLDEN")) {
    std::ofstream(golden, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(golden)) << golden << " is missing; tests/run --update writes it. Its text:\n" << actual;
  EXPECT_EQ(readText(golden), actual) << golden.filename();
}

} // namespace xt::test
