// Checks the READMEs and other pages: files that they name exist, links lead somewhere, and commands that they show work.
#include "tests/golden.h"
#include "tests/source_tree.h"
#include "tests/targets/tools/run_tool.h"

#include <set>
#include <unistd.h>

namespace xt {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = XT_SOURCE_DIR;

std::vector<fs::path> pages(const std::vector<std::string> &files) {
  std::vector<fs::path> found;
  for (const std::string &file : files)
    if (file.ends_with(".md")) found.push_back(file);
  return found;
}

// The distinct matches of a pattern's first group.
std::set<std::string> matches(const std::string &text, const char *pattern) {
  std::set<std::string> found;
  std::regex regex(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) found.insert((*it)[1]);
  return found;
}

TEST(Readme, ItsKernelRuns) {
  std::string readme = test::readText(kRoot / "README.md");
  size_t kernel = readme.find("\nkernel @");
  ASSERT_NE(kernel, std::string::npos);
  size_t begin = readme.rfind("```\n", kernel) + 4, end = readme.find("```", kernel);
  fs::path file = fs::temp_directory_path() / ("xt-readme-" + std::to_string(getpid()) + ".xt");
  std::ofstream(file) << readme.substr(begin, end - begin);
  test::ToolRun run = test::runTool("%bin/xtrun " + file.string());
  fs::remove(file);
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("passed"), std::string::npos) << run.output;
}

TEST(Readme, NamesFilesThatAreThere) {
  std::vector<std::string> files = test::sourceFiles();
  // A placeholder is in capitals.
  auto elsewhere = [](const std::string &name) {
    return name.find("NAME") != std::string::npos || name.find("CODE") != std::string::npos;
  };
  size_t named = 0;
  for (const fs::path &page : pages(files))
    for (const std::string &name :
         matches(test::readText(kRoot / page), "`([A-Za-z0-9_][A-Za-z0-9_/.-]*\\.(?:cc|h|def|xt|g4|md|py))`")) {
      if (elsewhere(name)) continue;
      bool there = std::any_of(files.begin(), files.end(),
                               [&](const std::string &file) { return file == name || file.ends_with("/" + name); });
      EXPECT_TRUE(there) << page << " names " << name;
      ++named;
    }
  EXPECT_GE(named, 50u);
}

TEST(Readme, LinksLeadSomewhere) {
  for (const fs::path &page : pages(test::sourceFiles()))
    for (const std::string &link : matches(test::readText(kRoot / page), "\\]\\(([^):#]+)[^):]*\\)"))
      EXPECT_TRUE(fs::exists(kRoot / page.parent_path() / link)) << page << " links to " << link;
}

TEST(Readme, FoldersOfKernelsListThem) {
  for (const char *folder : {"stdlib", "examples"}) {
    std::string readme = test::readText(kRoot / folder / "README.md");
    for (const auto &path : test::filesIn(std::string("../") + folder, ".xt"))
      EXPECT_NE(readme.find("`" + path.filename().string() + "`"), std::string::npos)
          << folder << "/README.md does not name " << path.filename();
  }
}

TEST(Readme, ToolsHaveTheOptionsItShows) {
  std::string readme = test::readText(kRoot / "README.md");
  for (const char *tool : {"xtc", "xtrun"}) {
    std::string help = test::runTool(std::string("%bin/") + tool + " --help").output;
    std::set<std::string> known = matches(help, "(--[a-z][a-z-]*)");
    size_t shown = 0;
    for (const std::string &line : matches(readme, (std::string("(?:\n|`)(") + tool + " [^\n`]*)").c_str()))
      for (const std::string &option : matches(line.substr(0, line.find("  #")), "(--[a-z][a-z-]*)")) {
        EXPECT_TRUE(known.contains(option)) << tool << " has no " << option;
        ++shown;
      }
    EXPECT_GE(shown, 4u) << tool;
  }
}

} // namespace
} // namespace xt
