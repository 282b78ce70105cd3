#include "ir/print.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// What the lexer takes after '%': a letter or '_', then letters, digits and '_'.
std::string identifier(std::string_view name) {
  std::string text(name);
  for (char &c : text)
    if (!isLetter(c) && !isDigit(c)) c = '_';
  return !text.empty() && isDigit(text[0]) ? "_" + text : text;
}

} // namespace

std::string ValueNames::pick(const std::string &wanted) {
  if (taken_.insert(wanted).second) return wanted;
  // The last number that was tried is kept, so that many values of one name stay linear.
  for (size_t &suffix = suffixes_[wanted];;) {
    std::string candidate = str(wanted, "_", ++suffix);
    if (taken_.insert(candidate).second) return candidate;
  }
}

void ValueNames::add(const Value &value) {
  const std::string &own = value.name();
  bool unnamed = std::all_of(own.begin(), own.end(), isDigit);
  std::string name = unnamed ? str(unnamed_++) : pick(identifier(own));
  names_.insert_or_assign(&value, "%" + name);
}

void ValueNames::add(const Block &block) {
  for (const auto &param : block.params()) add(*param);
  for (const Op &op : block) {
    for (size_t i = 0; i < op.resultCount(); ++i) add(*op.result(i));
    for (size_t i = 0; i < op.regionCount(); ++i) add(*op.region(i));
  }
}

void ValueNames::share(const Value &value, const Value &other) { names_.insert_or_assign(&value, of(other)); }

const std::string &ValueNames::of(const Value &value) {
  auto found = names_.find(&value);
  if (found != names_.end()) return found->second;
  add(value);
  return names_.at(&value);
}

std::string symbolText(std::string_view name) {
  auto plain = [](char c) { return isLetter(c) || isDigit(c) || c == '.' || c == '$' || c == '=' || c == ',' || c == '-'; };
  bool bare = !name.empty() && isLetter(name[0]) && std::all_of(name.begin(), name.end(), plain) &&
              (isLetter(name.back()) || isDigit(name.back()));
  return bare ? str("@", name) : "@" + quotedText(name);
}

std::string quotedText(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    switch (c) {
    case '"': quoted += "\\\""; break;
    case '\\': quoted += "\\\\"; break;
    case '\n': quoted += "\\n"; break;
    case '\r': quoted += "\\r"; break;
    case '\t': quoted += "\\t"; break;
    default: quoted += c;
    }
  }
  return quoted + "\"";
}

const std::string &TypeNames::of(Type type) {
  static const std::string unknown = "<unknown>";
  if (!type) return unknown;
  auto found = texts_.find(&type.data());
  if (found != texts_.end()) return found->second;
  return texts_.emplace(&type.data(), withLayout(type, type.layout())).first->second;
}

std::string TypeNames::withLayout(Type type, const Layout *layout) {
  Spelled spelled = spell(type, layout);
  return typeText(type, spelled.text, spelled.spellsOrder);
}

TypeNames::Spelled TypeNames::spell(Type type, const Layout *layout) {
  if (!layout) return {};
  if (!module_) return {layout->text(), false};
  for (const LayoutAlias &alias : module_->aliases) {
    // An alias that says an order is a tile's attribute, and has to say this tile's.
    if (alias.order && (!type.isTile() || *alias.order != type.data().order)) continue;
    LayoutOrError made = makeLayout(module_->context(), alias.spec, type.shape());
    if (const Layout *const *fits = std::get_if<const Layout *>(&made); fits && *fits == layout)
      return {"#" + alias.name, alias.order.has_value()};
  }
  return {layout->text(), false};
}

} // namespace xt
