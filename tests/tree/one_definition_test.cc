// Tests that a class of a namespace is defined in one header. If two classes have the same name, they are linked into one
// program without a message, and each may get the inline functions of the other, such as its destructor.
#include "tests/golden.h"
#include "tests/source_tree.h"

#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace xt {
namespace {

// Returns the classes that a text defines at namespace level, with their namespaces. Classes of unnamed namespaces and
// templates are left out.
std::set<std::string> classesOf(const std::string &text) {
  static const std::regex opens(R"(^namespace ([\w:]*) ?\{)"), closes(R"(^\} // namespace)"),
      defines(R"(^(?:class|struct|union|enum class) (\w+)(?: final)?(?: :[^;]*)? ?\{)");
  std::vector<std::string> namespaces;
  std::set<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_search(line, match, opens))
      namespaces.push_back(match[1]);
    else if (std::regex_search(line, closes) && !namespaces.empty())
      namespaces.pop_back();
    else if (std::regex_search(line, match, defines) && std::ranges::count(namespaces, "") == 0) {
      std::string name;
      for (const std::string &each : namespaces) name += each + "::";
      found.insert(name + match[1].str());
    }
  }
  return found;
}

TEST(OneDefinition, ClassesOfHeadersHaveNamesOfTheirOwn) {
  std::map<std::string, std::string> headerOf;
  for (const std::string &file : test::sourceFiles()) {
    if (!file.ends_with(".h") || file.starts_with("tests/")) continue;
    for (const std::string &name : classesOf(test::readText(std::filesystem::path(XT_SOURCE_DIR) / file))) {
      auto [first, isNew] = headerOf.emplace(name, file);
      EXPECT_TRUE(isNew) << name << " is defined in " << first->second << " and in " << file;
    }
  }
  EXPECT_GT(headerOf.size(), 200u);
}

TEST(OneDefinition, FindsClassesByTheirNamespaces) {
  EXPECT_EQ(
      classesOf(
          "namespace xt {\nstruct A {\n};\nclass B;\nnamespace {\nstruct C {};\n} // namespace\nclass D : public A {\n};\n"
          "} // namespace xt\nnamespace xt::soft {\nenum class A { X };\n} // namespace xt::soft\n"),
      (std::set<std::string>{"xt::A", "xt::D", "xt::soft::A"}));
}

} // namespace
} // namespace xt
