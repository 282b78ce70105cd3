#include "lang/server/server.h"

#include "ir/base/text.h"
#include "ir/base/uri.h"
#include "lang/lower/disk.h"
#include "lang/server/capabilities.h"

#include <algorithm>

namespace xt::lsp {
namespace {

uint32_t offsetIn(const Query &query, const Json &params) {
  return query.document.text().offset(member(params, "position"), query.encoding);
}
Span spanIn(const Query &query, const Json &params) {
  return query.document.text().span(member(params, "range"), query.encoding);
}

Answer renameAnswer(const Query &query, const Json &params) {
  RenameResult result = rename(query, offsetIn(query, params), textOf(member(params, "newName")));
  return {std::move(result.edit), std::move(result.problem)};
}

Json selectionRanges(const Query &query, const Json &params) {
  Json list = Json::array();
  for (const Json &position : member(params, "positions"))
    list.push_back(selectionRange(query, query.document.text().offset(position, query.encoding)));
  return list;
}

Json actions(const Query &query, const Json &params) {
  std::vector<std::string> kinds;
  for (const Json &kind : member(params, "context", "only")) kinds.push_back(textOf(kind));
  return codeActions(query, spanIn(query, params), kinds);
}

} // namespace

// Requests about a document.
struct Server::Method {
  std::string_view name;
  Answer (*answer)(const Query &, const Json &params, bool snippets);
};

const Server::Method *Server::findMethod(std::string_view name) {
  static constexpr Method kMethods[] = {
      {"textDocument/hover", [](const Query &q, const Json &p, bool) { return Answer{hover(q, offsetIn(q, p))}; }},
      {"textDocument/definition", [](const Query &q, const Json &p, bool) { return Answer{definition(q, offsetIn(q, p))}; }},
      {"textDocument/typeDefinition",
       [](const Query &q, const Json &p, bool) { return Answer{typeDefinition(q, offsetIn(q, p))}; }},
      {"textDocument/references",
       [](const Query &q, const Json &p, bool) {
         return Answer{references(q, offsetIn(q, p), boolOf(member(p, "context", "includeDeclaration"), true))};
       }},
      {"textDocument/documentHighlight",
       [](const Query &q, const Json &p, bool) { return Answer{highlights(q, offsetIn(q, p))}; }},
      {"textDocument/prepareRename",
       [](const Query &q, const Json &p, bool) { return Answer{prepareRename(q, offsetIn(q, p))}; }},
      {"textDocument/rename", [](const Query &q, const Json &p, bool) { return renameAnswer(q, p); }},
      {"textDocument/documentSymbol", [](const Query &q, const Json &, bool) { return Answer{documentSymbols(q)}; }},
      {"textDocument/semanticTokens/range",
       [](const Query &q, const Json &p, bool) { return Answer{Json{{"data", semanticTokens(q, spanIn(q, p))}}}; }},
      {"textDocument/inlayHint", [](const Query &q, const Json &p, bool) { return Answer{inlayHints(q, spanIn(q, p))}; }},
      {"textDocument/completion",
       [](const Query &q, const Json &p, bool snippets) { return Answer{completion(q, offsetIn(q, p), snippets)}; }},
      {"textDocument/signatureHelp",
       [](const Query &q, const Json &p, bool) { return Answer{signatureHelp(q, offsetIn(q, p))}; }},
      {"textDocument/formatting", [](const Query &q, const Json &, bool) { return Answer{formatting(q, std::nullopt)}; }},
      {"textDocument/rangeFormatting", [](const Query &q, const Json &p, bool) { return Answer{formatting(q, spanIn(q, p))}; }},
      {"textDocument/onTypeFormatting",
       [](const Query &q, const Json &p, bool) {
         return Answer{formattingOnType(q, offsetIn(q, p), textOf(member(p, "ch")))};
       }},
      {"textDocument/foldingRange", [](const Query &q, const Json &, bool) { return Answer{foldingRanges(q)}; }},
      {"textDocument/selectionRange", [](const Query &q, const Json &p, bool) { return Answer{selectionRanges(q, p)}; }},
      {"textDocument/codeAction", [](const Query &q, const Json &p, bool) { return Answer{actions(q, p)}; }},
      {"textDocument/codeLens", [](const Query &q, const Json &, bool) { return Answer{codeLenses(q)}; }},
  };
  for (const Method &method : kMethods)
    if (method.name == name) return &method;
  return nullptr;
}

Json errorReply(const Json &id, int code, std::string message) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", std::move(message)}}}};
}

