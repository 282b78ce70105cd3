#include "tests/fuzz/mutator.h"

#include "ir/base/text.h"
#include "ir/elem.h"
#include "ir/elem_kinds.h"
#include "ir/op_info.h"
#include "lang/parse/parse.h"
#include "tests/fuzz/words.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace xt::fuzz {
namespace {

std::string replaced(std::string_view text, const SourcePart &part, std::string_view by) {
  return withReplacements(text, {{{part.begin, part.end}, std::string(by)}});
}

std::string inserted(std::string_view text, size_t at, std::string_view what) {
  return withReplacements(text, {{{at, at}, std::string(what)}});
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) out.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

} // namespace

Mutator::Parsed Mutator::parsed(std::string_view text) {
  SourceManager sources;
  Diagnostics diagnostics;
  return {text, sourceParts(parse(sources, sources.add("mutated.xt", std::string(text)), diagnostics))};
}

const SourcePart *Mutator::choosePart(const Parsed &in, std::initializer_list<PartKind> kinds) {
  std::vector<const SourcePart *> fitting;
  for (const SourcePart &part : in.parts)
    if (std::find(kinds.begin(), kinds.end(), part.kind) != kinds.end()) fitting.push_back(&part);
  return fitting.empty() ? nullptr : chooseFrom(fitting);
}

const SourcePart *Mutator::chooseStatement(const Parsed &in) {
  std::vector<const SourcePart *> fitting;
  const SourcePart *item = nullptr;
  for (const SourcePart &part : in.parts) {
    if (part.kind == PartKind::Item) item = &part;
    if (part.kind == PartKind::Statement && item && !in.slice(*item).starts_with("test")) fitting.push_back(&part);
  }
  return fitting.empty() ? nullptr : chooseFrom(fitting);
}

std::string Mutator::mutate(std::string_view text, std::string_view other) {
  std::string out(text);
  for (size_t changes = 1 + pick(3); changes > 0; --changes)
    for (int trials = 0; trials < 8; ++trials)
      if (std::optional<std::string> next = mutateOnce(out, other); next && *next != out) {
        out = std::move(*next);
        break;
      }
  return out;
}

std::optional<std::string> Mutator::mutateOnce(std::string_view text, std::string_view other) {
  Parsed in = parsed(text);
  if (in.parts.empty()) return std::nullopt;
  switch (pick(16)) {
  case 0: return cutPart(in);
  case 1: return repeatStatement(in);
  case 2: return swapParts(in);
  case 3:
  case 4: return changeOp(in);
  case 5:
  case 6: return changeNumber(in);
  case 7: return changeElement(in);
  case 8: return changeAttribute(in);
  case 9: return addAttribute(in);
  case 10:
  case 11: return changeValue(in);
  case 12: return wrap(in);
  case 13: return unwrap(in);
  case 14: return insertExample(in);
  default: return splice(in, other.empty() ? in : parsed(other));
  }
}

std::optional<std::string> Mutator::cutPart(const Parsed &in) {
  const SourcePart *part = chance(2) ? choosePart(in, {PartKind::Statement}) : &chooseFrom(in.parts);
  if (!part) return std::nullopt;
  return withoutRanges(in.text, {cutOf(in.text, *part)});
}

std::optional<std::string> Mutator::repeatStatement(const Parsed &in) {
  const SourcePart *from = choosePart(in, {PartKind::Statement}), *to = choosePart(in, {PartKind::Statement});
  if (!from) return std::nullopt;
  return inserted(in.text, (chance(2) ? from : to)->end, str("\n", in.slice(*from)));
}

std::optional<std::string> Mutator::swapParts(const Parsed &in) {
  const SourcePart *a = &chooseFrom(in.parts);
  if (chance(2)) a = choosePart(in, {PartKind::Statement, PartKind::Operand});
  if (!a) return std::nullopt;
  const SourcePart *b = choosePart(in, {a->kind});
  if (a->begin > b->begin) std::swap(a, b);
  if (a == b || b->begin < a->end) return std::nullopt;
  return withReplacements(in.text,
                          {{{a->begin, a->end}, std::string(in.slice(*b))}, {{b->begin, b->end}, std::string(in.slice(*a))}});
}

