// Tests that the temporary files of tests are in folders of their own. Processes of tests run at the same time, so that another one
// may write a file with a fixed name too.
#include "tests/golden.h"
#include "tests/source_tree.h"

#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

namespace xt {
namespace {

// Functions and programs that make temporary files, and the beginning of a literal that names their usual folder.
constexpr std::string_view kTemporaries[] = {"TempDir()", "temp_directory_path", "mkdtemp", "mkstemp", "mktemp", "\"/tmp"};

constexpr std::string_view kMayNameThem[] = {
    "tests/temporary_folder.h",
    "tests/tree/temporary_files_test.cc", // looks for them
};

// Returns the lines of a text that name one of kTemporaries, each with its number.
std::vector<std::string> temporariesIn(const std::string &text) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  size_t number = 1;
  for (std::string line; std::getline(lines, line); ++number)
    if (std::ranges::any_of(kTemporaries, [&](std::string_view each) { return line.find(each) != std::string::npos; }))
      found.push_back(std::to_string(number) + ": " + line);
  return found;
}

TEST(TemporaryFilesOfTests, AreInFoldersOfTheirOwn) {
  size_t checked = 0;
  for (const std::string &file : test::sourceFiles()) {
    if (!file.starts_with("tests/") || !(file.ends_with(".cc") || file.ends_with(".h") || file.ends_with(".c"))) continue;
    if (std::ranges::count(kMayNameThem, file)) continue;
    for (const std::string &line : temporariesIn(test::readText(std::filesystem::path(XT_SOURCE_DIR) / file)))
      ADD_FAILURE() << file << ":" << line << "\nuse test::TemporaryFolder of tests/temporary_folder.h";
    ++checked;
  }
  EXPECT_GT(checked, 200u);
}

TEST(TemporaryFilesOfTests, AreFoundByWhatMakesThem) {
  EXPECT_EQ(temporariesIn("int a;\nstring b = TempDir() + \"b\";\n\nauto c = fs::temp_directory_path();\nd(\"/tmp/d\");\n"),
            (std::vector<std::string>{"2: string b = TempDir() + \"b\";", "4: auto c = fs::temp_directory_path();",
                                      "5: d(\"/tmp/d\");"}));
  EXPECT_EQ(temporariesIn("// as in /tmp\nstd::string path = folder / \"tmp/a\";\n"), std::vector<std::string>());
}

} // namespace
} // namespace xt
