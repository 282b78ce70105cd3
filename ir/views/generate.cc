// Writes the views of ops from the op table: `generate FOLDER`. One header per file of ir/ops, words.h with the enums of
// attributes that are words, names.h with the names of all attributes, and shared.h for attributes that ops of several kinds
// have. A file whose content stays the same is not written, so that a new row rebuilds only the users of its header.
#include "ir/op_info.h"
#include "ir/op_kinds.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace xt {
namespace {

struct Row {
  std::string_view kind;
  OpInfo info;
};
#define XT_OP(kind_, ...) Row{#kind_, OpInfo{.kind = OpKind::kind_, __VA_ARGS__}},
constexpr Row kScalar[] = {
#include "ir/ops/scalar.def"
};
constexpr Row kStructure[] = {
#include "ir/ops/structure.def"
};
constexpr Row kTile[] = {
#include "ir/ops/tile.def"
};
constexpr Row kXegpu[] = {
#include "ir/ops/xegpu.def"
};
constexpr Row kNest[] = {
#include "ir/ops/nest.def"
};
#undef XT_OP

struct Level {
  const char *name;
  std::span<const Row> rows;
};
constexpr Level kLevels[] = {
    {"scalar", kScalar}, {"structure", kStructure}, {"tile", kTile}, {"xegpu", kXegpu}, {"nest", kNest}};

// "reduction_size" as UpperCamel or lowerCamel.
std::string camel(std::string_view name, bool upper) {
  std::string out;
  for (char c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) {
      upper = !out.empty();
      continue;
    }
    auto byte = static_cast<unsigned char>(c);
    out += static_cast<char>(upper ? std::toupper(byte) : out.empty() ? std::tolower(byte) : byte);
    upper = false;
  }
  return out;
}

std::string accessor(std::string_view name) {
  std::string out = camel(name, false);
  return out == "else" || out == "this" ? out + "_" : out;
}

bool isWord(const AttrSpec &spec) { return spec.kind == AttrKind::Kind || spec.kind == AttrKind::Word; }

// The accessor of a list of one element is in the singular.
std::string accessor(const AttrSpec &spec) {
  std::string out = accessor(spec.name);
  if (spec.length == 1 && out.back() == 's') out.pop_back();
  return out;
}

