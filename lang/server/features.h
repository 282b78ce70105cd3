// What the server can do for an editor: one function a request, each in a file of its own. Offsets are bytes of the
// document; results are those of the protocol, null where there is nothing to say.
#pragma once
#include "lang/server/query.h"

namespace xt::lsp {

// diagnostics.cc: the messages of a document. Those in files that it imports stand at the import, with the place as
// related information.
Json diagnostics(const Query &query);
// The same message as one text: with its label, notes and picture.
std::string diagnosticText(const Diagnostic &diagnostic);

// hover.cc
Json hover(const Query &query, uint32_t offset);

// navigation.cc
Json definition(const Query &query, uint32_t offset);
// Of a value: the alias that names its layout.
Json typeDefinition(const Query &query, uint32_t offset);
Json references(const Query &query, uint32_t offset, bool withDefinition);
Json highlights(const Query &query, uint32_t offset);
Json prepareRename(const Query &query, uint32_t offset);
// A WorkspaceEdit, or a text that says why not.
struct RenameResult {
  Json edit;
  std::string problem;
};
RenameResult rename(const Query &query, uint32_t offset, const std::string &name);

// symbols.cc
Json documentSymbols(const Query &query);
Json workspaceSymbols(Workspace &workspace, Encoding encoding, const std::string &text);

// tokens.cc: the five numbers of each token, as the protocol packs them.
std::vector<std::string_view> tokenLegend();
std::vector<uint32_t> semanticTokens(const Query &query, Span span);
// What makes of such numbers others: SemanticTokensEdit[].
Json tokenEdits(const std::vector<uint32_t> &before, const std::vector<uint32_t> &now);

// inlay_hints.cc
Json inlayHints(const Query &query, Span span);

// completion.cc, signature.cc
Json completion(const Query &query, uint32_t offset, bool snippets);
// An item of it with its documentation, which is asked for when a client shows it.
Json completionPage(Json item);
Json signatureHelp(const Query &query, uint32_t offset);

// structure.cc
Json foldingRanges(const Query &query);
Json selectionRange(const Query &query, uint32_t offset);

// formatting.cc: edits; of the whole text, or of the statements that a range touches. What is broken stays as it is.
Json formatting(const Query &query, std::optional<Span> span);
// After a character that ends something has been typed.
Json formattingOnType(const Query &query, uint32_t offset, const std::string &typed);

// actions.cc, lenses.cc
Json codeActions(const Query &query, Span span, const std::vector<std::string> &kinds);
Json codeLenses(const Query &query);

} // namespace xt::lsp
