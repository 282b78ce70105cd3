// Holds the files that the client has open, the files they import, and the results of checking them. Not thread-safe.
#pragma once
#include "ir/base/timed_reader.h"
#include "lang/server/pieces.h"

#include <set>

namespace xt::lsp {

class Workspace;

// A span of one document.
struct Place {
  const class Document *document = nullptr; // null: the range is in no document of the workspace
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
  size_t pieceAt(uint32_t offset) const; // index of the piece that holds a byte; the last piece at the end of the text
  // A byte of the text as an empty range in its piece; Workspace::locate() is the inverse.
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
  TimedReader::Stamp stamp_; // identifies the state on disk of a file that is not open
};

// The result of checking a file: the messages that xtc reports, and the meaning of each name.
struct Analysis {
  uint64_t generation = 0;
  Diagnostics diagnostics;
  std::unique_ptr<Context> context;
  CheckedFile checked;
  std::vector<const Document *> files; // the document, then the files it imports
  bool fixesTried = false;

  std::vector<const NameIndex *> indexes; // one per kernel, then the index of declarations and tests
};

class Workspace : private CheckStore, private UnitLoader {
public:
  Workspace();

  // The path of a document is the path that a `file:` URI names, or the URI itself for other schemes.
  Document &open(const std::string &uri, int64_t version, std::string text);
  void change(Document &document, int64_t version, Text text);
  void close(const std::string &uri);
  // An open document, or a file read from disk; null if neither exists.
  const Document *find(const std::string &uri);
  Document *findOpen(const std::string &uri);
  const Document *findPath(const std::string &path);
  std::vector<Document *> openDocuments();
  void addFolder(const std::string &path) { folders_.push_back(path); }
  void setStdlib(std::string folder) { stdlib_ = std::move(folder); }
  const std::string &stdlib() const { return stdlib_; }
  // The .xt files in the workspace folders, and the open files; sorted by path, at most kMostFiles.
  std::vector<const Document *> allFiles();

  // Checks a document as xtc does. The result is kept until a text changes; then only kernels that may be affected are
  // checked again.
  Analysis &analyse(const Document &document);
  // Tries the candidate fixes of the messages, as xtc does before it shows them.
  void tryFixes(const Document &document, Analysis &analysis);
  // Converts a range of a piece to a place in its document.
  Place locate(SourceRange range) const;
  const SourceManager &sources() const { return *sources_; }
  uint64_t generation() const { return generation_; }
  // Once the unused texts take more than kMostForgottenBytes, frees them, drops all analyses, and cuts the documents into
  // pieces again.
  void tidy();
  // Invalidates the analyses: files on disk may have changed.
  void lookAgain() { ++generation_; }

private:
  std::shared_ptr<KernelCheck> find(const ast::KernelDecl &decl, const std::string &instance,
                                    const std::function<bool(const KernelCheck &)> &holds) override;
  void keep(const ast::KernelDecl &decl, const std::string &instance, std::shared_ptr<KernelCheck> check) override;
  Result<const SourceUnit *> load(const std::string &path) override;
  std::vector<std::string> list(const std::string &folder) override;

  void cut(Document &document, bool owns = true);
  std::unique_ptr<Analysis> check(const Document &document);
  Result<Document *> documentAt(const std::string &path);

  std::map<std::string, std::unique_ptr<Document>> documents_; // by path
  std::map<std::string, std::unique_ptr<Analysis>> analyses_;  // by path
  std::unique_ptr<SourceManager> sources_;
  struct Owner {
    const Document *document = nullptr;
    size_t piece = 0;
    std::weak_ptr<Piece> alive;
  };
  std::vector<Owner> owners_; // by file index of `sources_`
  std::vector<std::string> folders_;
  std::string stdlib_;
  TimedReader reader_;
  uint64_t generation_ = 1;
  size_t textBytes_ = 0;
  // Set while a check runs.
  std::vector<const Document *> loaded_;
  Diagnostics *loading_ = nullptr;
};

} // namespace xt::lsp
