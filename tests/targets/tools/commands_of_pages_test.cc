// Runs the commands that the READMEs and the other pages show, in a folder with the files that they name.
#include "tests/effort.h"
#include "tests/golden.h"
#include "tests/source_tree.h"
#include "tests/targets/tools/run_tool.h"
#include "tests/targets/xe/run/xe_device.h"
#include "tests/temporary_folder.h"

#include <algorithm>
#include <map>
#include <set>

namespace xt {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = XT_SOURCE_DIR;

// The commands that the test cannot run, and why. An entry that ends with `*` stands for all commands that begin with it.
const std::map<std::string, std::string> kNotRun = {
    {"cmake *", "builds the tree for minutes"},
    {"tests/run*", "it is what runs this test"},
    {"tests/bench/*", "measures for minutes"},
    {"tests/fuzz/run*", "runs for minutes; tests/run does it"},
    {"tests/tidy/run*", "runs for minutes"},
    {"examples/run*", "needs minutes; its kernels are in other tests"},
    {"build/dev/bin/*", "another build than this one"},
    {"build/asan/bin/*", "another build than this one"},
    {"npm *", "installs packages"},
    {"ZE_ENABLE_ALT_DRIVERS=*", "`program` stands for a program of the reader"},
    {"xtc --check --watch file.xt", "runs until it is interrupted"},
    {"xtc --reduce *", "starts thousands of processes; reduce_test.cc runs smaller ones"},
    {"xtrun --tune *", "searches for a minute; tune_test.cc runs shorter ones"},
    {"XT_LIBRARY=*", "measures for a minute"},
    {"python3 tests/bench/tune/exhaustive.py *", "measures for six minutes"},
    {"xtc --show-layout '#name' --shape 48x32 file.xt", "`#name` stands for a layout of the reader"},
};

struct Command {
  std::string text;
  fs::path page;
};

bool isListed(const std::string &command) {
  for (const auto &[listed, why] : kNotRun)
    if (listed.ends_with("*") ? command.starts_with(listed.substr(0, listed.size() - 1)) : command == listed) return true;
  return false;
}

std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) text.replace(at, what.size(), by);
  return text;
}

// Returns the code spans that begin with the name of a tool.
std::vector<Command> spansOfTools() {
  static const std::regex span("`(xtc|xtrun)( [^`\n]*)`");
  std::vector<Command> found;
  for (const fs::path &page : test::pages()) {
    std::string text = test::readText(kRoot / page);
    for (std::sregex_iterator it(text.begin(), text.end(), span), end; it != end; ++it)
      found.push_back({replaced((*it)[1].str() + (*it)[2].str(), "\\|", "|"), page});
  }
  return found;
}

// Returns the lines of code blocks that begin with a program, without their comments.
std::vector<Command> linesOfBlocks() {
  static const std::regex program(
      "(xtc|xtrun|xt-lsp|cmake|ctest|ninja|npm|python3|(build|tests|examples)/[^ ]+|[A-Z_]+=[^ ]+) .*|"
      "(tests|examples)/[a-z/]*run.*");
  std::vector<Command> found;
  for (const fs::path &page : test::pages()) {
    std::istringstream text(test::readText(kRoot / page));
    bool inBlock = false;
    for (std::string line; std::getline(text, line);) {
      if (line.find("```") != std::string::npos)
        inBlock = !inBlock;
      else if (inBlock && std::regex_match(line, program)) {
        line = line.substr(0, line.find("  #"));
        found.push_back({line.substr(0, line.find_last_not_of(' ') + 1), page});
      }
    }
  }
  return found;
}

// Whether a code span is a whole command, not only the name of an option.
bool isWhole(const std::string &command) {
  static const std::regex placeholder("\\b(COMMAND|LAYOUT|TARGET|CODE)\\b|…");
  static const std::regex file("\\b(file|k)\\.xt\\b|\\bFILE\\b");
  static const std::regex alone("xtc --list-ops|xtc --(query|explain) .*|xtc --reference=.*|xtrun --devices|xtrun --doctor");
  if (std::regex_search(command, placeholder)) return false;
  return std::regex_search(command, file) || std::regex_match(command, alone);
}

// A folder with the files that commands name: the kernel of README.md with small matrices, and the files that are made of it.
class CommandsOfPages : public testing::Test {
protected:
  void SetUp() override {
    std::string readme = test::readText(kRoot / "README.md");
    size_t kernel = readme.find("\nkernel @");
    ASSERT_NE(kernel, std::string::npos);
    size_t begin = readme.rfind("```\n", kernel) + 4;
    std::string text = readme.substr(begin, readme.find("```", kernel) - begin);
    text = replaced(replaced(replaced(text, "1000x777", "100x77"), "777x1234", "77x30"), "1000x1234", "100x30");
    for (const char *name : {"file.xt", "k.xt"}) std::ofstream(folder_ / name) << text;
    writeZeros("a.npy", 100, 77);
    ASSERT_EQ(run("xtrun --bench --json file.xt > old.json").status, 0);
  }

