#pragma once
#include <string>
#include <string_view>

namespace xt {

// Text as it stands in XML, in quotes too; control characters, which XML does not have, are left out.
std::string xmlText(std::string_view text);

} // namespace xt
