// Checks the READMEs and other pages: files that they name must exist, and links must lead somewhere.
#include "tests/golden.h"
#include "tests/source_tree.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/temporary_folder.h"

#include <set>

namespace xt {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = XT_SOURCE_DIR;

// Returns the distinct matches of a pattern's first group.
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
  test::TemporaryFolder folder;
  fs::path file = folder / "readme.xt";
  std::ofstream(file) << readme.substr(begin, end - begin);
  test::ToolRun run = test::runTool("%bin/xtrun " + file.string());
  EXPECT_EQ(run.status, 0) << run.output;
  EXPECT_NE(run.output.find("passed"), std::string::npos) << run.output;
}

TEST(Readme, NamesFilesThatAreThere) {
  std::vector<std::string> files = test::sourceFiles();
  // A placeholder is written in capitals.
  auto elsewhere = [](const std::string &name) {
    return name.find("NAME") != std::string::npos || name.find("CODE") != std::string::npos;
  };
  size_t named = 0;
  for (const fs::path &page : test::pages())
    for (const std::string &name :
         matches(test::readText(kRoot / page), "`([A-Za-z0-9_][A-Za-z0-9_/.-]*\\.(?:cc|h|def|xt|g4|md|py))`")) {
      if (elsewhere(name)) continue;
      bool there = std::any_of(files.begin(), files.end(),
                               [&](const std::string &file) { return file == name || file.ends_with("/" + name); });
      bool isGenerated = fs::exists(fs::path(XT_BINARY_DIR) / "generated" / name);
      EXPECT_TRUE(there || isGenerated) << page << " names " << name;
      ++named;
    }
  EXPECT_GE(named, 50u);
}

// Returns the anchors of a page's headings, as Markdown renderers name them: in lower case, with '-' for spaces.
std::set<std::string> anchorsOf(const fs::path &page) {
  std::set<std::string> anchors;
  std::istringstream text(test::readText(page));
  for (std::string line; std::getline(text, line);) {
    size_t title = line.find_first_not_of('#');
    if (title == 0 || title == std::string::npos || line[title] != ' ') continue;
    std::string &anchor = line.erase(0, title + 1);
    std::erase_if(anchor, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '_' && c != ' '; });
    for (char &c : anchor) c = c == ' ' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Readme, LinksLeadSomewhere) {
  size_t links = 0;
  for (const fs::path &page : test::pages())
    for (const std::string &link : matches(test::readText(kRoot / page), "\\]\\(([^):]+)\\)")) {
      if (link.starts_with("%")) continue; // the operands of an op: %A[%i, %j](%rows)
      std::string file = link.substr(0, link.find('#'));
      fs::path linked = kRoot / (file.empty() ? page : page.parent_path() / file);
      EXPECT_TRUE(fs::exists(linked)) << page << " links to " << link;
      if (file.size() < link.size()) {
        EXPECT_TRUE(anchorsOf(linked).contains(link.substr(file.size() + 1))) << page << " links to " << link;
      }
      ++links;
    }
  EXPECT_GE(links, 50u);
}

TEST(Readme, FoldersOfKernelsListThem) {
  for (const char *folder : {"stdlib", "examples"}) {
    std::string readme = test::readText(kRoot / folder / "README.md");
    for (const auto &path : test::filesIn(std::string("../") + folder, ".xt"))
      EXPECT_NE(readme.find("`" + path.filename().string() + "`"), std::string::npos)
          << folder << "/README.md does not name " << path.filename();
  }
}

} // namespace
} // namespace xt
