#include "lang/lower/imports.h"

#include "ir/base/text.h"
#include "lang/parse/parse.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

namespace xt {
namespace {

// Normalises "a/./b/../c" to "a/c", so that each file has one name.
std::string normalised(const std::string &path) {
  std::vector<std::string> parts;
  bool absolute = path.starts_with("/");
  for (size_t begin = 0; begin <= path.size();) {
    size_t end = std::min(path.find('/', begin), path.size());
    std::string part = path.substr(begin, end - begin);
    if (part == ".." && !parts.empty() && parts.back() != "..")
      parts.pop_back();
    else if (part == "..")
      parts.push_back(part);
    else if (!part.empty() && part != ".")
      parts.push_back(part);
    begin = end + 1;
  }
  return (absolute ? "/" : "") + join(parts, "/");
}

// Limits the work, since each import is read and checked completely.
constexpr size_t kMostImports = 1000;
constexpr std::string_view kExtension = ".xt";

class Importer {
public:
  Importer(UnitLoader &loader, const std::string &stdlib, Diagnostics &diagnostics)
      : loader_(loader), stdlib_(stdlib), diagnostics_(diagnostics) {}

  // Loads breadth first, which needs no recursion; searches for cycles afterwards.
  std::vector<const SourceUnit *> load(const SourceUnit &root) {
    byName_.emplace(normalised(root.name), 0);
    nodes_.push_back({normalised(root.name), &root, {}});
    for (size_t n = 0; n < nodes_.size(); ++n)
      for (const ast::File *piece : nodes_[n].unit->pieces)
        for (const ast::ImportDecl &decl : piece->imports)
          if (std::optional<size_t> target = find(decl, nodes_[n].name)) nodes_[n].imports.push_back({*target, &decl});
    reportCircle();
    std::vector<const SourceUnit *> units;
    for (size_t n = 1; n < nodes_.size(); ++n) units.push_back(nodes_[n].unit);
    return units;
  }

private:
  struct Edge {
    size_t target;
    const ast::ImportDecl *decl;
  };
  struct Node {
    std::string name;
    const SourceUnit *unit;
    std::vector<Edge> imports;
  };

  std::optional<size_t> find(const ast::ImportDecl &decl, const std::string &importer) {
    std::vector<std::string> candidates = importCandidates(decl.path, importer, stdlib_), notes;
    bool missing = !candidates.empty(); // there are no such files; otherwise they cannot be read
    for (const std::string &name : candidates) {
      if (auto known = byName_.find(name); known != byName_.end()) return known->second;
      if (nodes_.size() > kMostImports) return tooMany(decl);
      Result<const SourceUnit *> unit = loader_.load(name);
      if (!unit) {
        missing &= unit.error().message.empty();
        notes.push_back(unit.error().message.empty() ? str("looked for ", name) : unit.error().message);
        continue;
      }
      byName_.emplace(name, nodes_.size());
      nodes_.push_back({name, *unit, {}});
      return nodes_.size() - 1;
    }
    auto &diagnostic = diagnostics_.report(DiagCode::ImportNotFound, decl.pathRange, str("cannot import \"", decl.path, "\""));
    if (candidates.empty()) diagnostic.note("no standard library was found; set XT_STDLIB to its folder");
    for (std::string &note : notes) diagnostic.note(std::move(note));
    if (missing) suggestFile(diagnostic, decl, candidates[0], importer);
    return std::nullopt;
  }

  // Suggests a file of the same folder with a similar name.
  void suggestFile(Diagnostic &diagnostic, const ast::ImportDecl &decl, const std::string &candidate,
                   const std::string &importer) {
    size_t slash = candidate.rfind('/') + 1;
    std::string folder = candidate.substr(0, slash);
    std::vector<std::string> files = loader_.list(slash ? folder : "./"), stems;
    std::ranges::sort(files);
    for (const std::string &file : files)
      if (file.ends_with(kExtension) && folder + file != importer && folder + file != candidate)
        stems.push_back(file.substr(0, file.size() - kExtension.size()));
    std::vector<std::string_view> names(stems.begin(), stems.end());
    std::string_view wanted = std::string_view(candidate).substr(slash);
    if (wanted.ends_with(kExtension)) wanted.remove_suffix(kExtension.size());
    std::string_view best = closestName(wanted, names);
    if (best.empty()) return;
    std::string path = str(decl.path.substr(0, decl.path.rfind('/') + 1), best);
    diagnostic.note(str("did you mean \"", path, "\"?"));
    diagnostic.fix(str("replace by \"", path, "\""), decl.pathRange, str("\"", path, "\""));
  }

