// Sends random valid and invalid messages of the protocol. Each request gets exactly one answer, which equals the answer of a
// new server with the same texts.
#include "tests/lang/server/random_edits.h"

#include "ir/base/text.h"
#include "lang/server/frames.h"
#include "lang/server/server.h"

namespace xt::lsp {
namespace {

constexpr std::string_view kAtPlaces[] = {"hover",         "definition", "typeDefinition", "references",    "documentHighlight",
                                          "prepareRename", "rename",     "completion",     "signatureHelp", "onTypeFormatting"};
constexpr std::string_view kInRanges[] = {"semanticTokens/range", "inlayHint", "rangeFormatting", "codeAction"};
constexpr std::string_view kOfFiles[] = {"documentSymbol", "semanticTokens/full", "semanticTokens/full/delta",
                                         "formatting",     "foldingRange",        "codeLens",
                                         "diagnostic"};

// A server, and the messages that it has sent.
class Client {
public:
  explicit Client(Encoding encoding) : encoding_(encoding), server_([this](const Json &m) { sent_.push_back(m); }) {
    Json encodings = Json::array({encoding == Encoding::Utf8 ? "utf-8" : "utf-16"});
    request("initialize", {{"capabilities",
                            {{"general", {{"positionEncodings", encodings}}},
                             {"textDocument", {{"completion", {{"completionItem", {{"snippetSupport", true}}}}}}}}}});
    server_.workspace().setStdlib(test::sourceFolder() / "stdlib");
  }
  void notify(const std::string &method, const Json &params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  Json request(const std::string &method, const Json &params) {
    send({{"jsonrpc", "2.0"}, {"id", ++id_}, {"method", method}, {"params", params}});
    Json answer;
    size_t answers = 0;
    for (const Json &message : sent_)
      if (message.contains("id")) ++answers, answer = message;
    EXPECT_EQ(answers, 1u) << method << ' ' << params;
    EXPECT_EQ(member(answer, "id"), id_) << method;
    if (member(answer, "result").is_object()) {
      resultId_ = textOf(member(answer, "result", "resultId"));
      answer["result"].erase("resultId"); // it depends on the history of the server
    }
    answer.erase("id");
    return answer;
  }
  // Sends the bytes of a message through the same framing as the loop.
  void sendBytes(std::string_view body) {
    FrameReader reader;
    reader.add(framed(body));
    std::optional<Frame> frame = reader.next();
    Json message;
    if (frame && parseJson(frame->body, message)) server_.handle(message);
  }
  void open(const std::string &uri, const std::string &text) {
    notify("textDocument/didOpen", {{"textDocument", {{"uri", uri}, {"languageId", "xt"}, {"version", 1}, {"text", text}}}});
  }
  Server &server() { return server_; }
  const std::string &resultId() const { return resultId_; } // result id of the last answer
  std::vector<Document *> documents() { return server_.workspace().openDocuments(); }
  Encoding encoding() const { return encoding_; }

private:
  void send(const Json &message) {
    sent_.clear();
    sendBytes(jsonText(message));
  }

  Encoding encoding_;
  Server server_;
  std::vector<Json> sent_;
  std::string resultId_;
  int id_ = 0;
};

class Conversation {
public:
  Conversation(test::RandomEdits &random, Encoding encoding) : random_(random), client_(encoding) {
    std::vector<std::filesystem::path> files = test::programs();
    for (const char *name : {"a", "b"})
      client_.open(str("file:///x/", name, ".xt"), test::readText(files[random_.below(files.size())]));
  }

  void step(int count) {
    switch (random_.below(8)) {
    case 0: return compare();
    case 1: return damaged();
    case 2: return count % 5 == 0 ? reopen() : edit();
    case 3: return client_.server().publish();
    default: return edit();
    }
  }

  // Sends the same request to this server and to a new one, and compares the answers.
  void compare() {
    Document *document = anyDocument();
    if (!document) return reopen();
    if (random_.below(10) == 0) return compareTokens(*document);
    auto [method, params] = question(*document);
    Client fresh(client_.encoding());
    for (Document *open : client_.documents()) fresh.open(open->uri(), open->text().str());
    Json answer = client_.request(method, params), expected = fresh.request(method, params);
    if (method == "textDocument/codeAction") sortActions(answer), sortActions(expected);
    ASSERT_EQ(answer, expected) << method << ' ' << params << '\n' << document->text().str();
  }

