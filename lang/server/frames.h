// The framing of messages on a stream: `Content-Length: n`, an empty line, n bytes of JSON.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace xt::lsp {

inline constexpr size_t kMostMessageBytes = size_t{1} << 28;

struct Frame {
  std::string body;
  std::string problem; // not empty: the header was malformed and has been skipped
};

// Assembles messages from the chunks in which a stream delivers them.
class FrameReader {
public:
  void add(std::string_view bytes) { buffer_ += bytes; }
  // The next complete message; nullopt: more bytes are needed.
  std::optional<Frame> next();
  // Whether an incomplete message is in the buffer.
  bool isInside() const { return begin_ < buffer_.size(); }

private:
  std::string buffer_;
  size_t begin_ = 0; // offset of the first byte that has not been consumed
};

std::string framed(std::string_view body);

} // namespace xt::lsp
