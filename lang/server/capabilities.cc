#include "lang/server/capabilities.h"

#include "lang/server/features.h"

namespace xt::lsp {

Json capabilities(Encoding encoding) {
  Json tokens = Json::array();
  for (std::string_view name : tokenLegend()) tokens.push_back(name);
  Json result = {
      {"positionEncoding", encoding == Encoding::Utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", true}}},
      {"hoverProvider", true},
      {"definitionProvider", true},
      {"typeDefinitionProvider", true},
      {"referencesProvider", true},
      {"documentHighlightProvider", true},
      {"renameProvider", {{"prepareProvider", true}}},
      {"documentSymbolProvider", true},
      {"workspaceSymbolProvider", true},
      {"semanticTokensProvider",
       {{"legend", {{"tokenTypes", tokens}, {"tokenModifiers", Json::array()}}}, {"full", {{"delta", true}}}, {"range", true}}},
      {"inlayHintProvider", true},
      {"completionProvider",
       {{"resolveProvider", true}, {"triggerCharacters", {"%", "#", "!", "$", "@", "<", "{", "\"", ":"}}}},
      {"signatureHelpProvider", {{"triggerCharacters", {"(", ",", " "}}}},
      {"documentFormattingProvider", true},
      {"documentRangeFormattingProvider", true},
      {"documentOnTypeFormattingProvider", {{"firstTriggerCharacter", "}"}, {"moreTriggerCharacter", {"\n"}}}},
      {"foldingRangeProvider", true},
      {"selectionRangeProvider", true},
      {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor.rewrite", "refactor.extract"}}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"diagnosticProvider", {{"interFileDependencies", true}, {"workspaceDiagnostics", true}}},
      {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}},
  };
  return {{"capabilities", std::move(result)}, {"serverInfo", {{"name", "xt-lsp"}, {"version", XT_VERSION_NUMBER}}}};
}

} // namespace xt::lsp