  // Requests all tokens, edits the text, requests the difference, and checks the tokens that it results in.
  void compareTokens(const Document &document) {
    const std::string uri = document.uri(), what = "textDocument/semanticTokens/full";
    Json params = {{"textDocument", {{"uri", uri}}}};
    Json tokens = client_.request(what, params)["result"]["data"];
    std::string id = client_.resultId();
    for (int n = 0; n < 2; ++n) {
      edit();
      if (!client_.server().workspace().findOpen(uri)) return;
      params["previousResultId"] = id;
      Json answer = client_.request(what + "/delta", params);
      id = client_.resultId();
      ASSERT_TRUE(answer["result"]["edits"].is_array()) << answer;
      for (const Json &edit : answer["result"]["edits"]) {
        auto at = tokens.begin() + intOf(member(edit, "start"));
        at = tokens.erase(at, at + intOf(member(edit, "deleteCount")));
        tokens.insert(at, member(edit, "data").begin(), member(edit, "data").end());
      }
    }
    Client fresh(client_.encoding());
    for (Document *open : client_.documents()) fresh.open(open->uri(), open->text().str());
    ASSERT_EQ(tokens, fresh.request(what, params)["result"]["data"]);
  }

private:
  Document *anyDocument() {
    std::vector<Document *> all = client_.documents();
    return all.empty() ? nullptr : all[random_.below(all.size())];
  }
  // Returns a random position, which is sometimes outside of the text.
  Json position(const Document &document) {
    if (random_.below(20) == 0)
      return {{"line", static_cast<int>(random_.below(300)) - 20}, {"character", static_cast<int>(random_.below(300)) - 20}};
    return document.text().position(static_cast<uint32_t>(random_.below(document.text().size() + 1)), client_.encoding());
  }
  std::pair<std::string, Json> question(const Document &document) {
    Json params = {{"textDocument", {{"uri", document.uri()}}}};
    auto one = [&](const auto &methods) { return str("textDocument/", methods[random_.below(std::size(methods))]); };
    switch (random_.below(3)) {
    case 0:
      params["position"] = position(document);
      params["newName"] = random_.below(2) ? "%new" : "fresh";
      params["ch"] = "\n";
      return {one(kAtPlaces), params};
    case 1: params["range"] = {{"start", position(document)}, {"end", position(document)}}; return {one(kInRanges), params};
    default:
      params["positions"] = Json::array({position(document), position(document)});
      return random_.below(8) ? std::pair(one(kOfFiles), params)
                              : std::pair(std::string("textDocument/selectionRange"), params);
    }
  }
  // Fixes are listed in the order of messages, which depends on the order in which kernels were checked.
  static void sortActions(Json &answer) {
    if (answer["result"].is_array()) std::sort(answer["result"].begin(), answer["result"].end());
  }

  Json change() {
    Document *document = anyDocument();
    if (!document) return nullptr;
    Json changes = Json::array();
    Text text = document->text();
    for (size_t n = 1 + random_.below(2); n-- > 0;) {
      test::RandomEdit edit = random_.edit(text.str());
      Span span{static_cast<uint32_t>(edit.begin), static_cast<uint32_t>(edit.end)};
      Json range = text.range(span, client_.encoding());
      changes.push_back({{"range", range}, {"text", edit.with}});
      text.replace(text.span(range, client_.encoding()), edit.with);
    }
    return {{"textDocument", {{"uri", document->uri()}, {"version", document->version() + 1}}}, {"contentChanges", changes}};
  }
  void edit() {
    Json params = change();
    if (!params.is_null())
      client_.notify("textDocument/didChange", params);
    else
      reopen();
  }
  // Sends a message with damaged bytes.
  void damaged() {
    Document *document = anyDocument();
    if (!document) return reopen();
    auto [method, params] = random_.below(2) ? question(*document) : std::pair(std::string("textDocument/didChange"), change());
    std::string bytes = jsonText({{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}});
    for (size_t n = 1 + random_.below(2); n-- > 0;) {
      test::RandomEdit edit = random_.edit(bytes);
      bytes.replace(edit.begin, edit.end - edit.begin, edit.with);
    }
    client_.sendBytes(bytes);
  }
  void reopen() {
    if (Document *document = anyDocument(); document && random_.below(2)) {
      std::string uri = document->uri();
      return client_.notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}});
    }
    std::vector<std::filesystem::path> files = test::programs();
    client_.open(random_.below(2) ? "file:///x/a.xt" : "file:///x/b.xt", test::readText(files[random_.below(files.size())]));
  }

  test::RandomEdits &random_;
  Client client_;
};

TEST(ServerMessages, RandomOnesAreAnsweredAsByAFreshServer) {
  test::RandomEdits random(test::wantedSeed(), false);
  constexpr size_t kMessagesOfOne = 50;
  for (size_t done = 0; done < test::wantedEdits(); done += kMessagesOfOne) {
    Conversation conversation(random, random.below(2) ? Encoding::Utf8 : Encoding::Utf16);
    for (size_t i = 0; i < kMessagesOfOne; ++i) {
      SCOPED_TRACE(str("seed ", test::wantedSeed(), ", message ", done + i));
      conversation.step(static_cast<int>(i));
      if (HasFatalFailure()) return;
    }
    conversation.compare();
    if (HasFatalFailure()) return;
  }
}

} // namespace
} // namespace xt::lsp
