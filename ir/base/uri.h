// File names as URIs (RFC 3986, RFC 8089).
#pragma once
#include <string>

namespace xt {

// The path of a `file:` URI; any other text is returned unchanged.
std::string pathOfUri(const std::string &uri);
// "file:///a%20b" for an absolute path; any other text is returned unchanged.
std::string uriOfPath(const std::string &path);
// Like uriOfPath, but also encodes a relative path, as a URI reference.
std::string uriReferenceOfPath(const std::string &path);

} // namespace xt
