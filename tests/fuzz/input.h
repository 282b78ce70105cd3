// Compiles an input.
#pragma once
#include "lang/lower/lower.h"
#include "tests/fuzz/crash.h"

#include <optional>
#include <string>
#include <string_view>

namespace xt::fuzz {

// Checks and lowers a text without imports; null: it has errors, which the diagnostics list.
struct Compiled {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  explicit Compiled(std::string_view text);
};

// The difference between the module and its printed text read back; nullopt: none.
std::optional<std::string> roundTrip(const Module &module);

} // namespace xt::fuzz
