#include "ir/print.h"

#include "ir/base/text.h"

#include <algorithm>

namespace xt {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool isName(char c) { return isLetter(c) || isDigit(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80; }

// Replaces characters that names cannot contain. Names come from the lexer, except for the '#' in names of values made by a
// shorthand (%x:2).
std::string identifier(std::string_view name) {
  std::string text(name);
  for (char &c : text)
    if (!isName(c)) c = '_';
  return text;
}

// SYMBOL of grammar/XtLexer.g4: a name, then $PARAM=value for each parameter.
bool isPlainSymbol(std::string_view name) {
  size_t i = 0;
  auto run = [&](auto &&accepts) {
    size_t from = i;
    while (i < name.size() && accepts(name[i])) ++i;
    return i > from;
  };
  auto word = [](char c) { return isLetter(c) || isDigit(c); };
  if (name.empty() || isDigit(name[0]) || name[0] == '.' || !run(isName)) return false;
  while (i < name.size()) {
    if (name[i++] != '$' || i == name.size() || isDigit(name[i]) || !run(word)) return false;
    if (i == name.size() || name[i++] != '=') return false;
    if (!run([&](char c) { return word(c) || c == '.' || c == '-'; })) return false;
  }
  return true;
}

} // namespace

std::string ValueNames::pick(const std::string &wanted) {
  if (taken_.insert(wanted).second) return wanted;
  // The last suffix tried is kept, so that naming many values with the same name takes linear time.
  for (size_t &suffix = suffixes_[wanted];;) {
    std::string candidate = str(wanted, "_", ++suffix);
    if (taken_.insert(candidate).second) return candidate;
  }
}

void ValueNames::add(const Value &value) {
  const std::string &own = value.name();
  bool unnamed = std::all_of(own.begin(), own.end(), isDigit);
  std::string name = unnamed ? std::to_string(unnamed_++) : pick(identifier(own));
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

std::string symbolText(std::string_view name) { return isPlainSymbol(name) ? str("@", name) : "@" + quotedText(name); }

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

namespace {

bool stands(Context &context, const LayoutAlias &alias, Type type, const Layout *layout) {
  if (alias.order && (!type.isTile() || *alias.order != type.data().order)) return false;
  LayoutOrError made = makeLayout(context, alias.spec, type.shape());
  const Layout *const *fits = std::get_if<const Layout *>(&made);
  return fits && *fits == layout;
}

} // namespace

const LayoutAlias *aliasOf(Context &context, std::span<const LayoutAlias> aliases, Type type, const Layout *layout) {
  auto found = std::ranges::find_if(aliases, [&](const LayoutAlias &alias) { return stands(context, alias, type, layout); });
  return found == aliases.end() ? nullptr : &*found;
}

std::vector<const LayoutAlias *> aliasesOf(Context &context, std::span<const LayoutAlias> aliases, Type type,
                                           const Layout *layout) {
  std::vector<const LayoutAlias *> all;
  for (const LayoutAlias &alias : aliases)
    if (stands(context, alias, type, layout)) all.push_back(&alias);
  return all;
}

TypeNames::Spelled TypeNames::spell(Type type, const Layout *layout) {
  if (!layout) return {};
  if (!module_) return {layout->text(), false};
  if (const LayoutAlias *alias = aliasOf(module_->context(), module_->aliases, type, layout))
    return {"#" + alias->name, alias->order.has_value()};
  return {layout->text(), false};
}

} // namespace xt