// Replaces an op, mostly by one with the same syntax.
std::optional<std::string> Mutator::changeOp(const Parsed &in) {
  const SourcePart *part = choosePart(in, {PartKind::OpName});
  if (!part) return std::nullopt;
  std::vector<const OpInfo *> fitting;
  const OpInfo *now = findOp(in.slice(*part));
  bool any = !now || chance(8);
  for (const OpInfo *op : writtenOps()) {
    bool like =
        any || (op->clause == now->clause && op->results == now->results && op->operands.size() == now->operands.size());
    if (like && op != now) fitting.push_back(op);
  }
  if (fitting.empty()) return std::nullopt;
  const OpInfo &op = *chooseFrom(fitting);
  return replaced(in.text, *part, chance(3) ? std::string(op.name) : fullName(op));
}

std::string Mutator::otherNumber(std::string_view number) {
  int64_t value = 0;
  bool whole = std::from_chars(number.data(), number.data() + number.size(), value).ptr == number.data() + number.size();
  if (!whole) return chooseFrom(std::vector<std::string>{"0.0", "1.0", "nan", "inf", "1e-45", "3.5", "65504.0", "0x1p-1074"});
  if (chance(12))
    return chooseFrom(std::vector<std::string>{"2147483647", "2147483648", "4294967296", "9223372036854775807",
                                               "18446744073709551615", "65536"});
  auto unsignedValue = static_cast<uint64_t>(value);
  switch (pick(7)) {
  case 0: return str(unsignedValue + 1);
  case 1: return str(value > 0 ? unsignedValue - 1 : 0);
  case 2: return str(unsignedValue * 2);
  case 3: return str(unsignedValue / 2);
  case 4: return "0";
  case 5: return "1";
  default: return str(pick(70));
  }
}

std::optional<std::string> Mutator::changeNumber(const Parsed &in) {
  const SourcePart *part = choosePart(in, {PartKind::Number});
  if (!part) return std::nullopt;
  std::string by = chance(6) ? std::string(in.slice(*choosePart(in, {PartKind::Number}))) : otherNumber(in.slice(*part));
  if (chance(2)) return replaced(in.text, *part, by);
  // Replaces all equal numbers, so that extents of tiles that must match stay equal.
  std::vector<Replacement> all;
  for (const SourcePart &each : in.parts)
    if (each.kind == PartKind::Number && in.slice(each) == in.slice(*part)) all.push_back({{each.begin, each.end}, by});
  return withReplacements(in.text, std::move(all));
}

std::optional<std::string> Mutator::changeElement(const Parsed &in) {
  const SourcePart *part = choosePart(in, {PartKind::Element});
  if (!part) return std::nullopt;
  std::string by(elemName(static_cast<Elem>(pick(kElemCount))));
  if (chance(4)) return replaced(in.text, *part, by);
  std::vector<Replacement> all;
  for (const SourcePart &each : in.parts)
    if (each.kind == PartKind::Element && in.slice(each) == in.slice(*part)) all.push_back({{each.begin, each.end}, by});
  return withReplacements(in.text, std::move(all));
}

// Replaces a kind or another word by one of the same list in the table, or an attribute by another one of the text.
std::optional<std::string> Mutator::changeAttribute(const Parsed &in) {
  const SourcePart *part = choosePart(in, {PartKind::Attribute, PartKind::Mapping});
  if (!part) return std::nullopt;
  std::string_view now = in.slice(*part);
  std::string_view value = now.substr(now.rfind(' ') + 1); // npos + 1 is 0
  std::vector<std::string> others;
  for (const OpInfo *op : writtenOps())
    for (const AttrSpec &attr : op->attrs) {
      if (attr.kind != AttrKind::Kind && attr.kind != AttrKind::Word) continue;
      std::vector<std::string> list = words(attr.doc);
      if (std::find(list.begin(), list.end(), value) != list.end()) others.insert(others.end(), list.begin(), list.end());
    }
  if (!others.empty()) return replaced(in.text, *part, str(now.substr(0, now.size() - value.size()), chooseFrom(others)));
  return replaced(in.text, *part, in.slice(*choosePart(in, {part->kind})));
}