  test::ToolRun run(const std::string &command) {
    std::string drivers = test::whyNoOpenCl().empty() ? test::openClDrivers() : "";
    return test::runTool("cd " + folder_.string() + " && export PATH=%bin:\"$PATH\" " + drivers + " && " + command);
  }

private:
  // Writes an .npy file of f16 zeros.
  void writeZeros(const char *name, int rows, int columns) {
    std::string header =
        "{'descr': '<f2', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }";
    header.resize(64 * 2 - 10 - 1, ' '); // magic, version and size take 10 bytes; the total is a multiple of 64
    header += '\n';
    std::ofstream(folder_ / name, std::ios::binary)
        << std::string("\x93NUMPY\x01\x00", 8) << static_cast<char>(header.size()) << '\0' << header
        << std::string(static_cast<size_t>(2 * rows * columns), '\0');
  }

  test::TemporaryFolder folder_;
};

// Whether a command could not run because a device or a program of another package is missing: it ended with status 3 (the
// environment lacks something), and its message says so.
bool isMissing(const std::string &command, const test::ToolRun &ran) {
  static const std::regex device(
      "xtrun .*(--target=\\S*(xe|spirv)|--device=)|--doctor|--emit=isa|--emit=sass-stats|--emit=spvasm|--prove"),
      absent("install|not in PATH|no .*device|cannot open (libze_loader|libOpenCL|libz3)");
  return ran.status == 3 && std::regex_search(command, device) && std::regex_search(ran.output, absent);
}

TEST_F(CommandsOfPages, Work) {
  if (test::kSanitized) GTEST_SKIP() << "runs without the sanitizers";
  std::set<std::string> done;
  std::string missing;
  for (const Command &shown : spansOfTools()) {
    if (!isWhole(shown.text) || isListed(shown.text) || !done.insert(shown.text).second) continue;
    test::ToolRun ran = run(std::regex_replace(shown.text, std::regex("\\bFILE\\b"), "file.xt"));
    const bool isAbsent = isMissing(shown.text, ran);
    if (isAbsent) missing += (missing.empty() ? "" : "; ") + shown.text;
    EXPECT_TRUE(ran.status == 0 || isAbsent) << shown.page << ": " << shown.text << "\nexit status " << ran.status << "\n"
                                             << ran.output;
  }
  EXPECT_GE(done.size(), 30u);
  if (!missing.empty() && !HasFailure()) GTEST_SKIP() << "the others passed; what these need is not installed: " << missing;
}

TEST(PagesTest, CommandsOfBlocksAreListed) {
  size_t shown = 0;
  for (const Command &command : linesOfBlocks()) {
    EXPECT_TRUE(isListed(command.text)) << command.page << " shows `" << command.text << "`, which no test runs";
    ++shown;
  }
  EXPECT_GE(shown, 10u);
}

TEST(PagesTest, ListedCommandsAreShown) {
  std::string text;
  for (const fs::path &page : test::pages()) text += test::readText(kRoot / page);
  for (const auto &[listed, why] : kNotRun)
    EXPECT_NE(text.find(listed.substr(0, listed.find('*'))), std::string::npos) << "no page shows `" << listed << "`";
}

// All options of the tools and of the scripts on all pages must exist.
TEST(PagesTest, OptionsExist) {
  static const std::regex option("(^|[ |\\[])(--[a-z][a-z-]*)");
  std::map<std::string, std::string> help;
  for (const char *tool : {"xtc", "xtrun"}) help[tool] = test::runTool(std::string("%bin/") + tool + " --help").output;
  auto check = [&](const Command &command, const std::string &known) {
    for (std::sregex_iterator it(command.text.begin(), command.text.end(), option), end; it != end; ++it)
      EXPECT_NE(known.find((*it)[2].str()), std::string::npos) << command.page << ": `" << command.text << "`";
  };
  for (const Command &command : spansOfTools())
    if (command.text.find('\'') == std::string::npos) check(command, help.at(command.text.substr(0, command.text.find(' '))));
  static const std::regex script("((?:tests|examples)/(?:[a-z]+/)*run)( [^`\n#|]*)");
  size_t shown = 0;
  for (const fs::path &page : test::pages()) {
    std::string text = test::readText(kRoot / page);
    for (std::sregex_iterator it(text.begin(), text.end(), script), end; it != end; ++it) {
      ASSERT_TRUE(fs::exists(kRoot / (*it)[1].str())) << page << ": " << (*it)[1];
      check({(*it)[2].str(), page}, test::readText(kRoot / (*it)[1].str()));
      ++shown;
    }
  }
  EXPECT_GE(shown, 10u);
}

} // namespace
} // namespace xt
