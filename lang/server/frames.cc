#include "lang/server/frames.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace xt::lsp {
namespace {

// A longer header is malformed.
constexpr size_t kMostHeaderBytes = 4096;

struct HeaderEnd {
  size_t at, length; // the position and length of the last header line's line break and the empty line after it
};

std::optional<HeaderEnd> findHeaderEnd(std::string_view text) {
  size_t crlf = text.find("\r\n\r\n"), lf = text.find("\n\n");
  if (crlf == std::string_view::npos && lf == std::string_view::npos) return std::nullopt;
  return crlf < lf ? HeaderEnd{crlf, 4} : HeaderEnd{lf, 2};
}

std::optional<size_t> contentLength(std::string_view header) {
  constexpr std::string_view kName = "content-length:";
  for (size_t begin = 0; begin < header.size();) {
    size_t end = std::min(header.find('\n', begin), header.size());
    std::string_view line = header.substr(begin, end - begin);
    begin = end + 1;
    auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
    if (line.size() < kName.size() ||
        !std::equal(kName.begin(), kName.end(), line.begin(), [&](char a, char b) { return same(b, a); }))
      continue;
    line.remove_prefix(kName.size());
    while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.remove_suffix(1);
    size_t length = 0;
    auto [rest, error] = std::from_chars(line.data(), line.data() + line.size(), length);
    if (error != std::errc() || rest != line.data() + line.size() || length > kMostMessageBytes) return std::nullopt;
    return length;
  }
  return std::nullopt;
}

} // namespace

std::optional<Frame> FrameReader::next() {
  std::string_view rest = std::string_view(buffer_).substr(begin_);
  // Search only the longest legal header: each chunk that arrives calls this again, and a body may be large.
  std::optional<HeaderEnd> end = findHeaderEnd(rest.substr(0, kMostHeaderBytes + 4));
  if (!end && rest.size() > kMostHeaderBytes) end = findHeaderEnd(rest);
  if (!end && rest.size() <= kMostHeaderBytes) return std::nullopt;
  if (!end || end->at > kMostHeaderBytes) {
    begin_ += end ? end->at + end->length : rest.size();
    return Frame{{}, "the header of a message is too long"};
  }
  std::optional<size_t> length = contentLength(rest.substr(0, end->at));
  size_t body = end->at + end->length;
  if (!length) {
    begin_ += body;
    return Frame{{}, "the header has no valid Content-Length"};
  }
  if (rest.size() - body < *length) return std::nullopt;
  Frame frame{std::string(rest.substr(body, *length)), {}};
  begin_ += body + *length;
  if (begin_ == buffer_.size() || begin_ > (size_t{1} << 20)) buffer_.erase(0, begin_), begin_ = 0;
  return frame;
}

std::string framed(std::string_view body) {
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

} // namespace xt::lsp
