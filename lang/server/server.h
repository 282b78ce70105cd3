// The protocol: dispatches the client's messages to the features. Handles one message at a time on one thread; the loop
// around it (loop.h) reads messages, cancels requests and rejects those that are out of date.
#pragma once
#include "lang/server/features.h"

#include <functional>

namespace xt::lsp {

// Error codes of JSON-RPC and of the protocol.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
                     kNotInitialized = -32002, kRequestFailed = -32803, kContentModified = -32801, kRequestCancelled = -32800;

struct Answer {
  Json result;
  std::string problem = {}; // not empty: the request fails
};

Json errorReply(const Json &id, int code, std::string message);

class Server {
public:
  using Send = std::function<void(const Json &message)>;
  explicit Server(Send send) : send_(std::move(send)) {}

  // Answers a request or handles a notification. Only publish() sends diagnostics for changes.
  void handle(const Json &message);
  // Checks the documents that have changed and sends their diagnostics. Call it when no message is queued.
  void publish();
  bool hasUnpublished() const { return publishAll_ || !dirty_.empty(); }
  // Frees memory that is no longer needed. Call it when the server is idle.
  void tidy() { workspace_.tidy(); }

  bool isExited() const { return exited_; }
  int exitStatus() const { return shutDown_ ? 0 : 1; }
  Workspace &workspace() { return workspace_; }

private:
  struct Method;
  static const Method *findMethod(std::string_view name);
  void request(const Json &id, const std::string &method, const Json &params);
  void notification(const std::string &method, const Json &params);
  Json initialize(const Json &params);
  void didOpen(const Json &params);
  void didChange(const Json &params);
  void didClose(const Json &params);
  void publishOne(const Document &document);
  Json fullReport(const Document &document, const Json &params);
  Json workspaceReport();
  Json tokenReport(const Document &document, const Json &params, bool delta);

  Send send_;
  Workspace workspace_;
  Encoding encoding_ = Encoding::Utf16;
  bool initialized_ = false, shutDown_ = false, exited_ = false;
  bool snippets_ = false, pulls_ = false;
  bool publishAll_ = false;           // a change may affect other documents that import the changed one
  std::set<std::string> dirty_;       // URIs of changed documents
  std::map<std::string, Json> shown_; // the diagnostics sent last, by URI
  struct SentTokens {
    uint64_t id = 0;
    std::vector<uint32_t> data;
  };
  std::map<std::string, SentTokens> tokens_; // the tokens sent last for each open document, by URI
  uint64_t lastTokens_ = 0;
};

} // namespace xt::lsp
