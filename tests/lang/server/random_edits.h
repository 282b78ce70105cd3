// Programs, and random edits as they occur while programs are written.
#pragma once
#include "tests/golden.h"

#include "lang/lower/disk.h"
#include "lang/lower/imports.h"

#include <random>

namespace xt::test {

inline std::filesystem::path sourceFolder() { return XT_SOURCE_DIR; }

inline std::vector<std::filesystem::path> programs() {
  std::vector<std::filesystem::path> files;
  for (const char *folder : {"examples", "stdlib", "tests/lang/lower"})
    for (const auto &entry : std::filesystem::directory_iterator(sourceFolder() / folder))
      if (entry.path().extension() == ".xt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// The number of edits and the seed, which environment variables may set. Both are printed if a test fails.
inline size_t wantedEdits() {
  const char *wanted = std::getenv("XT_SERVER_EDITS");
  return wanted ? std::strtoul(wanted, nullptr, 10) : XT_FUZZ_ROUNDS;
}
inline uint32_t wantedSeed() {
  const char *wanted = std::getenv("XT_SERVER_SEED");
  return wanted ? static_cast<uint32_t>(std::strtoul(wanted, nullptr, 10)) : 1;
}

struct RandomEdit {
  size_t begin = 0, end = 0; // byte offsets
  std::string with;
};

// Produces edits like typing mistakes: removes, doubles and moves pieces, and replaces words by other words of the file. Edits
// whole characters only, unless `bytes` is true.
class RandomEdits {
public:
  explicit RandomEdits(uint32_t seed, bool bytes = true) : random_(seed), bytes_(bytes) {}

  size_t below(size_t n) { return n ? random_() % n : 0; }

  RandomEdit edit(std::string_view text) {
    RandomEdit edit = any(text);
    if (bytes_) return edit;
    while (edit.begin > 0 && continues(text, edit.begin)) --edit.begin;
    while (edit.end < text.size() && continues(text, edit.end)) ++edit.end;
    return edit;
  }

private:
  static bool continues(std::string_view text, size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  }
  std::string piece(std::string_view text, size_t length) {
    size_t begin = below(text.size() + 1), end = std::min(text.size(), begin + length);
    while (!bytes_ && begin > 0 && continues(text, begin)) --begin;
    while (!bytes_ && end < text.size() && continues(text, end)) ++end;
    return std::string(text.substr(begin, end - begin));
  }

  RandomEdit any(std::string_view text) {
    size_t at = below(text.size() + 1), length = std::min(text.size() - at, below(below(4) == 0 ? 200 : 12));
    switch (below(6)) {
    case 0: return {at, at + length, ""};
    case 1: return {at, at, piece(text, length)};
    case 2: {
      constexpr std::string_view kBits[] = {"{",
                                            "}",
                                            "(",
                                            ")",
                                            "<",
                                            ">",
                                            "[",
                                            "]",
                                            ",",
                                            ":",
                                            "=",
                                            "\n",
                                            " ",
                                            "%",
                                            "#",
                                            "@",
                                            "$",
                                            "\"",
                                            "//",
                                            "kernel @k",
                                            "test \"t\" {",
                                            "%x",
                                            "#a = ",
                                            "é",
                                            "𝒳",
                                            "tile<",
                                            "1",
                                            "-> ",
                                            "for ",
                                            "import \"std/gemm\"",
                                            "import \"b\"\n",
                                            "param $N : index = 3",
                                            "func @f() {",
                                            "}\n\n",
                                            "\r\n"};
      return {at, at, std::string(kBits[below(std::size(kBits))])};
    }
    case 3: { // removes or doubles a line
      size_t begin = text.rfind('\n', at ? at - 1 : 0), end = text.find('\n', at);
      begin = begin == std::string::npos ? 0 : begin;
      end = end == std::string::npos ? text.size() : end;
      if (begin >= end) return {at, at, ""};
      return below(2) ? RandomEdit{begin, end, ""} : RandomEdit{end, end, std::string(text.substr(begin, end - begin))};
    }
    case 4: return {at, std::min(text.size(), at + 1), std::string(1, static_cast<char>(' ' + below(95)))};
    default: return {at, at + length, piece(text, below(20))};
    }
  }

  std::mt19937 random_;
  bool bytes_;
};

} // namespace xt::test
