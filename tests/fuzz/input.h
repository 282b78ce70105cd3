// Compiling an input.
#pragma once
#include "lang/lower/lower.h"
#include "tests/fuzz/crash.h"

#include <optional>
#include <string>
#include <string_view>

namespace xt::fuzz {

// Checks and lowers a text without imports; null: it is wrong, and the diagnostics say why.
struct Compiled {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  std::unique_ptr<Module> module;
  explicit Compiled(std::string_view text);
};

// What differs when the printed module is read back; nullopt: nothing.
std::optional<std::string> roundTrip(const Module &module);

} // namespace xt::fuzz
