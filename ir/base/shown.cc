#include "ir/base/reports.h"
#include "ir/base/text.h"

namespace xt {

ShownDiagnostics shownOf(const Diagnostics &diagnostics, size_t most) {
  ShownDiagnostics shown;
  size_t errors = 0, warnings = 0;
  for (const Diagnostic *diagnostic : diagnostics.sorted()) {
    if (diagnostic->severity == Severity::Error && ++errors > most) continue;
    if (diagnostic->severity == Severity::Warning && ++warnings > most) continue;
    shown.list.push_back(diagnostic);
  }
  std::string rest;
  if (errors > most) rest = counted(static_cast<int64_t>(errors - most), "more error");
  if (warnings > most) rest += (rest.empty() ? "" : " and ") + counted(static_cast<int64_t>(warnings - most), "more warning");
  if (!rest.empty()) shown.rest = str("there are ", rest, ", which are not shown");
  return shown;
}

std::string cutText(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end; // not within a character
  return str(text.substr(0, end), "…");
}

} // namespace xt