// Adds an attribute that the op has, with a plausible value.
std::optional<std::string> Mutator::addAttribute(const Parsed &in) {
  const SourcePart *name = choosePart(in, {PartKind::OpName});
  const OpInfo *op = name ? findOp(in.slice(*name)) : nullptr;
  if (!op || op->attrs.size() == 0 || name->parent < 0) return std::nullopt;
  const AttrSpec &attr = op->attrs[pick(op->attrs.size())];
  std::string text(attr.name);
  switch (attr.kind) {
  case AttrKind::Int: text += str(" = ", pick(20)); break;
  case AttrKind::Ints:
    text += chooseFrom(std::vector<std::string>{" = [1, 0]", " = [0, 1]", " = [1]", " = [4]", " = []", " = [0, 0, 0]"});
    break;
  case AttrKind::Number: text += chooseFrom(std::vector<std::string>{" = 0.0", " = 1", " = -2.5", " = nan"}); break;
  case AttrKind::Text: text += " = \"a\""; break;
  case AttrKind::Flag: break;
  case AttrKind::Kind:
  case AttrKind::Word: {
    std::vector<std::string> choices = words(attr.doc);
    if (choices.empty()) return std::nullopt;
    text += str(" = ", chooseFrom(choices));
    break;
  }
  case AttrKind::Maps:
    text += chooseFrom(std::vector<std::string>{" = affine_map<(i, j) -> (j, i)>", " = [affine_map<(i, j) -> (i)>]", " = []"});
    break;
  case AttrKind::Words:
    text += chooseFrom(std::vector<std::string>{" = [true, false]", " = [false]", " = [\"parallel\"]"});
    break;
  }
  // The attributes come before the signature, if there is one.
  uint32_t at = in.parts[static_cast<size_t>(name->parent)].end;
  for (const SourcePart &part : in.parts)
    if (part.kind == PartKind::Signature && part.parent == name->parent) at = part.begin;
  return inserted(in.text, at, str(" {", text, "} "));
}

// Replaces an operand by an earlier value, or by another operand.
std::optional<std::string> Mutator::changeValue(const Parsed &in) {
  const SourcePart *part = choosePart(in, {PartKind::Operand, PartKind::Expr});
  if (!part) return std::nullopt;
  std::vector<std::string_view> values;
  for (const SourcePart &each : in.parts)
    if (each.begin < part->begin &&
        (each.kind == PartKind::Result || (each.kind == PartKind::Operand && in.slice(each).starts_with('%')))) {
      std::string_view value = in.slice(each);
      values.push_back(value.substr(0, value.find_first_of(" :=[,")));
    }
  if (values.empty() || chance(4)) return replaced(in.text, *part, in.slice(*choosePart(in, {part->kind})));
  return replaced(in.text, *part, values[pick(values.size())]);
}

// Wraps one or several consecutive statements in a loop or a branch.
std::optional<std::string> Mutator::wrap(const Parsed &in) {
  const SourcePart *first = chooseStatement(in);
  if (!first) return std::nullopt;
  const SourcePart *last = first;
  for (const SourcePart &part : in.parts)
    if (part.kind == PartKind::Statement && part.parent == first->parent && part.begin > last->begin && chance(2))
      last = &part;
    else if (part.begin > last->end)
      break;
  std::string head =
      chooseFrom(std::vector<std::string>{"for %fz = 0 to 2 {", "for %fz = 0 to 0 {", "for %fz = 1 to 7 step 3 {", "if true {",
                                          "if false {", "if subgroup_id() == 0 {", "if 1 < 2 {\n} else {", "while false {"});
  return withReplacements(in.text, {{{first->begin, first->begin}, head + "\n"}, {{last->end, last->end}, "\n}"}});
}

std::optional<std::string> Mutator::unwrap(const Parsed &in) {
  std::vector<Change> changes = replacementsByInside(in.text, in.parts);
  if (changes.empty()) return std::nullopt;
  return withReplacements(in.text, chooseFrom(changes));
}

// Replaces a part by a part of the same kind from another text, or inserts a statement or an item of that text next to a part
// of its kind.
std::optional<std::string> Mutator::splice(const Parsed &in, const Parsed &from) {
  if (from.parts.empty()) return std::nullopt;
  const SourcePart *line = chance(2) ? choosePart(from, {PartKind::Statement, PartKind::Item}) : nullptr;
  const SourcePart &part = line ? *line : chooseFrom(from.parts);
  const SourcePart *at = choosePart(in, {part.kind});
  if (!at) return std::nullopt;
  bool whole = part.kind == PartKind::Item || part.kind == PartKind::Statement;
  if (whole && chance(2)) return inserted(in.text, at->end, str("\n", from.slice(part)));
  return replaced(in.text, *at, from.slice(part));
}

// Inserts the example of an op, which is a statement.
std::optional<std::string> Mutator::insertExample(const Parsed &in) {
  const SourcePart *at = chooseStatement(in);
  if (!at) return std::nullopt;
  return inserted(in.text, at->end, str("\n", chooseFrom(writtenOps())->example));
}

} // namespace xt::fuzz
