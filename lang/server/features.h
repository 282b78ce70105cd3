// The features of the server: one function per request, grouped by source file. Offsets are bytes of the document. Results
// have the form that the protocol prescribes; they are null if there is no result.
#pragma once
#include "lang/server/query.h"

namespace xt::lsp {

// diagnostics.cc: the messages of a document. Messages about an imported file are placed at the import, with the original
// location as related information.
Json diagnostics(const Query &query);
// A message as one text, with its label, notes and picture.
std::string diagnosticText(const Diagnostic &diagnostic);

// hover.cc
Json hover(const Query &query, uint32_t offset);

// navigation.cc
Json definition(const Query &query, uint32_t offset);
// The definition of the alias that names the layout of a value.
Json typeDefinition(const Query &query, uint32_t offset);
Json references(const Query &query, uint32_t offset, bool withDefinition);
Json highlights(const Query &query, uint32_t offset);
Json prepareRename(const Query &query, uint32_t offset);
// A WorkspaceEdit, or in `problem` the reason why renaming is impossible.
struct RenameResult {
  Json edit;
  std::string problem;
};
RenameResult rename(const Query &query, uint32_t offset, const std::string &name);

// symbols.cc
Json documentSymbols(const Query &query);
Json workspaceSymbols(Workspace &workspace, Encoding encoding, const std::string &text);

// tokens.cc: five numbers per token, in the relative encoding of the protocol.
std::vector<std::string_view> tokenLegend();
std::vector<uint32_t> semanticTokens(const Query &query, Span span);
// The edits that turn the numbers `before` into `now`: SemanticTokensEdit[].
Json tokenEdits(const std::vector<uint32_t> &before, const std::vector<uint32_t> &now);

// inlay_hints.cc
Json inlayHints(const Query &query, Span span);

// completion.cc, signature.cc
Json completion(const Query &query, uint32_t offset, bool snippets);
// Adds the documentation to a completion item. A client requests it only when it shows the item.
Json completionPage(Json item);
Json signatureHelp(const Query &query, uint32_t offset);

// structure.cc
Json foldingRanges(const Query &query);
Json selectionRange(const Query &query, uint32_t offset);

// formatting.cc: edits of the whole text, or of the statements that a range touches. Items with syntax errors stay unchanged.
Json formatting(const Query &query, std::optional<Span> span);
// Formats after `}` or a line break has been typed.
Json formattingOnType(const Query &query, uint32_t offset, const std::string &typed);

// actions.cc, lenses.cc
Json codeActions(const Query &query, Span span, const std::vector<std::string> &kinds);
Json codeLenses(const Query &query);

} // namespace xt::lsp
