// A question about a place of a document: what the features share.
#pragma once
#include "lang/server/workspace.h"

namespace xt::lsp {

struct Query {
  Workspace &workspace;
  const Document &document;
  Analysis &analysis;
  Encoding encoding;

  // What is written at a byte, or ends there, with its type where one is known; null: no name.
  const NameUse *useAt(uint32_t offset) const;
  // The definition at these bytes; null where none is known.
  const NameUse *definitionAt(SourceRange range) const;
  // {uri, range}; null where the range is in no document.
  Json location(SourceRange range) const;
  Json range(Span span) const { return document.text().range(span, encoding); }
  Json position(uint32_t offset) const { return document.text().position(offset, encoding); }
  // The bytes of this document that a range of it is.
  Span span(SourceRange r) const { return workspace.locate(r).span; }
  std::string_view written(SourceRange r) const;
};

struct Occurrence {
  Place place;
  bool isDefinition;
};
// All that is written of the thing that stands at `use`: the variable with its rebindings, or the declared name in every
// file that is open or lies in a folder of the workspace. Sorted, definitions among them.
std::vector<Occurrence> occurrences(const Query &query, const NameUse &use);

// The kernel, function or test around a byte of a piece.
const ast::KernelDecl *kernelAt(const Piece &piece, uint32_t offset);
const ast::TestDecl *testAt(const Piece &piece, uint32_t offset);

// `text` for a Markdown code block of the language.
std::string codeBlock(std::string_view text);

} // namespace xt::lsp
