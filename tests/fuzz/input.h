// Compiles an input.
#pragma once
#include "lang/lower/lower.h"
#include "tests/fuzz/crash.h"

#include <optional>
#include <string>
#include <string_view>

namespace xt::fuzz {

// Checks and lowers a text without imports. `module` is null if the text has errors, which `diagnostics` lists.
struct Compiled {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  explicit Compiled(std::string_view text);
};

// Returns the difference between the module and its printed text read back, or nullopt if there is none.
std::optional<std::string> roundTrip(const Module &module);

} // namespace xt::fuzz
