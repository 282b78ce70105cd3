// The files that the client has open, what they import, and what checking them gave. One thread uses it.
#pragma once
#include "ir/base/timed_reader.h"
#include "lang/server/pieces.h"

#include <set>

namespace xt::lsp {

class Workspace;

// Places in one document.
struct Place {
  const class Document *document = nullptr; // null: no text of the workspace
  Span span;
};

class Document {
public:
  const std::string &uri() const { return uri_; }
  const std::string &path() const { return unit_.name; }
  const Text &text() const { return text_; }
  int64_t version() const { return version_; }
  bool isOpen() const { return open_; }
  const SourceUnit &unit() const { return unit_; }

  size_t pieceCount() const { return pieces_.size(); }
  Piece &piece(size_t i) const { return *pieces_[i]; }
  uint32_t pieceStart(size_t i) const { return starts_[i]; }
  size_t pieceAt(uint32_t offset) const; // the index of the piece that holds a byte; at the end of text the last
  // A byte of the text as a range of its piece, and back.
  SourceRange at(uint32_t offset) const;
  std::string_view slice(Span span) const { return std::string_view(text_.str()).substr(span.begin, span.end - span.begin); }

private:
  friend class Workspace;
  std::string uri_;
  Text text_;
  int64_t version_ = 0;
  bool open_ = false;
  std::vector<std::shared_ptr<Piece>> pieces_;
  std::vector<uint32_t> starts_;
  SourceUnit unit_;
  TimedReader::Stamp stamp_; // of a file that is not open
};

// What checking a file said: the messages of xtc, and what names mean.
struct Analysis {
  uint64_t generation = 0;
  Diagnostics diagnostics;
  std::unique_ptr<Context> context;
  CheckedFile checked;
  std::vector<const Document *> files; // the document, then what it imports
  bool fixesTried = false;

  std::vector<const NameIndex *> indexes; // of each kernel, and of declarations and tests
};

class Workspace : private CheckStore, private UnitLoader {
public:
  Workspace();

  // Paths: of `file:` addresses what they stand for, of others the address.
  Document &open(const std::string &uri, int64_t version, std::string text);
  void change(Document &document, int64_t version, Text text);
  void close(const std::string &uri);
  // Open, or read from disk; null where there is none.
  const Document *find(const std::string &uri);
  Document *findOpen(const std::string &uri);
  const Document *findPath(const std::string &path);
  std::vector<Document *> openDocuments();
  void addFolder(const std::string &path) { folders_.push_back(path); }
  void setStdlib(std::string folder) { stdlib_ = std::move(folder); }
  const std::string &stdlib() const { return stdlib_; }
  // The files of the folders, and those that are open; sorted by path, at most kMostFiles.
  std::vector<const Document *> allFiles();

  // The same check as xtc's. Kept until a text changes; of what changed only the kernels that may differ are checked again.
  Analysis &analyse(const Document &document);
  // Tries the candidates among the fixes of its messages, as xtc does before it shows them.
  void tryFixes(const Document &document, Analysis &analysis);
  // Where a range of a piece is.
  Place locate(SourceRange range) const;
  const SourceManager &sources() const { return *sources_; }
  uint64_t generation() const { return generation_; }
  // Forgets texts that nothing needs any more, and what was made of the others, where they are many.
  void tidy();
  // Files on disk may have changed.
  void lookAgain() { ++generation_; }

private:
  std::shared_ptr<KernelCheck> find(const ast::KernelDecl &decl, const std::string &instance,
                                    const std::function<bool(const KernelCheck &)> &holds) override;
  void keep(const ast::KernelDecl &decl, const std::string &instance, std::shared_ptr<KernelCheck> check) override;
  Result<const SourceUnit *> load(const std::string &path) override;

  void cut(Document &document, bool owns = true);
  std::unique_ptr<Analysis> check(const Document &document);
  Result<Document *> documentAt(const std::string &path);

  std::map<std::string, std::unique_ptr<Document>> documents_; // by path
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;  // likewise
  std::unique_ptr<SourceManager> sources_;
  struct Owner {
    const Document *document = nullptr;
    size_t piece = 0;
    std::weak_ptr<Piece> alive;
  };
  std::vector<Owner> owners_; // of each file of the sources
  std::vector<std::string> folders_;
  std::string stdlib_;
  TimedReader reader_;
  uint64_t generation_ = 1;
  size_t textBytes_ = 0;
  // While a check runs
  std::vector<const Document *> loaded_;
  Diagnostics *loading_ = nullptr;
};

} // namespace xt::lsp
