#include "ir/base/xml.h"

namespace xt {

std::string xmlText(std::string_view text) {
  std::string result;
  for (char c : text) switch (c) {
    case '&': result += "&amp;"; break;
    case '<': result += "&lt;"; break;
    case '>': result += "&gt;"; break;
    case '"': result += "&quot;"; break;
    default:
      if (static_cast<unsigned char>(c) >= 0x20) result += c;
    }
  return result;
}

} // namespace xt
