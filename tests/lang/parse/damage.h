// Damages texts systematically: deletes each token, doubles it, or swaps it with the next one; drops each bracket.
#pragma once
#include "lang/parse/shape_tokens.h"
#include "tests/golden.h"

#include <cstdlib>

namespace xt::test {

enum class Damage { Deleted, Doubled, Swapped, BracketDropped };
inline constexpr const char *kDamageNames[] = {"token deleted", "token doubled", "token swapped with the next",
                                               "bracket dropped"};

struct Damaged {
  std::string text;
  uint32_t at = 0; // byte offset of the damage in the original text
};

inline bool isBracket(std::string_view word) {
  return word.size() == 1 && std::string_view("()[]{}<>").find(word[0]) != std::string_view::npos;
}

// Returns all damages of one kind to a text, or every `stride`-th of them from number `first` on.
inline std::vector<Damaged> damages(const std::string &text, Damage kind, size_t stride = 1, size_t first = 0) {
  SourceFile source("t.xt", text);
  std::vector<SyntaxToken> tokens = lex(source);
  std::vector<Damaged> out;
  size_t number = 0;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    const SyntaxToken &token = tokens[i], &next = tokens[i + 1];
    std::string word = text.substr(token.begin, token.end - token.begin);
    if (isBracket(word) != (kind == Damage::BracketDropped) && kind != Damage::Doubled && kind != Damage::Swapped) continue;
    std::string nextWord = text.substr(next.begin, next.end - next.begin);
    if (kind == Damage::Swapped && (i + 2 == tokens.size() || word == nextWord)) continue;
    if (number++ % stride != first % stride) continue;
    Damaged damaged{text, token.begin};
    switch (kind) {
    case Damage::Deleted:
    case Damage::BracketDropped: damaged.text.erase(token.begin, token.end - token.begin); break;
    case Damage::Doubled: damaged.text.insert(token.begin, word + " "); break;
    case Damage::Swapped:
      damaged.text.replace(next.begin, next.end - next.begin, word);
      damaged.text.replace(token.begin, token.end - token.begin, nextWord);
      break;
    }
    out.push_back(std::move(damaged));
  }
  return out;
}

// Returns the files to damage: examples and standard library, from which users start.
inline std::vector<std::filesystem::path> textsToDamage() {
  std::vector<std::filesystem::path> files = filesIn("../examples", ".xt");
  for (const auto &path : filesIn("../stdlib", ".xt")) files.push_back(path);
  return files;
}

// Returns the stride between the damages that are tested: XT_DAMAGE_STRIDE, or `usual`. With 1, all of them are tested.
inline size_t damageStride(size_t usual) {
  const char *given = std::getenv("XT_DAMAGE_STRIDE");
  return given && *given ? std::max<size_t>(1, std::strtoul(given, nullptr, 10)) : usual;
}

} // namespace xt::test
