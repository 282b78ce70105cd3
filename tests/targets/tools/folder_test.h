// A test that has a folder of its own for its files.
#pragma once
#include "tests/targets/tools/run_tool.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace xt::test {

class FolderTest : public ::testing::Test {
protected:
  FolderTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "xt-test-XXXXXX").string();
    if (mkdtemp(pattern.data())) folder = pattern;
    EXPECT_FALSE(folder.empty()) << "no folder " << pattern;
  }
  ~FolderTest() override {
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::remove_all(folder, ignored);
  }
  // Writes a file in the folder and returns its path.
  std::string file(const std::string &text, const std::string &name = "k.xt") {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  static bool has(const ToolRun &run, const std::string &text) { return run.output.find(text) != std::string::npos; }

  std::filesystem::path folder;
};

} // namespace xt::test
