#include "lang/parse/parse.h"

#include "lang/parse/reparse.h"

namespace xt {

ast::File parse(const SourceManager &sources, uint32_t index, Diagnostics &diagnostics) {
  ParsedText parsed = parseText(sources, index, static_cast<uint32_t>(sources.file(index).text().size()), nullptr);
  for (const Diagnostic &d : parsed.diagnostics.all()) diagnostics.report(d.code, d.range, d.message) = d;
  return std::move(parsed.tree);
}

} // namespace xt
