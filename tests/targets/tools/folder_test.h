// A test that has a folder of its own for its files.
#pragma once
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace xt::test {

class FolderTest : public ::testing::Test {
protected:
  // Writes a file in the folder and returns its path.
  std::string file(const std::string &text, const std::string &name = "k.xt") {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  }
  static bool has(const ToolRun &run, const std::string &text) { return run.output.find(text) != std::string::npos; }

  TemporaryFolder folder;
};

} // namespace xt::test
