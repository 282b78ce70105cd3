#include "tests/fuzz/input.h"

#include "ir/equal.h"
#include "ir/print.h"

namespace xt::fuzz {

Compiled::Compiled(std::string_view text) {
  LowerOptions options;
  options.tryFixes = false; // each fix compiles the text again
  if (auto lowered = lowerFile(sources, sources.add("input.xt", std::string(text)), context, options, diagnostics))
    module = std::move(*lowered);
  else if (!diagnostics.hasErrors())
    fail("the text was refused without an error", text);
}

std::optional<std::string> roundTrip(const Module &module) {
  std::string text = print(module);
  Compiled again(text);
  if (!again.module)
    return "the printed module does not compile:\n" + renderText(again.diagnostics, again.sources, false) + text;
  std::optional<std::string> difference = firstDifference(module, *again.module);
  if (difference) *difference += "\n" + text;
  return difference;
}

} // namespace xt::fuzz
