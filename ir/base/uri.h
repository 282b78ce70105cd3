// File names as URIs (RFC 3986, RFC 8089).
#pragma once
#include <string>

namespace xt {

// The path of a `file:` URI; any other text is its own name.
std::string pathOfUri(const std::string &uri);
// "file:///a%20b" of an absolute path; any other text is its own URI.
std::string uriOfPath(const std::string &path);
// The same of a path that may be relative: a URI reference.
std::string uriReferenceOfPath(const std::string &path);

} // namespace xt
