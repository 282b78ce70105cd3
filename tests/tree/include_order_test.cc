// Tests the order in which folders may include each other, and that each target links the libraries whose headers it includes.
#include "tests/golden.h"
#include "tests/source_tree.h"

#include <map>
#include <set>

namespace xt {
namespace {

// The folders from the lowest layer up. A file belongs to the longest folder that contains it. It may include files of its own
// layer and of lower layers.
struct Layer {
  int height;
  const char *folder;
};
constexpr Layer kLayers[] = {
    {0, "ir/base"},     {1, "ir/layout"},    {2, "ir"},          {3, "ir/drawing"},    {3, "ir/gpu"},  {4, "ir/infer"},
    {4, "ir/verify"},   {4, "ir/interp"},    {5, "lang"},        {5, "passes"},        {6, "targets"}, {7, "targets/compile"},
    {7, "targets/run"}, {8, "targets/tune"}, {9, "targets/api"}, {9, "targets/tools"}, {10, "tests"},
};

// Folders that must not include each other although their layers allow it.
constexpr std::pair<const char *, const char *> kStrangers[] = {
    {"lang", "passes"},
    {"ir/drawing", "ir/gpu"},
    {"ir/verify", "ir/interp"},
    {"ir/infer", "ir/interp"},
    {"targets/cpu", "targets/xe"},
    {"targets/cpu", "targets/interp"},
    {"targets/xe", "targets/interp"},
    {"targets/cpu", "targets/soft"},
    {"targets/compile", "targets/run"},
    {"targets/api", "targets/tools"},
};

// Headers of other projects, by the beginning of their names, and the folders that may include them.
struct Foreign {
  const char *prefix;
  std::vector<const char *> folders;
};
const Foreign kForeign[] = {
    {"llvm/", {"targets", "tests/targets"}},
    {"llvm-c/", {"targets", "tests/targets"}},
    {"antlr4", {"lang/parse"}},
    {"XtLexer.h", {"lang/parse"}},
    {"XtParser.h", {"lang/parse"}},
    {"boost/", {"targets/tools"}},
    {"z3", {"targets/prove"}},
    {"level_zero/", {"targets/xe", "targets/soft/driver", "tests/targets"}},
    {"CL/", {"targets/xe/opencl", "tests/targets"}},
    {"gtest/", {"tests"}},
};

struct Include {
  std::string name; // name of a file of the repository, relative to its root, if `ours`
  bool ours = false;
};

bool isSource(const std::string &file) {
  return file.ends_with(".cc") || file.ends_with(".h") || file.ends_with(".def") || file.ends_with(".c");
}

bool inside(const std::string &file, const std::string &folder) { return file.starts_with(folder + "/"); }

// Returns the includes of every source file of the repository.
std::map<std::string, std::vector<Include>> readIncludes() {
  std::vector<std::string> files = test::sourceFiles();
  std::set<std::string> all(files.begin(), files.end());
  std::map<std::string, std::vector<Include>> includes;
  for (const std::string &file : files) {
    if (!isSource(file)) continue;
    std::vector<Include> &found = includes[file];
    std::istringstream text(test::readText(std::filesystem::path(XT_SOURCE_DIR) / file));
    for (std::string line; std::getline(text, line);) {
      size_t hash = line.find_first_not_of(" \t");
      if (hash == std::string::npos || line.compare(hash, 1, "#") != 0) continue;
      size_t word = line.find("include", hash), open = line.find_first_of("\"<", hash);
      if (word == std::string::npos || open == std::string::npos || word > open) continue;
      std::string name = line.substr(open + 1, line.find_first_of("\">", open + 1) - open - 1);
      std::string beside = std::filesystem::path(file).parent_path() / name;
      if (line[open] == '"' && all.contains(beside))
        found.push_back({beside, true});
      else
        found.push_back({name, all.contains(name)});
    }
  }
  return includes;
}

const std::map<std::string, std::vector<Include>> &includesOfAll() {
  static const auto *includes = new std::map<std::string, std::vector<Include>>(readIncludes());
  return *includes;
}

const Layer *layerOf(const std::string &file) {
  const Layer *best = nullptr;
  for (const Layer &layer : kLayers)
    if (inside(file, layer.folder) && (!best || std::string_view(layer.folder).size() > std::string_view(best->folder).size()))
      best = &layer;
  return best;
}

TEST(IncludeOrder, LayersIncludeLowerLayersOnly) {
  size_t checked = 0;
  for (const auto &[file, includes] : includesOfAll()) {
    const Layer *user = layerOf(file);
    if (!user) continue; // the file is an example for hosts
    for (const Include &include : includes) {
      if (!include.ours) continue;
      const Layer *used = layerOf(include.name);
      ASSERT_TRUE(used) << file << " includes " << include.name << ", which is in no layer";
      EXPECT_LE(used->height, user->height)
          << file << " includes " << include.name << ": " << user->folder << " is below " << used->folder;
      ++checked;
    }
  }
  EXPECT_GT(checked, 2000u);
}

TEST(IncludeOrder, NeighboursDoNotIncludeEachOther) {
  for (const auto &[left, right] : kStrangers) {
    size_t files = 0;
    for (const auto &[file, includes] : includesOfAll()) {
      if (!inside(file, left) && !inside(file, right)) continue;
      const char *other = inside(file, left) ? right : left;
      for (const Include &include : includes)
        EXPECT_FALSE(include.ours && inside(include.name, other)) << file << " includes " << include.name;
      ++files;
    }
    EXPECT_GT(files, 1u) << left << " and " << right;
  }
}

TEST(IncludeOrder, HeadersOfOtherProjectsStayInTheirFolders) {
  for (const Foreign &foreign : kForeign) {
    size_t used = 0;
    for (const auto &[file, includes] : includesOfAll())
      for (const Include &include : includes) {
        if (include.ours || !include.name.starts_with(foreign.prefix)) continue;
        ++used;
        bool allowed = std::any_of(foreign.folders.begin(), foreign.folders.end(),
                                   [&, user = &file](const char *folder) { return inside(*user, folder); });
        EXPECT_TRUE(allowed) << file << " includes <" << include.name << ">";
      }
    EXPECT_GT(used, 0u) << "no file includes <" << foreign.prefix << "…>";
  }
}

// The targets of the build, from targets.txt.
struct Target {
  std::vector<std::string> sources; // paths relative to the repository
  std::set<std::string> links;
};

std::map<std::string, Target> readTargets() {
  std::map<std::string, Target> targets;
  std::istringstream text(test::readText(XT_BINARY_DIR "/targets.txt"));
  Target *target = nullptr;
  const std::string root = XT_SOURCE_DIR "/";
  for (std::string kind, value; text >> kind && std::getline(text >> std::ws, value);) {
    if (kind == "target")
      target = &targets[value];
    else if (kind == "link")
      target->links.insert(value);
    else if (value.starts_with(root))
      target->sources.push_back(value.substr(root.size()));
  }
  return targets;
}

// Returns a target and all targets that it links, also indirectly.
std::set<std::string> closure(const std::map<std::string, Target> &targets, const std::string &name) {
  std::set<std::string> found;
  std::vector<std::string> open = {name};
  while (!open.empty()) {
    std::string next = open.back();
    open.pop_back();
    if (!found.insert(next).second) continue;
    auto known = targets.find(next);
    if (known != targets.end()) open.insert(open.end(), known->second.links.begin(), known->second.links.end());
  }
  return found;
}

// Returns the sources of a target and the headers in the folders of these sources that they include, also indirectly.
std::set<std::string> filesOf(const Target &target) {
  std::set<std::string> found;
  for (const std::string &source : target.sources)
    if (includesOfAll().contains(source)) found.insert(source); // other sources are generated
  std::set<std::filesystem::path> folders;
  for (const std::string &source : target.sources) folders.insert(std::filesystem::path(source).parent_path());
  std::vector<std::string> open = target.sources;
  while (!open.empty()) {
    auto known = includesOfAll().find(open.back());
    open.pop_back();
    if (known == includesOfAll().end()) continue;
    for (const Include &include : known->second)
      if (include.ours && folders.contains(std::filesystem::path(include.name).parent_path()) &&
          found.insert(include.name).second)
        open.push_back(include.name);
  }
  return found;
}

// A header without a .cc file of the same name, such as an interface or a table, needs no library.
TEST(IncludeOrder, TargetsLinkTheLibrariesWhoseHeadersTheyInclude) {
  std::map<std::string, Target> targets = readTargets();
  std::map<std::string, std::set<std::string>> compiledBy; // from files to targets
  for (const auto &[name, target] : targets)
    for (const std::string &source : target.sources) compiledBy[source].insert(name);
  size_t checked = 0;
  for (const auto &[name, target] : targets) {
    if (name == "xt_generate_views") continue; // xt_ir needs its output, and it reads only the rows of the op table
    if (name == "xt_ahead_runtime") continue;  // is compiled from the sources that it uses, and links nothing
    std::set<std::string> linked = closure(targets, name);
    for (const std::string &file : filesOf(target))
      for (const Include &include : includesOfAll().at(file)) {
        auto owners = compiledBy.find(std::filesystem::path(include.name).replace_extension(".cc").string());
        if (!include.ours || owners == compiledBy.end()) continue;
        bool found = std::any_of(owners->second.begin(), owners->second.end(),
                                 [&](const std::string &owner) { return linked.contains(owner); });
        EXPECT_TRUE(found) << file << " of " << name << " includes " << include.name << " and does not link "
                           << *owners->second.begin();
        ++checked;
      }
  }
  EXPECT_GT(checked, 500u);
}

TEST(IncludeOrder, LibrariesDoNotLinkThemselvesThroughOthers) {
  std::map<std::string, Target> targets = readTargets();
  ASSERT_GT(targets.size(), 50u);
  for (const auto &[name, target] : targets)
    for (const std::string &link : target.links)
      EXPECT_FALSE(link != name && closure(targets, link).contains(name))
          << name << " links " << link << ", which links " << name;
}

// The language server and the libraries of the front end must run where neither LLVM nor a driver is installed.
TEST(IncludeOrder, TheLanguageServerLinksNoTarget) {
  std::map<std::string, Target> targets = readTargets();
  ASSERT_TRUE(targets.contains("xt-lsp"));
  std::set<std::string> linked = closure(targets, "xt-lsp");
  EXPECT_TRUE(linked.contains("xt_server"));
  EXPECT_FALSE(linked.contains("LLVM"));
  for (const std::string &library : linked)
    for (const std::string &source : targets[library].sources)
      EXPECT_FALSE(inside(source, "targets")) << library << ": " << source;
}

} // namespace
} // namespace xt
