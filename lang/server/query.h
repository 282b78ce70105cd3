// The context of a request about a document, and look-ups that several features share.
#pragma once
#include "lang/parse/rank_words.h"
#include "lang/server/workspace.h"

namespace xt::lsp {

struct Query {
  Workspace &workspace;
  const Document &document;
  Analysis &analysis;
  Encoding encoding;

  // The name that covers a byte or ends at it, preferably one with a known type; null if there is no name.
  const NameUse *useAt(uint32_t offset) const;
  // The definition at exactly these bytes; null if none is known.
  const NameUse *definitionAt(SourceRange range) const;
  // {uri, range}; null if the range is in no document.
  Json location(SourceRange range) const;
  Json range(Span span) const { return document.text().range(span, encoding); }
  Json position(uint32_t offset) const { return document.text().position(offset, encoding); }
  // Converts a range of one of the document's pieces to a span of the document.
  Span span(SourceRange r) const { return workspace.locate(r).span; }
  std::string_view written(SourceRange r) const;
};

struct Occurrence {
  Place place;
  bool isDefinition;
};
// Returns all occurrences of the name that `use` refers to: of a variable with its rebindings, or of a declared name in every
// file that is open or in a folder of the workspace. Sorted by path and position; includes definitions.
std::vector<Occurrence> occurrences(const Query &query, const NameUse &use);

// The kernel or function, or the test, around a byte of a piece; null if there is none.
const ast::KernelDecl *kernelAt(const Piece &piece, uint32_t offset);
const ast::TestDecl *testAt(const Piece &piece, uint32_t offset);

// The word of a statement about ranks in a test that token i of the piece is; null if it is none.
const RankWord *rankWordAt(const Piece &piece, size_t i);
// The page of such a word, in Markdown.
std::string rankWordPage(const RankWord &word);
// `text` as a Markdown code block with the language name `xt`.
std::string codeBlock(std::string_view text);

} // namespace xt::lsp
