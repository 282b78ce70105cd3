#include "lang/server/workspace.h"

#include "ir/base/uri.h"
#include "lang/lower/disk.h"
#include "lang/lower/try_fixes.h"

#include <algorithm>
#include <filesystem>
#include <unordered_map>

namespace xt::lsp {
namespace {

constexpr size_t kMostFiles = 2000;
constexpr size_t kMostChecksOfOne = 3;                 // results kept per kernel, which differ in the declarations around it
constexpr size_t kMostForgottenBytes = size_t{1} << 24; // limit of the unused texts that are kept

} // namespace

// --- documents -------------------------------------------------------------------------------------------------------

size_t Document::pieceAt(uint32_t offset) const {
  auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<size_t>(next - starts_.begin()) - 1;
}

SourceRange Document::at(uint32_t offset) const {
  size_t i = pieceAt(offset);
  return {pieces_[i]->file, offset - starts_[i], offset - starts_[i]};
}

Workspace::Workspace() : sources_(std::make_unique<SourceManager>()) {}

Document &Workspace::open(const std::string &uri, int64_t version, std::string text) {
  std::string path = pathOfUri(uri);
  std::unique_ptr<Document> &slot = documents_[path];
  if (!slot) slot = std::make_unique<Document>();
  slot->uri_ = uri;
  slot->unit_.name = path;
  slot->open_ = true;
  change(*slot, version, Text(std::move(text)));
  return *slot;
}

void Workspace::change(Document &document, int64_t version, Text text) {
  document.version_ = version;
  document.text_ = std::move(text);
  cut(document);
  ++generation_;
}

void Workspace::close(const std::string &uri) {
  std::string path = pathOfUri(uri);
  documents_.erase(path);
  analyses_.erase(path);
  for (Owner &owner : owners_)
    if (owner.alive.expired()) owner.document = nullptr;
  ++generation_;
}

Document *Workspace::findOpen(const std::string &uri) {
  auto found = documents_.find(pathOfUri(uri));
  return found != documents_.end() && found->second->open_ ? found->second.get() : nullptr;
}

const Document *Workspace::find(const std::string &uri) { return findPath(pathOfUri(uri)); }
const Document *Workspace::findPath(const std::string &path) {
  Result<Document *> document = documentAt(path);
  return document ? *document : nullptr;
}

std::vector<Document *> Workspace::openDocuments() {
  std::vector<Document *> open;
  for (const auto &[path, document] : documents_)
    if (document->open_) open.push_back(document.get());
  return open;
}

// Returns an open document as the client sent it, and any other file in its current state on disk.
Result<Document *> Workspace::documentAt(const std::string &path) {
  auto found = documents_.find(path);
  if (found != documents_.end() && found->second->open_) return found->second.get();
  bool known = found != documents_.end();
  Result<TimedReader::File> file =
      reader_.read(path, kMostSourceBytes, known ? std::optional(found->second->stamp_) : std::nullopt);
  if (!file) {
    if (known) documents_.erase(found);
    return file.error();
  }
  if (!file->text) return found->second.get();
  std::unique_ptr<Document> &slot = documents_[path];
  if (!slot) slot = std::make_unique<Document>();
  slot->uri_ = uriOfPath(path);
  slot->unit_.name = path;
  slot->stamp_ = file->stamp;
  slot->text_ = Text(std::move(*file->text));
  cut(*slot);
  return slot.get();
}

std::vector<const Document *> Workspace::allFiles() {
  std::set<std::string> paths;
  for (Document *document : openDocuments()) paths.insert(document->path());
  namespace fs = std::filesystem;
  for (const std::string &folder : folders_) {
    std::error_code error;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
    while (!error && at != end && paths.size() < kMostFiles) {
      std::string name = at->path().filename();
      std::error_code ignored;
      bool folderToo = at->is_directory(ignored);
      if (folderToo && (name == "build" || name == "node_modules" || name.starts_with("."))) at.disable_recursion_pending();
      if (!folderToo && at->path().extension() == ".xt") paths.insert(at->path());
      at.increment(error);
    }
  }
  std::vector<const Document *> files;
  for (const std::string &path : paths)
    if (const Document *document = findPath(path)) files.push_back(document);
  return files;
}

// --- pieces ----------------------------------------------------------------------------------------------------------

// Cuts a document into pieces and reuses old pieces whose text is unchanged: those before and after the change, and those
// that only moved.
void Workspace::cut(Document &document, bool owns) {
  std::string_view text = document.text_.str();
  // A text that is not UTF-8 gives one error and no tree, as in xtc, so it stays one piece.
  std::vector<uint32_t> starts = findInvalidUtf8(text) ? std::vector<uint32_t>{0} : cutPieces(text);
  std::vector<std::string_view> texts;
  auto place = [&](size_t i) {
    return Span{starts[i], i + 1 < starts.size() ? starts[i + 1] : static_cast<uint32_t>(text.size())};
  };
  for (size_t i = 0; i < starts.size(); ++i) texts.push_back(pieceText(text, place(i)));
  std::vector<std::shared_ptr<Piece>> old = std::move(document.pieces_), pieces(starts.size());
  auto keeps = [&](size_t o, size_t n) { return old[o]->text == texts[n] && old[o]->size == place(n).end - place(n).begin; };
  size_t first = 0, last = 0;
  while (first < old.size() && first < pieces.size() && keeps(first, first)) pieces[first] = old[first], ++first;
  while (last < old.size() - first && last < pieces.size() - first && keeps(old.size() - 1 - last, pieces.size() - 1 - last))
    pieces[pieces.size() - 1 - last] = old[old.size() - 1 - last], ++last;
  // Used for lookup only; iteration order would not be deterministic.
  std::unordered_map<std::string_view, std::vector<size_t>> moved;
  for (size_t o = old.size() - last; o-- > first;) moved[old[o]->text].push_back(o);
  for (size_t n = first; n < pieces.size() - last; ++n) {
    auto found = moved.find(texts[n]);
    if (found != moved.end() && !found->second.empty() && keeps(found->second.back(), n)) {
      pieces[n] = old[found->second.back()];
      found->second.pop_back();
      continue;
    }
    const Piece *before = n < old.size() - last ? old[n].get() : nullptr;
    pieces[n] = makePiece(*sources_, document.unit_.name, text, place(n), before);
    textBytes_ += texts[n].size();
  }
  document.pieces_ = std::move(pieces);
  document.starts_ = std::move(starts);
  document.unit_.pieces.clear();
  for (const auto &piece : document.pieces_) document.unit_.pieces.push_back(&piece->parsed.tree);
  owners_.resize(sources_->count());
  for (size_t i = 0; i < document.pieces_.size(); ++i) {
    Owner &owner = owners_[document.pieces_[i]->file];
    if (!owns && owner.document) continue; // a trial text must not take over the pieces it shares with the real document
    owner = {owns ? &document : nullptr, i, document.pieces_[i]};
  }
}

Place Workspace::locate(SourceRange range) const {
  if (range.file >= owners_.size()) return {};
  const Owner &owner = owners_[range.file];
  if (!owner.document || owner.alive.expired()) return {};
  uint32_t start = owner.document->pieceStart(owner.piece), size = owner.document->text().size();
  return {owner.document, {std::min(start + range.begin, size), std::min(start + std::max(range.begin, range.end), size)}};
}

void Workspace::tidy() {
  size_t needed = 0;
  for (const auto &[path, document] : documents_) needed += document->text_.size();
  if (textBytes_ < needed + kMostForgottenBytes) return;
  analyses_.clear();
  for (auto &[path, document] : documents_) document->pieces_.clear(), document->unit_.pieces.clear();
  sources_ = std::make_unique<SourceManager>();
  owners_.clear();
  textBytes_ = 0;
  for (auto &[path, document] : documents_) cut(*document);
  ++generation_;
}

// --- checks ----------------------------------------------------------------------------------------------------------

std::shared_ptr<KernelCheck> Workspace::find(const ast::KernelDecl &decl, const std::string &instance,
                                             const std::function<bool(const KernelCheck &)> &holds) {
  std::shared_ptr<Piece> piece = owners_[decl.range.file].alive.lock();
  if (!piece) return nullptr;
  auto &checks = piece->checks[{&decl, instance}];
  for (size_t i = 0; i < checks.size(); ++i)
    if (holds(*checks[i])) {
      std::rotate(checks.begin(), checks.begin() + static_cast<ptrdiff_t>(i), checks.begin() + static_cast<ptrdiff_t>(i) + 1);
      return checks.front();
    }
  return nullptr;
}

void Workspace::keep(const ast::KernelDecl &decl, const std::string &instance, std::shared_ptr<KernelCheck> check) {
  std::shared_ptr<Piece> piece = owners_[decl.range.file].alive.lock();
  if (!piece) return;
  auto &checks = piece->checks[{&decl, instance}];
  checks.insert(checks.begin(), std::move(check));
  if (checks.size() > kMostChecksOfOne) checks.pop_back();
}

namespace {

void addSyntax(const Document &document, Diagnostics &diagnostics) {
  for (size_t i = 0; i < document.pieceCount(); ++i)
    for (const Diagnostic &diagnostic : document.piece(i).parsed.diagnostics.all())
      diagnostics.report(diagnostic.code, diagnostic.range, diagnostic.message) = diagnostic;
}

} // namespace

Result<const SourceUnit *> Workspace::load(const std::string &path) {
  Result<Document *> document = documentAt(path);
  if (!document) return document.error();
  loaded_.push_back(*document);
  addSyntax(**document, *loading_);
  return &(*document)->unit_;
}

std::vector<std::string> Workspace::list(const std::string &folder) { return namesIn(folder); }

std::unique_ptr<Analysis> Workspace::check(const Document &document) {
  auto analysis = std::make_unique<Analysis>();
  analysis->generation = generation_;
  analysis->context = std::make_unique<Context>();
  Diagnostics &diagnostics = analysis->diagnostics;
  diagnostics.wantRemarks(false);
  addSyntax(document, diagnostics);
  loaded_ = {&document};
  loading_ = &diagnostics;
  std::vector<const SourceUnit *> units = {&document.unit_};
  for (const SourceUnit *unit : loadUnits(document.unit_, *this, stdlib_, diagnostics)) units.push_back(unit);
  loading_ = nullptr;
  auto lost = [](const Diagnostic &d) { return d.code == DiagCode::ImportNotFound; };
  bool importLost = std::any_of(diagnostics.all().begin(), diagnostics.all().end(), lost);
  analysis->checked = lowerUnits(units, importLost, *sources_, *analysis->context, {}, this, diagnostics);
  for (const auto &made : analysis->checked.checks) analysis->indexes.push_back(&made->names);
  analysis->indexes.push_back(&analysis->checked.names);
  analysis->files = std::move(loaded_);
  return analysis;
}

Analysis &Workspace::analyse(const Document &document) {
  std::unique_ptr<Analysis> &slot = analyses_[document.path()];
  if (!slot || slot->generation != generation_) slot = check(document);
  return *slot;
}

void Workspace::tryFixes(const Document &document, Analysis &analysis) {
  if (analysis.fixesTried) return;
  analysis.fixesTried = true;
  auto staysIn = [&](const FixIt &fix) {
    return std::all_of(fix.edits.begin(), fix.edits.end(),
                       [&](const TextEdit &edit) { return locate(edit.range).document == &document; });
  };
  auto countWith = [&](const FixIt &fix) {
    Document changed = document;
    std::string text = document.text_.str();
    std::vector<std::pair<Span, std::string>> edits;
    for (const TextEdit &edit : plainEdits(fix, *sources_)) edits.emplace_back(locate(edit.range).span, edit.replacement);
    std::stable_sort(edits.begin(), edits.end(), [](const auto &a, const auto &b) { return a.first.begin > b.first.begin; });
    for (const auto &[span, replacement] : edits) text.replace(span.begin, span.end - span.begin, replacement);
    changed.text_ = Text(std::move(text));
    cut(changed, false);
    std::unique_ptr<Analysis> tried = check(changed);
    return countErrors(tried->diagnostics);
  };
  xt::tryFixes(analysis.diagnostics, 0, staysIn, countWith);
}

} // namespace xt::lsp