std::vector<std::string> wordsOf(std::string_view list) {
  std::istringstream in{std::string(list)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

std::string enumOf(const Row &row, const AttrSpec &spec) { return std::string(row.kind) + camel(spec.name, true); }

// The type that an accessor returns, and the function that reads the attribute.
struct Access {
  std::string type, body;
};
Access accessOf(const AttrSpec &spec, bool required, const std::string &word) {
  constexpr const char *kList = "std::vector<int64_t>";
  switch (spec.kind) {
  case AttrKind::Int:
    if (required) return {"int64_t", "views::get<int64_t>"};
    return {"std::optional<int64_t>", "views::integer"};
  case AttrKind::Ints:
    if (spec.length == 1) return {required ? "int64_t" : "std::optional<int64_t>", "views::single"};
    if (required) return {std::string("const ") + kList + " &", std::string("views::get<") + kList + ">"};
    return {std::string("const ") + kList + " *", std::string("views::find<") + kList + ">"};
  case AttrKind::Number: return {required ? "const AttrValue &" : "const AttrValue *", "views::find"};
  case AttrKind::Flag: return {"bool", "views::find"};
  case AttrKind::Text: return {"std::string_view", "views::textOf"};
  case AttrKind::Kind:
  case AttrKind::Word:
    if (word.empty()) return {"std::string_view", "views::textOf"};
    return {required ? word : "std::optional<" + word + ">", "views::word<" + word + ">"};
  case AttrKind::Maps:
  case AttrKind::Words: break; // only composites have them
  }
  return {};
}

void getter(std::ostream &out, const AttrSpec &spec, bool required, const std::string &word) {
  Access access = accessOf(spec, required, word);
  std::string value = access.body + "(*this->op_, \"" + std::string(spec.name) + "\")";
  if (spec.kind == AttrKind::Flag) value += " != nullptr";
  if (required && (spec.kind == AttrKind::Number || spec.length == 1 || !word.empty())) value = "views::present(" + value + ")";
  bool refers = access.type.back() == '&' || access.type.back() == '*';
  out << "  " << access.type << (refers ? "" : " ") << accessor(spec) << "() const { return " << value << "; }\n";
}

void setter(std::ostream &out, const AttrSpec &spec, const std::string &word) {
  std::string name = "set" + camel(accessor(spec), true), type = "AttrValue value", value = "std::move(value)";
  if (spec.kind == AttrKind::Int || spec.length == 1) type = "int64_t value";
  if (spec.kind == AttrKind::Int) value = "value";
  if (spec.kind == AttrKind::Ints) {
    if (spec.length == 1)
      value = "std::vector<int64_t>{value}";
    else
      type = "std::vector<int64_t> value";
  }
  if (spec.kind == AttrKind::Text) type = "std::string value";
  if (isWord(spec)) type = word + " value", value = "std::string(wordText(value))";
  if (spec.kind == AttrKind::Flag) type = "", value = "int64_t{1}";
  out << "  void " << name << "(" << type << (type.empty() ? "" : ", ")
      << "SourceRange range = {}) const { this->op_->setAttr(\"" << spec.name << "\", " << value << ", range); }\n";
}

void view(std::ostream &out, const Row &row) {
  const OpInfo &info = row.info;
  out << "// `" << info.name << "`: " << info.summary << "\n";
  out << "template <class O> class " << row.kind << "Op : public OpView<O> {\npublic:\n";
  out << "  explicit " << row.kind << "Op(O &op) : OpView<O>(op, OpKind::" << row.kind << ") {}\n";
  for (size_t i = 0; i < info.operands.size(); ++i) {
    const OperandSpec &spec = info.operands[i];
    std::string name = accessor(spec.name);
    if (spec.arity == Arity::One) out << "  Value *" << name << "() const { return this->op_->operand(" << i << "); }\n";
    if (spec.arity == Arity::Optional) out << "  Value *" << name << "() const { return this->operandIf(" << i << "); }\n";
    if (spec.arity == Arity::Variadic)
      out << "  std::span<Value *const> " << name << "() const { return this->operandsFrom(" << i << "); }\n";
  }
  for (const AttrSpec &spec : info.attrs) {
    if (spec.restated) continue; // not kept in the IR
    std::string word = isWord(spec) ? enumOf(row, spec) : "";
    getter(out, spec, spec.required, word);
    setter(out, spec, word);
  }
  out << "};\n\n";
}

constexpr const char *kHeader = "// Generated from ir/ops/*.def by ir/views/generate.cc.\n#pragma once\n";

std::string levelHeader(const Level &level) {
  std::ostringstream out;
  out << kHeader
      << "#include \"ir/op_kinds.h\"\n#include \"ir/views/op_view.h\"\n#include \"ir/views/words.h\"\n\nnamespace xt {\n\n";
  for (const Row &row : level.rows) view(out, row);
  out << "} // namespace xt\n";
  return out.str();
}

// Equal lists of words become one enum, named after the first op that has it; the other ops get an alias.
std::string wordsHeader() {
  std::ostringstream out;
  out << kHeader << "#include <cstddef>\n#include <cstdint>\n#include <span>\n#include <string_view>\n\nnamespace xt {\n\n";
  std::map<std::string_view, std::string> named;
  for (const Level &level : kLevels)
    for (const Row &row : level.rows)
      for (const AttrSpec &spec : row.info.attrs) {
        if (!isWord(spec)) continue;
        std::string name = enumOf(row, spec);
        auto [at, isNew] = named.emplace(spec.doc, name);
        if (!isNew) {
          out << "using " << name << " = " << at->second << ";\n";
          continue;
        }
        out << "enum class " << name << " : uint8_t {";
        for (const std::string &word : wordsOf(spec.doc)) out << " " << camel(word, true) << ",";
        out << " };\ninline constexpr std::string_view k" << name << "Words[] = {";
        for (const std::string &word : wordsOf(spec.doc)) out << "\"" << word << "\", ";
        out << "};\nconstexpr std::span<const std::string_view> wordsOf(" << name << ") { return k" << name << "Words; }\n";
      }
  out << "\n} // namespace xt\n";
  return out.str();
}

struct Shared {
  AttrSpec spec;
  std::string word; // the name of the enum; empty if the rows have different enums
  int rows = 0;
};
// All attributes of the table, by name.
std::map<std::string_view, Shared> attributes() {
  std::map<std::string_view, Shared> all;
  for (const Level &level : kLevels)
    for (const Row &row : level.rows)
      for (const AttrSpec &spec : row.info.attrs) {
        auto [at, isNew] = all.emplace(spec.name, Shared{spec, isWord(spec) ? enumOf(row, spec) : "", 0});
        Shared &shared = at->second;
        ++shared.rows;
        if (isWord(spec) && spec.doc != shared.spec.doc) shared.word.clear();
        if (isWord(spec) ? isWord(shared.spec) : spec.kind == shared.spec.kind && spec.length == shared.spec.length) continue;
        std::fprintf(stderr, "the rows of ir/ops disagree on the type of the attribute `%s`\n", std::string(spec.name).c_str());
        std::exit(1);
      }
  return all;
}

std::string namesHeader() {
  std::ostringstream out;
  out << kHeader << "#include <string_view>\n\nnamespace xt::attr_names {\n\n";
  for (const auto &[name, shared] : attributes())
    out << "inline constexpr std::string_view k" << camel(name, true) << " = \"" << name << "\";\n";
  out << "\n} // namespace xt::attr_names\n";
  return out.str();
}

std::string sharedHeader() {
  std::ostringstream out;
  out << kHeader << "#include \"ir/views/op_view.h\"\n#include \"ir/views/words.h\"\n\nnamespace xt {\n\n"
      << "// Attributes that ops of several kinds have, for code that serves all of these kinds. Those of other ops are "
         "absent.\n"
      << "class SharedAttrs {\npublic:\n  explicit SharedAttrs(const Op &op) : op_(&op) {}\n";
  for (const auto &[name, shared] : attributes())
    if (shared.rows > 1 && !shared.spec.restated) getter(out, shared.spec, false, shared.word);
  out << "\nprivate:\n  const Op *op_;\n};\n\n} // namespace xt\n";
  return out.str();
}

bool write(const std::string &path, const std::string &text) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream old;
  old << in.rdbuf();
  if (in && old.str() == text) return true;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) std::fprintf(stderr, "cannot write %s\n", path.c_str());
  return static_cast<bool>(out);
}

} // namespace
} // namespace xt

int main(int argc, char **argv) {
  using namespace xt;
  if (argc != 2) return std::fprintf(stderr, "usage: generate FOLDER\n"), 2;
  std::string folder = std::string(argv[1]) + "/";
  bool ok = write(folder + "words.h", wordsHeader()) && write(folder + "names.h", namesHeader()) &&
            write(folder + "shared.h", sharedHeader());
  for (const Level &level : kLevels) ok = ok && write(folder + level.name + ".h", levelHeader(level));
  return ok ? 0 : 1;
}
