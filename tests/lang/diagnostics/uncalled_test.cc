// Tests that functions that are never called are checked except for rules about extents: a function that some call could make
// valid must not be rejected.
#include "tests/golden.h"

#include "lang/lower/lower.h"
#include "lang/parse/parse.h"

namespace xt {
namespace {

namespace fs = std::filesystem;

std::string messages(const fs::path &folder, std::string text) {
  SourceManager sources;
  Diagnostics diagnostics;
  Context context;
  LowerOptions options;
  options.imports.stdlib = std::string(XT_SOURCE_DIR) + "/stdlib";
  options.imports.read = [&](const std::string &file) -> Result<std::string> {
    fs::path path = fs::path(file).is_absolute() ? fs::path(file) : folder / file;
    return fs::is_regular_file(path) ? Result<std::string>(test::readText(path)) : noSuchFile();
  };
  (void)lowerFile(sources, sources.add("file.xt", std::move(text)), context, options, diagnostics);
  return diagnostics.hasErrors() ? renderText(diagnostics, sources, false) : "";
}

// Returns the text without its kernels and tests, and counts its functions.
std::string onlyFunctions(const std::string &text, size_t &functions) {
  SourceManager sources;
  Diagnostics diagnostics;
  ast::File file = parse(sources, sources.add("file.xt", text), diagnostics);
  std::string rest = text;
  auto blank = [&](SourceRange range) {
    for (uint32_t i = range.begin; i < range.end; ++i)
      if (rest[i] != '\n') rest[i] = ' ';
  };
  for (const ast::KernelDecl &decl : file.kernels)
    if (decl.isFunction && !decl.results.empty())
      ++functions;
    else
      blank(decl.range);
  for (const ast::TestDecl &test : file.tests) blank(test.range);
  return rest;
}

TEST(Uncalled, FunctionsOfGoodFilesAreGoodWithoutTheirCalls) {
  size_t functions = 0;
  for (const char *folder : {"stdlib", "examples", "tests/lang", "tests/passes", "tests/rfc", "tests/targets"})
    for (const auto &entry : fs::recursive_directory_iterator(fs::path(XT_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".xt") continue;
      std::string text = test::readText(entry.path());
      if (text.find("func") == std::string::npos || !messages(entry.path().parent_path(), text).empty()) continue;
      EXPECT_EQ(messages(entry.path().parent_path(), onlyFunctions(text, functions)), "") << entry.path();
    }
  EXPECT_GE(functions, 10u);
}

TEST(Uncalled, WhatAnExtentMendsIsLeftToTheCalls) {
  for (const char *function : {
           "func @f(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  return %x\n}",
           "func @f(%x: vector<?x?xf32>) -> vector<8x8xf32> {\n  %y = reshape %x -> vector<8x8xf32>\n  return %y\n}",
           "func @f(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  %y = broadcast %x [1] -> vector<8x16xf32>\n  %z = %y "
           "+ 1.0\n"
           "  return %z\n}",
           "func @f(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  %s = reduction <add> %x [1] {reduction_size = 7}\n  "
           "return %s\n}",
           "func @f(%x: vector<?x?xf32>, %y: vector<?x?xf32>) -> vector<?x?xf32> {\n  %z = transpose %y\n  return %x + "
           "%z\n}",
           "func @f(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  %c = constant 1.0 : vector<8x16xf32>\n  return %x * "
           "%c\n}",
           "func @f(%a: vector<?x?xf16>, %b: vector<32x?xf16>) -> vector<?x?xf32> {\n  %c = tile_mma %a, %b\n  return "
           "%c\n}",
           "func @f(%x: vector<?x?xf32>) -> vector<4x4xf32> {\n  return %x\n}",
           "func @f(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n  for %i = 0 to 3 {\n    %x = transpose %x\n  }\n"
           "  %y = @g(%x)\n  return %y\n}\nfunc @g(%x: vector<8x?xf32>) -> vector<?x8xf32> {\n  %y = transpose %x\n  "
           "return %y\n}",
           "func @f(%t: tile<?x?xf32>) -> vector<?x?xf32> {\n  %v = load_tile %t\n  %w = addf %v, %v : "
           "vector<8x16xf32>\n  return %w\n}",
           "func @f(%t: tile<?x?xf32>) -> vector<?x?xf32> {\n  return @g(%t)\n}\n"
           "func @g(%t: tile<8x?xf32, order = [0, 1]>) -> vector<?x?xf32> {\n  %v = load_tile %t\n  return %v\n}",
           "func @f(%A: memref<?x?xf32>) -> vector<?x?xf32> {\n  return @g(%A)\n}\n"
           "func @g(%A: memref<64x64xf32>) -> vector<?x?xf32> {\n  %t = init_tile %A[0, 0] -> tile<8x8xf32>\n"
           "  %v = load_tile %t\n  return %v\n}",
           "#l = #wg_map<sg_layout = [2, 2], sg_data = [7, 8]>\nfunc @f(%x: vector<?x?xf32>) -> vector<?x?xf32> {\n"
           "  %y = convert_layout %x {#l}\n  return %y\n}",
       }) {
    std::string text = function;
    EXPECT_EQ(messages("", text), "") << text;
  }
}

} // namespace
} // namespace xt
