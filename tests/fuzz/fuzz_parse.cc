// Fuzzes the lexer, the parser and the formatter with arbitrary bytes.
#include "tests/fuzz/crash.h"

#include "lang/format/format.h"
#include "lang/parse/parse.h"
#include "lang/parse/source_parts.h"

using namespace xt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SourceManager sources;
  Diagnostics diagnostics;
  std::string_view text = fuzz::textOf(data, size);
  uint32_t index = sources.add("input.xt", std::string(text));
  ast::File file = parse(sources, index, diagnostics);
  ast::dump(file, sources.file(index));
  for (const SourcePart &part : sourceParts(file))
    if (part.end > size || part.begin >= part.end) fuzz::fail("a part lies outside of the text", text);
  renderText(diagnostics, sources, false);
  Diagnostics formatting;
  Result<std::string> formatted = formatSource(sources, index, formatting);
  if (!formatted) return 0;
  uint32_t second = sources.add("formatted.xt", *formatted);
  Result<std::string> again = formatSource(sources, second, formatting);
  if (!again || *again != *formatted) fuzz::fail("formatting a formatted text changes it", *formatted);
  return 0;
}
