#include "lang/format/format.h"
#include "lang/server/features.h"

namespace xt::lsp {

Json formatting(const Query &query, std::optional<Span> span) {
  SourceManager sources;
  uint32_t index = sources.add(query.document.path(), query.document.text().str());
  std::optional<SourceRange> range;
  if (span) range = SourceRange{index, span->begin, span->end};
  Diagnostics unused; // the checker reports the errors
  FormatOptions options;
  options.keepBroken = true;
  Result<std::vector<TextEdit>> edits = formatEdits(sources, index, unused, range, options);
  if (!edits) return nullptr;
  Json list = Json::array();
  for (const TextEdit &edit : *edits)
    list.push_back({{"range", query.range({edit.range.begin, edit.range.end})}, {"newText", edit.replacement}});
  return list;
}

Json formattingOnType(const Query &query, uint32_t offset, const std::string &typed) {
  const Text &text = query.document.text();
  uint32_t line = text.lineOf(offset);
  // A typed line break completes the line above the cursor.
  if (typed == "\n" && line > 0) --line;
  return formatting(query, Span{text.lineStart(line), text.lineEnd(line)});
}

} // namespace xt::lsp