void Server::handle(const Json &message) {
  const Json &id = member(message, "id");
  std::string method = textOf(member(message, "method"));
  bool known = id.is_string() || id.is_number_integer();
  if (!message.is_object() || (method.empty() && !message.contains("result") && !message.contains("error"))) {
    send_(errorReply(known ? id : Json(), kInvalidRequest, "the message is not a request, a notification or a response"));
    return;
  }
  if (method.empty()) return; // a response; the server sends no requests that would need one
  if (known)
    request(id, method, member(message, "params"));
  else if (message.contains("id"))
    send_(errorReply(nullptr, kInvalidRequest, "an id must be a number or a string"));
  else
    notification(method, member(message, "params"));
}

void Server::request(const Json &id, const std::string &method, const Json &params) {
  auto reply = [&](Json result) { send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}}); };
  auto fail = [&](int code, std::string why) { send_(errorReply(id, code, std::move(why))); };
  if (method == "initialize")
    return initialized_ ? fail(kInvalidRequest, "the server is already initialized") : reply(initialize(params));
  if (!initialized_) return fail(kNotInitialized, "the first request must be `initialize`");
  if (shutDown_) return fail(kInvalidRequest, "the server has been shut down");
  if (method == "shutdown") {
    shutDown_ = true;
    return reply(nullptr);
  }
  if (method == "workspace/symbol") return reply(workspaceSymbols(workspace_, encoding_, textOf(member(params, "query"))));
  if (method == "completionItem/resolve")
    return params.is_object() ? reply(completionPage(params)) : fail(kInvalidParams, "a completion item must be an object");
  if (method == "workspace/diagnostic") return reply(workspaceReport());
  const Method *known = findMethod(method);
  bool pull = method == "textDocument/diagnostic", delta = method == "textDocument/semanticTokens/full/delta";
  bool tokens = delta || method == "textDocument/semanticTokens/full";
  if (!known && !pull && !tokens) return fail(kMethodNotFound, str("the server has no method `", method, "`"));
  std::string uri = textOf(member(params, "textDocument", "uri"));
  const Document *document = uri.empty() ? nullptr : workspace_.find(uri);
  if (!document) return fail(kInvalidParams, str("unknown document `", uri, "`"));
  if (pull) return reply(fullReport(*document, params));
  if (tokens) return reply(tokenReport(*document, params, delta));
  Analysis &analysis = workspace_.analyse(*document);
  Answer answer = known->answer(Query{workspace_, *document, analysis, encoding_}, params, snippets_);
  if (!answer.problem.empty()) return fail(kRequestFailed, std::move(answer.problem));
  reply(std::move(answer.result));
}

Json Server::initialize(const Json &params) {
  initialized_ = true;
  const Json &client = member(params, "capabilities");
  for (const Json &offered : member(client, "general", "positionEncodings"))
    if (textOf(offered) == "utf-8") encoding_ = Encoding::Utf8;
  snippets_ = boolOf(member(client, "textDocument", "completion", "completionItem", "snippetSupport"));
  pulls_ = member(client, "textDocument", "diagnostic").is_object();
  const Json &options = member(params, "initializationOptions");
  std::string stdlib = textOf(member(options, "stdlib"));
  workspace_.setStdlib(stdlib.empty() ? stdlibFolder() : stdlib);
  const Json &folders = member(params, "workspaceFolders");
  for (const Json &folder : folders) workspace_.addFolder(pathOfUri(textOf(member(folder, "uri"))));
  std::string root = textOf(member(params, "rootUri"));
  if (!folders.is_array() && !root.empty()) workspace_.addFolder(pathOfUri(root));
  return capabilities(encoding_);
}

void Server::notification(const std::string &method, const Json &params) {
  if (method == "exit") {
    exited_ = true;
    return;
  }
  if (!initialized_ || shutDown_) return;
  if (method == "textDocument/didOpen")
    didOpen(params);
  else if (method == "textDocument/didChange")
    didChange(params);
  else if (method == "textDocument/didClose")
    didClose(params);
  else if (method == "textDocument/didSave" || method == "workspace/didChangeWatchedFiles") {
    workspace_.lookAgain();
    publishAll_ = true;
  } else if (method == "workspace/didChangeWorkspaceFolders") {
    for (const Json &folder : member(params, "event", "added")) workspace_.addFolder(pathOfUri(textOf(member(folder, "uri"))));
  }
}

