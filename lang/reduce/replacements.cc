#include "lang/reduce/replacements.h"

#include "ir/base/text.h"

#include <charconv>
#include <map>
#include <set>

namespace xt {
namespace {

std::string_view slice(std::string_view text, const SourcePart &part) { return text.substr(part.begin, part.end - part.begin); }

TextRange rangeOf(const SourcePart &part) { return {part.begin, part.end}; }

bool isExpression(PartKind kind) { return kind == PartKind::Expr || kind == PartKind::Operand || kind == PartKind::Number; }

// The text between the braces of a block.
std::string_view insideBraces(std::string_view block) {
  bool braces = block.size() >= 2 && block.front() == '{' && block.back() == '}';
  return braces ? block.substr(1, block.size() - 2) : block;
}

// The value of a decimal integer; nullopt for floats, hexadecimal integers and values above 64 bits.
std::optional<uint64_t> integerOf(std::string_view text) {
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> smallerThan(std::string_view text) {
  std::optional<uint64_t> value = integerOf(text);
  if (!value) {
    bool zero = text == "0.0" || text == "1" || text == "0";
    return zero ? std::vector<std::string>{} : std::vector<std::string>{"0.0", "1"}; // floats, hex integers, too large integers
  }
  std::vector<std::string> out;
  std::vector<uint64_t> candidates = {0, 1, 2, *value / 4, *value / 2};
  // Ever smaller steps, so that the way down to a bound such as 2^63 is short.
  for (uint64_t step = *value / 4; step > 1; step /= 4) candidates.push_back(*value - step);
  candidates.push_back(*value - 1);
  for (uint64_t smaller : candidates) {
    std::string spelled = str(smaller);
    bool known = std::find(out.begin(), out.end(), spelled) != out.end();
    if (smaller < *value && !known) out.push_back(std::move(spelled));
  }
  return out;
}

bool isFloatElement(std::string_view element) { return element.find('f') != std::string_view::npos || element == "double"; }

} // namespace

std::vector<Change> replacementsByInside(std::string_view text, std::span<const SourcePart> parts) {
  std::vector<Change> changes;
  for (size_t i = 0; i < parts.size(); ++i) {
    const SourcePart &part = parts[i];
    if (part.parent < 0) continue;
    const SourcePart &outer = parts[static_cast<size_t>(part.parent)];
    bool block = part.kind == PartKind::Block && outer.kind == PartKind::Statement;
    bool expression = isExpression(part.kind) && isExpression(outer.kind);
    bool mapping = part.kind == PartKind::Mapping && outer.kind != PartKind::Item && outer.kind != PartKind::Attributes &&
                   outer.kind != PartKind::Type;
    if (slice(text, part) == slice(text, outer)) continue;
    if (block) changes.push_back({{rangeOf(outer), std::string(insideBraces(slice(text, part)))}});
    if (expression || mapping) changes.push_back({{rangeOf(outer), std::string(slice(text, part))}});
  }
  return changes;
}

std::vector<Change> replacementsByConstants(std::string_view text, std::span<const SourcePart> parts) {
  std::vector<Change> changes;
  for (size_t i = 0; i < parts.size(); ++i) {
    const SourcePart &op = parts[i];
    if (op.kind != PartKind::OpName || op.parent < 0 || slice(text, op).ends_with("constant")) continue;
    const SourcePart &statement = parts[static_cast<size_t>(op.parent)];
    const SourcePart *type = nullptr; // the last type of the op's signature
    for (size_t j = i + 1; j < parts.size() && parts[j].begin < statement.end; ++j) {
      bool stated = parts[j].kind == PartKind::Type && parts[j].parent >= 0 &&
                    parts[static_cast<size_t>(parts[j].parent)].kind == PartKind::Signature;
      if (stated) type = &parts[j];
    }
    if (!type) continue;
    for (const char *value : {"0.0", "0", "true"})
      changes.push_back({{{op.begin, statement.end}, str("constant ", value, " : ", slice(text, *type))}});
  }
  return changes;
}

std::vector<Change> replacementsByLiterals(std::string_view text, std::span<const SourcePart> parts) {
  std::map<std::string_view, std::vector<TextRange>> uses;
  for (const SourcePart &part : parts)
    if (isExpression(part.kind) && slice(text, part).find_first_of("%$") == 0 &&
        slice(text, part).find_first_of(" ,=:[") == std::string_view::npos)
      uses[slice(text, part)].push_back(rangeOf(part));
  std::vector<Change> changes;
  for (const auto &[value, ranges] : uses)
    for (const char *literal : {"0", "0.0"}) {
      Change all;
      for (TextRange range : ranges) all.push_back({range, literal});
      changes.push_back(std::move(all));
      for (size_t i = 0; i < ranges.size() && ranges.size() > 1; ++i) changes.push_back({{ranges[i], literal}});
    }
  return changes;
}

std::vector<Change> smallerNumbers(std::string_view text, std::span<const SourcePart> parts) {
  std::map<std::string_view, std::vector<TextRange>> places;
  for (const SourcePart &part : parts)
    if (part.kind == PartKind::Number) places[slice(text, part)].push_back(rangeOf(part));
  std::vector<Change> changes;
  auto add = [&](std::span<const TextRange> ranges, const std::string &to) {
    Change change;
    for (TextRange range : ranges) change.push_back({range, to});
    changes.push_back(std::move(change));
  };
  for (const auto &[number, ranges] : places)
    for (const std::string &to : smallerThan(number)) add(ranges, to);
  for (const auto &[number, ranges] : places) {
    if (ranges.size() == 1) continue;
    for (const TextRange &range : ranges)
      for (const std::string &to : smallerThan(number)) add({&range, 1}, to);
  }
  return changes;
}

std::vector<Change> simplerElements(std::string_view text, std::span<const SourcePart> parts) {
  std::map<std::string_view, std::vector<TextRange>> places;
  for (const SourcePart &part : parts)
    if (part.kind == PartKind::Element) places[slice(text, part)].push_back(rangeOf(part));
  std::vector<Change> changes;
  for (const auto &[element, ranges] : places) {
    if (element == "f32" || element == "i32" || element.starts_with('$')) continue;
    Change change;
    for (TextRange range : ranges) change.push_back({range, isFloatElement(element) ? "f32" : "i32"});
    changes.push_back(std::move(change));
  }
  return changes;
}

} // namespace xt
