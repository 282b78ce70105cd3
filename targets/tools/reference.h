// The reference pages that the tools print, all generated from tables.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace xt {

std::string listOps();    // every op of ir/ops, then the host functions of tests
// The ops, and all messages, as Markdown: ir/ops/REFERENCE.md and ir/base/diagnostics/REFERENCE.md.
std::string opReference();
std::string codeReference();
std::string listPasses();
std::string listCodes();
// The page of a diagnostic code ("XT0201" or "201"); nullopt if there is no such code.
std::optional<std::string> explain(std::string_view code);

} // namespace xt
