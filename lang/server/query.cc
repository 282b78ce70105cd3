#include "lang/server/query.h"

#include "ir/base/text.h"
#include "ir/host.h"

#include <algorithm>
#include <tuple>

namespace xt::lsp {
namespace {

// The entries of an index in one file.
std::span<const NameUse> usesIn(const NameIndex &index, uint32_t file) {
  const std::vector<NameUse> &uses = index.uses();
  // Fast path: most indexes belong to other kernels.
  if (uses.empty() || file < uses.front().range.file || uses.back().range.file < file) return {};
  auto begin =
      std::lower_bound(uses.begin(), uses.end(), file, [](const NameUse &use, uint32_t f) { return use.range.file < f; });
  auto end = std::upper_bound(begin, uses.end(), file, [](uint32_t f, const NameUse &use) { return f < use.range.file; });
  return {begin, end};
}

// All bindings of one variable: the transitive closure of the joins in the indexes.
class Variable {
public:
  Variable(const std::vector<const NameIndex *> &indexes, SourceRange start) {
    places_.push_back(start);
    for (size_t next = 0; next < places_.size(); ++next)
      for (const NameIndex *index : indexes)
        for (const auto &[first, second] : index->joined()) {
          if (first == places_[next]) add(second);
          if (second == places_[next]) add(first);
        }
  }
  bool contains(SourceRange range) const { return std::find(places_.begin(), places_.end(), range) != places_.end(); }

private:
  void add(SourceRange range) {
    if (!contains(range)) places_.push_back(range);
  }
  std::vector<SourceRange> places_;
};

void addPlace(const Workspace &workspace, SourceRange range, bool definition, std::vector<Occurrence> &out) {
  Place place = workspace.locate(range);
  if (place.document) out.push_back({place, definition});
}

void sortOut(std::vector<Occurrence> &list) {
  auto key = [](const Occurrence &o) { return std::tuple(o.place.document->path(), o.place.span, !o.isDefinition); };
  std::sort(list.begin(), list.end(), [&](const Occurrence &a, const Occurrence &b) { return key(a) < key(b); });
  auto same = [](const Occurrence &a, const Occurrence &b) {
    return a.place.document == b.place.document && a.place.span == b.place.span;
  };
  list.erase(std::unique(list.begin(), list.end(), same), list.end());
}

// Occurrences of a value in the item around it. An earlier error may keep the checker from reaching a use; such a use
// is matched by its name.
std::vector<Occurrence> occurrencesOfValue(const Query &query, const NameUse &use) {
  std::vector<const NameIndex *> indexes;
  for (const NameIndex *index : query.analysis.indexes)
    if (!usesIn(*index, use.range.file).empty()) indexes.push_back(index);
  Variable variable(indexes, use.target);
  std::vector<Occurrence> out;
  std::set<uint32_t> seen;
  for (const NameIndex *index : indexes)
    for (const NameUse &other : usesIn(*index, use.range.file)) {
      if (other.kind != NameKind::Value) continue;
      seen.insert(other.range.begin);
      if (variable.contains(other.target)) addPlace(query.workspace, other.range, other.isDefinition, out);
    }
  Place here = query.workspace.locate(use.range);
  Piece &piece = query.document.piece(query.document.pieceAt(here.span.begin));
  std::string_view name = query.written(use.range);
  for (const RoleToken &token : piece.tokens)
    if (token.role == TokenRole::Value && !seen.contains(token.begin) &&
        piece.text.substr(token.begin, token.end - token.begin) == name)
      addPlace(query.workspace, {piece.file, token.begin, token.end}, false, out);
  return out;
}

bool mentions(const Document &document, std::string_view name) { return document.text().str().find(name) != std::string::npos; }

} // namespace

const NameUse *Query::useAt(uint32_t offset) const {
  SourceRange place = document.at(offset);
  const NameUse *best = nullptr;
  auto endsHere = [&](const NameUse &use) { return (offset - place.begin) + use.range.end == offset; };
  auto better = [&](const NameUse &use) {
    if (!best) return true;
    if (endsHere(use)) return false; // `best` may cover the byte
    return endsHere(*best) || (!best->type && use.type);
  };
  auto look = [&](SourceRange at) {
    for (const NameIndex *index : analysis.indexes)
      for (const NameUse &use : usesIn(*index, at.file))
        if (use.range.begin <= at.begin && at.begin <= use.range.end && better(use)) best = &use;
  };
  look(place);
  if (!best && offset > 0 && place.begin == 0) { // at the start of a piece, look for a name that ends the preceding piece
    SourceRange before = document.at(offset - 1);
    ++before.begin;
    look(before);
  }
  return best;
}

const NameUse *Query::definitionAt(SourceRange range) const {
  auto key = [](SourceRange r) { return std::tuple(r.file, r.begin, r.end); };
  const NameUse *found = nullptr;
  for (const NameIndex *index : analysis.indexes) {
    std::span<const NameUse> uses = usesIn(*index, range.file);
    auto use = std::lower_bound(uses.begin(), uses.end(), range,
                                [&](const NameUse &u, SourceRange r) { return key(u.range) < key(r); });
    for (; use != uses.end() && use->range == range; ++use)
      if (use->isDefinition && (!found || (!found->type && use->type))) found = &*use;
  }
  return found;
}

Json Query::location(SourceRange r) const {
  Place place = workspace.locate(r);
  if (!place.document) return nullptr;
  return {{"uri", place.document->uri()}, {"range", place.document->text().range(place.span, encoding)}};
}

std::string_view Query::written(SourceRange r) const { return workspace.sources().file(r.file).slice(r); }

std::vector<Occurrence> occurrences(const Query &query, const NameUse &use) {
  std::vector<Occurrence> out;
  if (use.kind == NameKind::Op || use.kind == NameKind::HostFn) return out;
  if (use.kind == NameKind::Value) {
    out = occurrencesOfValue(query, use);
  } else {
    std::string_view name = query.written(use.target);
    if (!name.empty()) name.remove_prefix(1); // overrides of a launch have no sigil
    for (const Document *document : query.workspace.allFiles()) {
      if (!mentions(*document, name)) continue;
      for (const NameIndex *index : query.workspace.analyse(*document).indexes)
        for (const NameUse &other : index->uses())
          if (other.kind == use.kind && other.target == use.target)
            addPlace(query.workspace, other.range, other.isDefinition, out);
    }
    for (const NameIndex *index : query.analysis.indexes)
      for (const NameUse &other : index->uses())
        if (other.kind == use.kind && other.target == use.target)
          addPlace(query.workspace, other.range, other.isDefinition, out);
  }
  sortOut(out);
  return out;
}

const ast::KernelDecl *kernelAt(const Piece &piece, uint32_t offset) {
  for (const ast::KernelDecl &kernel : piece.parsed.tree.kernels)
    if (kernel.range.begin <= offset && offset <= kernel.range.end) return &kernel;
  return nullptr;
}

const ast::TestDecl *testAt(const Piece &piece, uint32_t offset) {
  for (const ast::TestDecl &test : piece.parsed.tree.tests)
    if (test.range.begin <= offset && offset <= test.range.end) return &test;
  return nullptr;
}

const RankWord *rankWordAt(const Piece &piece, size_t i) {
  auto spelled = [&](size_t k) {
    return piece.text.substr(piece.tokens[k].begin, piece.tokens[k].end - piece.tokens[k].begin);
  };
  const RoleToken &token = piece.tokens[i];
  bool started = i > 0 && piece.tokens[i - 1].firstOnLine && spelled(i - 1) == "start";
  if (token.role != TokenRole::Word || !(token.firstOnLine || started) || !testAt(piece, token.begin)) return nullptr;
  const RankWord *word = findRankWord(spelled(i));
  return started && !findCommunication(spelled(i)) ? nullptr : word;
}

std::string rankWordPage(const RankWord &word) { return str("`", word.example, "`: ", word.summary); }

std::string codeBlock(std::string_view text) {
  std::string out = "```xt\n";
  out += text;
  if (!out.ends_with('\n')) out += '\n';
  return out + "```\n";
}

} // namespace xt::lsp