void Server::didOpen(const Json &params) {
  const Json &item = member(params, "textDocument");
  std::string uri = textOf(member(item, "uri"));
  if (uri.empty()) return;
  workspace_.open(uri, intOf(member(item, "version")), textOf(member(item, "text")));
  dirty_.insert(uri);
  publishAll_ |= workspace_.openDocuments().size() > 1;
}

void Server::didChange(const Json &params) {
  std::string uri = textOf(member(params, "textDocument", "uri"));
  Document *document = workspace_.findOpen(uri);
  if (!document) return;
  Text text = document->text();
  for (const Json &change : member(params, "contentChanges")) {
    std::string with = textOf(member(change, "text"));
    if (member(change, "range").is_object())
      text.replace(text.span(member(change, "range"), encoding_), with);
    else
      text = Text(std::move(with));
  }
  workspace_.change(*document, intOf(member(params, "textDocument", "version")), std::move(text));
  dirty_.insert(uri);
  publishAll_ |= workspace_.openDocuments().size() > 1;
}

void Server::didClose(const Json &params) {
  std::string uri = textOf(member(params, "textDocument", "uri"));
  if (!workspace_.findOpen(uri)) return;
  workspace_.close(uri);
  dirty_.erase(uri);
  tokens_.erase(uri);
  if (shown_.erase(uri) && !pulls_)
    send_({{"jsonrpc", "2.0"},
           {"method", "textDocument/publishDiagnostics"},
           {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
  publishAll_ = true;
}

void Server::publish() {
  std::set<std::string> dirty = std::move(dirty_);
  bool all = publishAll_;
  dirty_.clear();
  publishAll_ = false;
  if (pulls_) return; // the client requests diagnostics itself
  for (const std::string &uri : dirty)
    if (const Document *document = workspace_.findOpen(uri)) publishOne(*document);
  if (!all) return;
  for (const Document *document : workspace_.openDocuments())
    if (!dirty.contains(document->uri())) publishOne(*document);
}

// Skips diagnostics that equal those sent last. After a change of the document itself the version differs, so they are sent.
void Server::publishOne(const Document &document) {
  Json list = diagnostics({workspace_, document, workspace_.analyse(document), encoding_});
  Json params = {{"uri", document.uri()}, {"version", document.version()}, {"diagnostics", std::move(list)}};
  Json &shown = shown_[document.uri()];
  if (shown == params) return;
  shown = params;
  send_({{"jsonrpc", "2.0"}, {"method", "textDocument/publishDiagnostics"}, {"params", std::move(params)}});
}

Json Server::fullReport(const Document &document, const Json &params) {
  Analysis &analysis = workspace_.analyse(document);
  std::string id = std::to_string(analysis.generation);
  if (textOf(member(params, "previousResultId")) == id) return {{"kind", "unchanged"}, {"resultId", id}};
  Json list = diagnostics({workspace_, document, analysis, encoding_});
  return {{"kind", "full"}, {"resultId", id}, {"items", std::move(list)}};
}

// Keeps the tokens that it sends, because the next request may ask only for the edits from these tokens to the new ones.
Json Server::tokenReport(const Document &document, const Json &params, bool delta) {
  std::vector<uint32_t> data =
      semanticTokens({workspace_, document, workspace_.analyse(document), encoding_}, {0, document.text().size()});
  SentTokens unkept, &sent = document.isOpen() ? tokens_[document.uri()] : unkept;
  bool known = delta && sent.id != 0 && textOf(member(params, "previousResultId")) == std::to_string(sent.id);
  Json result = known ? Json{{"edits", tokenEdits(sent.data, data)}} : Json{{"data", data}};
  sent = {++lastTokens_, std::move(data)};
  result["resultId"] = std::to_string(sent.id);
  return result;
}

Json Server::workspaceReport() {
  Json items = Json::array();
  for (const Document *document : workspace_.allFiles()) {
    Json report = fullReport(*document, {});
    report["uri"] = document->uri();
    report["version"] = document->isOpen() ? Json(document->version()) : Json();
    items.push_back(std::move(report));
  }
  return {{"items", std::move(items)}};
}

} // namespace xt::lsp
