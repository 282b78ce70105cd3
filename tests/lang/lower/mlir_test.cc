// Tests that the text that MLIR prints is accepted: ops.mlir has every op of arith, math, scf, memref, vector and func that the
// language has, and ops.printed is the output of mlir-opt for it. If mlir-opt is installed (Debian: mlir-22-tools), a test
// checks that it still prints this output.
#include "tests/golden.h"
#include "tests/shell.h"

#include "ir/op_info.h"
#include "lang/lower/lower.h"

#include <cstdio>
#include <regex>

namespace xt {
namespace {

namespace fs = std::filesystem;
const fs::path kFolder = fs::path(XT_SOURCE_DIR) / "tests/lang/lower/mlir";
constexpr const char *kTool = "mlir-opt-22";

// Returns ops.printed without its first line, which contains the version of mlir-opt that printed the rest.
std::string printedBody() {
  std::string text = test::readText(kFolder / "ops.printed");
  return text.substr(std::min(text.size(), text.find('\n') + 1));
}

// Returns the functions without the module around them, because the language has no modules.
std::string functionsOf(const std::string &printed) {
  std::istringstream in(printed);
  std::string out;
  for (std::string line; std::getline(in, line);)
    if (line != "module {" && line != "}") out += line.substr(line.starts_with("  ") ? 2 : 0) + "\n";
  return out;
}

std::string messagesFor(const std::string &text) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  uint32_t index = sources.add("printed.xt", text);
  bool good = lowerFile(sources, index, context, {}, diagnostics).ok();
  return good ? "" : renderText(diagnostics, sources, false);
}

// Returns the output of mlir-opt for ops.mlir, or nullopt if mlir-opt is not installed.
std::optional<std::string> printedNow(const std::string &options) {
  if (std::system(("command -v " + std::string(kTool) + " >/dev/null 2>&1").c_str()) != 0) return std::nullopt;
  test::ShellRun run = test::runShell(std::string(kTool) + " " + options + " 2>&1");
  EXPECT_EQ(run.status, 0) << run.output;
  return run.output;
}

TEST(Mlir, WhatItPrintsIsRead) { EXPECT_EQ(messagesFor(functionsOf(printedBody())), ""); }

TEST(Mlir, EveryOpIsThere) {
  std::string text = printedBody();
  for (const OpInfo &op : allOps()) {
    bool ours = op.dialect == Dialect::XeTile || op.dialect == Dialect::XeGpu || op.dialect == Dialect::Gpu;
    if (ours) continue;
    std::vector<std::string> names = {std::string(fullName(op.kind))};
    for (std::string_view other : op.spellings)
      names.push_back(other.find('.') != std::string_view::npos
                          ? std::string(other)
                          : std::string(dialectName(op.dialect)) + "." + std::string(other));
    bool found = false;
    for (const std::string &name : names) found |= text.find(name + " ") != std::string::npos;
    EXPECT_TRUE(found) << fullName(op.kind);
  }
  for (const char *name : {"func.func @", "func.call @", " call @", "return %", "scf.condition("})
    EXPECT_NE(text.find(name), std::string::npos) << name;
}

// The printed text, split into its functions and the aliases before them.
struct Printed {
  std::string aliases, callees; // callees: the functions that others call
  std::vector<std::vector<std::string>> functions;
};

Printed split(const std::string &text) {
  Printed out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("func.func @")) out.functions.emplace_back();
    if (out.functions.empty())
      out.aliases += line + "\n";
    else
      out.functions.back().push_back(line);
    if (line == "}" && std::regex_search(out.functions.back()[0], std::regex("@(one|two|none)\\(")))
      for (const std::string &each : out.functions.back()) out.callees += each + "\n";
  }
  return out;
}

// Returns copies of a list of types, in each of which a different element type is changed to u64.
std::vector<std::string> withWrongTypes(const std::string &types, bool cast) {
  const std::regex element(R"(\b(f32|f16|i32|index|i1)\b|x(f32|f16|i32|index|i1)>)");
  std::vector<std::string> out;
  for (std::sregex_iterator it(types.begin(), types.end(), element), end; it != end; ++it) {
    auto begin = static_cast<size_t>(it->position()), length = it->str().size();
    // The result of a cast to integers may have any integer type.
    if (cast && types.find(" to ") < begin) continue;
    bool shaped = types[begin] == 'x';
    out.push_back(types.substr(0, begin) + (shaped ? "xu64>" : "u64") + types.substr(begin + length));
  }
  return out;
}

// A type that is written with operands is compared with the types of the operands: if any one of them is changed, the text is
// refused.
TEST(Mlir, EveryTypeIsChecked) {
  Printed printed = split(functionsOf(printedBody()));
  const std::regex signature(R"( : [^{}]*$)"), says(R"(arith\.constant|create_mask|vector\.step)"),
      toInteger(R"(arith\.(index_cast|fpto|ext[su]i))");
  size_t changed = 0;
  for (const std::vector<std::string> &function : printed.functions) {
    if (function[0].find("memref<?") != std::string::npos) continue; // the caller determines the types
    bool callee = std::regex_search(function[0], std::regex("@(one|two|none)\\("));
    for (size_t i = 1; i < function.size(); ++i) {
      std::smatch found;
      if (std::regex_search(function[i], says) || !std::regex_search(function[i], found, signature)) continue;
      std::string head = function[i].substr(0, static_cast<size_t>(found.position()));
      for (const std::string &wrong : withWrongTypes(found.str(), std::regex_search(head, toInteger))) {
        std::string text = printed.aliases + (callee ? "" : printed.callees);
        for (size_t k = 0; k < function.size(); ++k) text += (k == i ? head + wrong : function[k]) + "\n";
        EXPECT_NE(messagesFor(text), "") << head << wrong;
        ++changed;
      }
    }
  }
  EXPECT_GE(changed, 250u);
}

TEST(Mlir, TheToolPrintsTheSame) {
  std::optional<std::string> now = printedNow((kFolder / "ops.mlir").string());
  if (!now) GTEST_SKIP() << kTool << " is not installed (Debian: mlir-22-tools)";
  if (std::getenv("XT_UPDATE_GOLDEN")) {
    std::string version = printedNow("--version").value_or("");
    version = version.substr(0, version.find('\n'));
    std::ofstream(kFolder / "ops.printed", std::ios::binary) << "// " << version << "\n" << *now;
  }
  EXPECT_EQ(*now, printedBody());
  EXPECT_EQ(messagesFor(functionsOf(*now)), "");
}

} // namespace
} // namespace xt
