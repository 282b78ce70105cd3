#pragma once
#include <string>
#include <string_view>

namespace xt {

// Escapes text for XML, also within quotes; drops control characters, which XML does not allow.
std::string xmlText(std::string_view text);

} // namespace xt
