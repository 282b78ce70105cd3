#include "ir/base/uri.h"

#include <string_view>

namespace xt {
namespace {

constexpr std::string_view kScheme = "file://", kHex = "0123456789ABCDEF";

// The value of a hexadecimal digit, or -1.
int hexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Encodes every byte as %XX, except unreserved characters and slashes.
std::string percentEncoded(const std::string &path) {
  std::string out;
  for (char c : path) {
    auto byte = static_cast<unsigned char>(c);
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                 std::string_view("/-._~").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

} // namespace

std::string pathOfUri(const std::string &uri) {
  if (!uri.starts_with(kScheme)) return uri;
  std::string path;
  for (size_t i = kScheme.size(); i < uri.size(); ++i) {
    int high = uri[i] == '%' && i + 2 < uri.size() ? hexDigit(uri[i + 1]) : -1, low = high >= 0 ? hexDigit(uri[i + 2]) : -1;
    if (low >= 0)
      path += static_cast<char>(high * 16 + low), i += 2;
    else
      path += uri[i];
  }
  return path;
}

std::string uriOfPath(const std::string &path) {
  return path.starts_with('/') ? std::string(kScheme) + percentEncoded(path) : path;
}

std::string uriReferenceOfPath(const std::string &path) {
  return path.starts_with('/') ? uriOfPath(path) : percentEncoded(path);
}

} // namespace xt