  std::optional<size_t> tooMany(const ast::ImportDecl &decl) {
    if (!std::exchange(tooMany_, true))
      diagnostics_.report(DiagCode::ImportNotFound, decl.pathRange,
                          str("a file imports at most ", kMostImports, " others, directly or through other files"));
    return std::nullopt;
  }

  // Reports the first cycle found: an edge to a file that is on the current path from the root.
  void reportCircle() {
    enum class Mark : uint8_t { New, Open, Done };
    std::vector<Mark> marks(nodes_.size(), Mark::New);
    struct Step {
      size_t node, next;
    };
    std::vector<Step> way = {{0, 0}};
    marks[0] = Mark::Open;
    while (!way.empty()) {
      Step &step = way.back();
      if (step.next == nodes_[step.node].imports.size()) {
        marks[step.node] = Mark::Done;
        way.pop_back();
        continue;
      }
      const Edge &edge = nodes_[step.node].imports[step.next++];
      if (marks[edge.target] == Mark::Open) {
        std::string circle = nodes_[edge.target].name;
        bool inside = false;
        for (const Step &s : way) {
          inside |= s.node == edge.target;
          if (inside && s.node != edge.target) circle += " -> " + nodes_[s.node].name;
        }
        diagnostics_.report(DiagCode::ImportCycle, edge.decl->pathRange, "this file imports itself through others")
            .note(str(circle, " -> ", nodes_[edge.target].name));
        return;
      }
      if (marks[edge.target] == Mark::New) {
        marks[edge.target] = Mark::Open;
        way.push_back({edge.target, 0});
      }
    }
  }

  UnitLoader &loader_;
  const std::string &stdlib_;
  Diagnostics &diagnostics_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, size_t> byName_; // indices in nodes_
  bool tooMany_ = false;                           // whether the excess has been reported
};

// Reads and parses the imported files.
class ParsingLoader : public UnitLoader {
public:
  ParsingLoader(SourceManager &sources, const ImportOptions &options, Diagnostics &diagnostics)
      : sources_(sources), options_(options), diagnostics_(diagnostics) {}

  Result<const SourceUnit *> load(const std::string &path) override {
    Result<std::string> text = options_.read ? options_.read(path) : noSuchFile();
    if (!text) return text.error();
    uint32_t index = sources_.add(path, std::move(*text));
    files_.push_back(std::make_unique<ast::File>(parse(sources_, index, diagnostics_)));
    return &units_.emplace_back(SourceUnit{path, {files_.back().get()}});
  }
  std::vector<std::string> list(const std::string &folder) override {
    return options_.list ? options_.list(folder) : std::vector<std::string>();
  }
  std::vector<std::unique_ptr<ast::File>> take() { return std::move(files_); }

private:
  SourceManager &sources_;
  const ImportOptions &options_;
  Diagnostics &diagnostics_;
  std::vector<std::unique_ptr<ast::File>> files_;
  std::deque<SourceUnit> units_;
};

} // namespace

std::vector<std::string> importCandidates(const std::string &path, const std::string &importer, const std::string &stdlib) {
  std::string start;
  if (path.starts_with("std/")) {
    if (stdlib.empty()) return {};
    start = stdlib + "/" + path.substr(4);
  } else {
    size_t slash = importer.rfind('/');
    start = path.starts_with("/") || slash == std::string::npos ? path : importer.substr(0, slash + 1) + path;
  }
  if (path.ends_with(kExtension)) return {normalised(start)};
  return {normalised(str(start, kExtension)), normalised(start)};
}

std::vector<const SourceUnit *> loadUnits(const SourceUnit &root, UnitLoader &loader, const std::string &stdlib,
                                          Diagnostics &diagnostics) {
  return Importer(loader, stdlib, diagnostics).load(root);
}

std::vector<std::unique_ptr<ast::File>> loadImports(const ast::File &root, SourceManager &sources, const ImportOptions &options,
                                                    Diagnostics &diagnostics) {
  ParsingLoader loader(sources, options, diagnostics);
  loadUnits({sources.file(root.file).name(), {&root}}, loader, options.stdlib, diagnostics);
  return loader.take();
}

} // namespace xt
