#include "lang/server/loop.h"

#include "lang/server/frames.h"
#include "lang/server/server.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace xt::lsp {
namespace {

// The queue of messages from the reading thread to the working thread.
class Queue {
public:
  void push(Json message) {
    std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    arrived_.notify_one();
  }
  void end(const char *how) {
    std::lock_guard lock(mutex_);
    ended_ = true;
    how_ = how;
    arrived_.notify_one();
  }
  // Describes how the input ended; null while it is open.
  const char *ending() {
    std::lock_guard lock(mutex_);
    return how_;
  }
  // Removes a request that has not started. Returns false if the request has started or does not exist.
  bool cancel(const Json &id) {
    std::lock_guard lock(mutex_);
    auto same = [&](const Json &message) { return message.contains("method") && member(message, "id") == id; };
    auto found = std::find_if(messages_.begin(), messages_.end(), same);
    if (found == messages_.end()) return false;
    messages_.erase(found);
    return true;
  }
  bool empty() {
    std::lock_guard lock(mutex_);
    return messages_.empty();
  }
  // Waits for a message. Returns false if the input has ended and the queue is empty.
  bool pop(Json &message) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return ended_ || !messages_.empty(); });
    if (messages_.empty()) return false;
    message = std::move(messages_.front());
    messages_.pop_front();
    return true;
  }
  // Whether a change of this document is queued, so that an answer about its present text would be out of date.
  bool changes(const std::string &uri) {
    std::lock_guard lock(mutex_);
    return std::any_of(messages_.begin(), messages_.end(), [&](const Json &message) {
      return textOf(member(message, "method")) == "textDocument/didChange" &&
             textOf(member(message, "params", "textDocument", "uri")) == uri;
    });
  }

private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Json> messages_;
  bool ended_ = false;
  const char *how_ = nullptr;
};

class Writer {
public:
  explicit Writer(int file) : file_(file) {}
  void send(const Json &message) {
    std::string bytes = framed(jsonText(message));
    std::lock_guard lock(mutex_);
    for (size_t at = 0; at < bytes.size();) {
      ssize_t n = ::write(file_, bytes.data() + at, bytes.size() - at);
      if (n <= 0) return; // the client has closed the stream
      at += static_cast<size_t>(n);
    }
  }

private:
  std::mutex mutex_;
  int file_;
};

void take(const Frame &frame, Queue &queue, Writer &writer) {
  Json message;
  if (!frame.problem.empty()) return writer.send(errorReply(nullptr, kParseError, frame.problem));
  if (!parseJson(frame.body, message)) return writer.send(errorReply(nullptr, kParseError, "the message is not valid JSON"));
  if (textOf(member(message, "method")) == "$/cancelRequest") {
    const Json &id = member(message, "params", "id");
    if (queue.cancel(id)) writer.send(errorReply(id, kRequestCancelled, "cancelled"));
    return;
  }
  queue.push(std::move(message));
}

void read(int input, Queue &queue, Writer &writer) {
  FrameReader frames;
  bool any = false;
  char buffer[65536];
  for (;;) {
    ssize_t n = ::read(input, buffer, sizeof buffer);
    if (n <= 0) break;
    frames.add({buffer, static_cast<size_t>(n)});
    while (std::optional<Frame> frame = frames.next()) {
      any |= frame->problem.empty();
      take(*frame, queue, writer);
    }
  }
  queue.end(!any ? "no message came: each begins with `Content-Length: N` and an empty line (an editor starts this program)"
            : frames.isInside() ? "the input ended in the middle of a message"
                                : "the input ended before `exit`");
}

// Whether the answer to a request would be out of date because a change of its document is queued. Renaming, completion and
// signature help are always answered: the user invoked them on purpose.
bool isStale(const Json &message, Queue &queue) {
  std::string method = textOf(member(message, "method"));
  if (!message.contains("id") || !method.starts_with("textDocument/")) return false;
  if (method == "textDocument/rename" || method == "textDocument/completion" || method == "textDocument/signatureHelp")
    return false;
  return queue.changes(textOf(member(message, "params", "textDocument", "uri")));
}

} // namespace

int serve(int input, int output) {
  Queue queue;
  Writer writer(output);
  Server server([&](const Json &message) { writer.send(message); });
  // The reading thread may still block in read() after the client sent `exit`; ending the process ends the thread.
  std::thread([&] { read(input, queue, writer); }).detach();
  Json message;
  while (!server.isExited() && queue.pop(message)) {
    if (isStale(message, queue))
      writer.send(errorReply(member(message, "id"), kContentModified, "the text has changed"));
    else
      server.handle(message);
    if (!queue.empty() || server.isExited()) continue;
    if (server.hasUnpublished()) server.publish();
    if (queue.empty()) server.tidy();
  }
  if (const char *ending = queue.ending(); ending && !server.isExited()) std::fprintf(stderr, "xt-lsp: %s\n", ending);
  ::_exit(server.isExited() ? server.exitStatus() : 1);
}

} // namespace xt::lsp
