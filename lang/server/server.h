// The protocol: what a client sends to what the features give. One message at a time, on one thread; the loop around it
// (loop.h) reads, cancels and drops.
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

  // Answers a request, or takes a notification. Diagnostics are sent by publish().
  void handle(const Json &message);
  // Checks what has changed and sends its diagnostics: to be called when no message waits.
  void publish();
  bool hasUnpublished() const { return publishAll_ || !dirty_.empty(); }
  // Forgets what is no longer needed; for idle moments.
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
  bool publishAll_ = false;           // a change may have touched users of what changed
  std::set<std::string> dirty_;       // addresses
  std::map<std::string, Json> shown_; // what was sent last, by address
  struct SentTokens {
    uint64_t id = 0;
    std::vector<uint32_t> data;
  };
  std::map<std::string, SentTokens> tokens_; // likewise, of documents that are open
  uint64_t lastTokens_ = 0;
};

} // namespace xt::lsp
