// Fuzzes the language server: each line of an input is sent as a framed message, but a line that begins with "Content-" is sent
// unchanged.
#include "tests/fuzz/crash.h"

#include "lang/server/frames.h"
#include "lang/server/server.h"

#include <algorithm>

using namespace xt;
using lsp::Json;

namespace {

// The server must not read files of this machine. This function removes the client's folders from a message, and namesFiles
// detects texts that name other files.
void leaveFoldersOut(Json &message) {
  if (!message.is_object() || !lsp::member(message, "params").is_object()) return;
  for (const char *key : {"rootUri", "rootPath", "workspaceFolders", "initializationOptions"}) message["params"].erase(key);
  if (lsp::textOf(lsp::member(message, "method")) == "workspace/didChangeWorkspaceFolders") message["params"] = Json::object();
}

bool namesFiles(std::string_view input) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"/dev", "/proc", "/sys", "..", "%2", "//"},
                             [&](std::string_view word) {
                               size_t at = input.find(word);
                               // Addresses that begin with file:///fuzz/ are allowed.
                               while (word == "//" && at != std::string_view::npos && input.substr(at).starts_with("///fuzz/"))
                                 at = input.find(word, at + 3);
                               return at != std::string_view::npos;
                             });
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view input = fuzz::textOf(data, size);
  if (namesFiles(input)) return 0;
  std::string sent;
  lsp::Server server([&](const Json &message) { sent = lsp::jsonText(message); });
  lsp::FrameReader frames;
  for (size_t begin = 0; begin < input.size() && !server.isExited();) {
    size_t end = std::min(input.find('\n', begin), input.size());
    std::string_view line = input.substr(begin, end - begin);
    begin = end + 1;
    frames.add(line.starts_with("Content-") ? std::string(line) + "\r\n" : lsp::framed(line));
    while (std::optional<lsp::Frame> frame = frames.next()) {
      Json message;
      if (!frame->problem.empty() || !lsp::parseJson(frame->body, message)) continue;
      leaveFoldersOut(message);
      server.handle(message);
      if (server.hasUnpublished()) server.publish();
    }
  }
  server.tidy();
  return 0;
}
