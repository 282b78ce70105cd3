// libFuzzer's mutator for messages to the language server: cuts, repeats and swaps lines. Within a line, replaces a JSON value
// by one of another line, or by one that a client may send. Changes programs within a message by their syntax.
#include "tests/fuzz/crash.h"
#include "tests/fuzz/mutator.h"

#include "lang/server/json.h"

#include <cstring>
#include <random>

using namespace xt;
using lsp::Json;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {

std::vector<std::string> linesOf(std::string_view input) {
  std::vector<std::string> lines;
  for (TextRange line : xt::linesOf(input)) {
    std::string text(input.substr(line.begin, line.end - line.begin));
    if (!text.empty() && text.back() == '\n') text.pop_back();
    lines.push_back(std::move(text));
  }
  return lines;
}

void collect(Json &json, std::vector<Json *> &all) {
  constexpr size_t kMost = 2000;
  if (all.size() > kMost) return;
  all.push_back(&json);
  for (Json &child : json)
    if (json.is_structured()) collect(child, all);
}

class MessageMutator {
public:
  explicit MessageMutator(unsigned seed) : random_(seed), seed_(seed) {}

  std::string mutate(std::string_view input) {
    std::vector<std::string> lines = linesOf(input);
    size_t at = pick(lines.size()), other = pick(lines.size());
    switch (pick(8)) {
    case 0: lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at)); break;
    case 1: lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), lines[other]); break;
    case 2: std::swap(lines[at], lines[other]); break;
    default: lines[at] = changed(lines[at], lines[other]);
    }
    std::string out;
    for (const std::string &line : lines) out += line + "\n";
    return out;
  }

private:
  size_t pick(size_t n) { return n ? random_() % n : 0; }

  std::string changed(const std::string &line, const std::string &other) {
    Json json, from;
    if (!lsp::parseJson(line, json)) return line;
    if (!lsp::parseJson(other, from)) from = json;
    std::vector<Json *> to, donors;
    collect(json, to), collect(from, donors);
    Json &value = *to[pick(to.size())];
    if (value.is_number())
      value = number(lsp::intOf(value));
    else if (value.is_string())
      value = text(lsp::textOf(value), lsp::textOf(*donors[pick(donors.size())]));
    else
      value = pick(3) ? *donors[pick(donors.size())] : Json();
    return lsp::jsonText(json);
  }

  Json number(int64_t now) {
    static constexpr int64_t kNumbers[] = {0, 1, -1, 2147483647, -2147483648, 4294967295, INT64_MAX, 7};
    switch (pick(4)) {
    case 0: return kNumbers[pick(std::size(kNumbers))];
    case 1: return static_cast<int64_t>(static_cast<uint64_t>(now) + 1);
    case 2: return static_cast<int64_t>(static_cast<uint64_t>(now) - 1);
    default: return static_cast<int64_t>(pick(40));
    }
  }

  std::string text(const std::string &now, const std::string &other) {
    static constexpr const char *kMethods[] = {"textDocument/hover",
                                               "textDocument/definition",
                                               "textDocument/completion",
                                               "textDocument/references",
                                               "textDocument/rename",
                                               "textDocument/prepareRename",
                                               "textDocument/documentSymbol",
                                               "textDocument/semanticTokens/full",
                                               "textDocument/semanticTokens/full/delta",
                                               "textDocument/semanticTokens/range",
                                               "textDocument/inlayHint",
                                               "textDocument/signatureHelp",
                                               "textDocument/formatting",
                                               "textDocument/rangeFormatting",
                                               "textDocument/onTypeFormatting",
                                               "textDocument/foldingRange",
                                               "textDocument/selectionRange",
                                               "textDocument/codeAction",
                                               "textDocument/codeLens",
                                               "textDocument/diagnostic",
                                               "textDocument/didOpen",
                                               "textDocument/didChange",
                                               "textDocument/didClose",
                                               "textDocument/didSave",
                                               "workspace/symbol",
                                               "workspace/diagnostic",
                                               "shutdown",
                                               "exit"};
    bool method = now.find('/') != std::string::npos && now.find(' ') == std::string::npos && !now.starts_with("file:");
    if (method) return kMethods[pick(std::size(kMethods))];
    bool program = now.size() > 20;
    if (program && pick(4)) return fuzz::Mutator(seed_).mutate(now, other);
    return pick(2) ? other : now + other;
  }

  std::mt19937 random_;
  unsigned seed_;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  constexpr unsigned kBytesOneIn = 6;
  if (seed % kBytesOneIn == 0 || size == 0) return LLVMFuzzerMutate(data, size, maxSize);
  std::string made = MessageMutator(seed).mutate(fuzz::textOf(data, size));
  if (made.size() > maxSize) return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, made.data(), made.size());
  return made.size();
}
