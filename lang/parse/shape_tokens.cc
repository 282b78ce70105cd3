#include "lang/parse/shape_tokens.h"

#include "lang/parse/item_shaper.h"

#include "XtLexer.h"

#include <algorithm>

namespace xt {
namespace {

// Shapes an item. Matches its braces by their counts. If these differ, also matches them by the indentation, and uses this
// result unless it has more messages.
ShapedItem shapeWithFewestMessages(const TokenScan &scan, size_t begin, size_t end, uint32_t file) {
  ShapedItem plain = shapeItem(scan, begin, end, file, BraceMode::Plain);
  if (!plain.missingBraces && !plain.superfluousBraces) return plain;
  BraceMode mode = plain.missingBraces ? BraceMode::FindMissing : BraceMode::FindSuperfluous;
  ShapedItem indented = shapeItem(scan, begin, end, file, mode);
  return indented.diagnostics.size() <= plain.diagnostics.size() ? indented : plain;
}

} // namespace

ShapedTokens shapeTokens(std::vector<SyntaxToken> tokens, const SourceFile &source, uint32_t file, uint32_t limit,
                         Diagnostics &diagnostics) {
  TokenScan scan(tokens, source.text());
  ShapedTokens out;
  size_t end = tokens.size() - 1; // the end of file
  while (end > 0 && tokens[end - 1].begin >= limit) --end;
  ItemStarts starts(scan);
  if (end > 0) starts.next(0);
  for (size_t begin = 0; begin < end;) {
    size_t next = begin + 1;
    while (next < end && !starts.next(next)) ++next;
    ShapedItem item = shapeWithFewestMessages(scan, begin, next, file);
    out.items.push_back(tokens[begin].begin);
    out.tokens.insert(out.tokens.end(), item.tokens.begin(), item.tokens.end());
    for (const Diagnostic &d : item.diagnostics) {
      out.reported.push_back(d.range.begin);
      Diagnostic &copy = diagnostics.report(d.code, d.range, d.message);
      copy.labels = d.labels;
      copy.notes = d.notes;
      copy.fixits = d.fixits;
    }
    begin = next;
  }
  out.tokens.push_back(tokens.back());
  out.tokens.back().begin = out.tokens.back().end = std::min(limit, tokens.back().end);
  return out;
}

} // namespace xt
