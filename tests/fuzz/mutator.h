// Changes .xt programs by their syntax, so that most of the results can still be parsed: for libFuzzer and for the differential
// test.
#pragma once
#include "lang/reduce/replacements.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace xt::fuzz {

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random_(seed) {}

  // Returns the text after one or several changes. Parts of `other` may be inserted. The result depends only on the seed and
  // the texts.
  std::string mutate(std::string_view text, std::string_view other = {});
  // Makes one change. Returns nullopt if the change does not apply to the text. The kind of change depends only on the random
  // numbers.
  std::optional<std::string> mutateOnce(std::string_view text, std::string_view other);

private:
  struct Parsed {
    std::string_view text;
    std::vector<SourcePart> parts;
    std::string_view slice(const SourcePart &part) const { return text.substr(part.begin, part.end - part.begin); }
  };
  static Parsed parsed(std::string_view text);

  size_t pick(size_t n) { return static_cast<size_t>(random_() % n); }
  bool chance(size_t oneIn) { return pick(oneIn) == 0; }
  template <class T> const T &chooseFrom(const std::vector<T> &items) { return items[pick(items.size())]; }
  // Returns a part of one of these kinds, or null if there is none.
  const SourcePart *choosePart(const Parsed &in, std::initializer_list<PartKind> kinds);
  // Returns a statement of a kernel or a function; tests have other kinds of statements.
  const SourcePart *chooseStatement(const Parsed &in);

  // The changes. Each returns nullopt if it does not apply to the text.
  std::optional<std::string> cutPart(const Parsed &in);
  std::optional<std::string> repeatStatement(const Parsed &in);
  std::optional<std::string> swapParts(const Parsed &in);
  std::optional<std::string> changeOp(const Parsed &in);
  std::optional<std::string> changeNumber(const Parsed &in);
  std::optional<std::string> changeElement(const Parsed &in);
  std::optional<std::string> changeAttribute(const Parsed &in);
  std::optional<std::string> addAttribute(const Parsed &in);
  std::optional<std::string> changeValue(const Parsed &in);
  std::optional<std::string> wrap(const Parsed &in);
  std::optional<std::string> unwrap(const Parsed &in);
  std::optional<std::string> splice(const Parsed &in, const Parsed &from);
  std::optional<std::string> insertExample(const Parsed &in);
  std::string otherNumber(std::string_view number);

  std::mt19937_64 random_;
};

} // namespace xt::fuzz
