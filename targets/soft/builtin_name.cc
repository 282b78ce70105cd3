#include "targets/soft/builtin_name.h"

#include <llvm/Demangle/Demangle.h>

#include <cstdlib>

namespace xt::soft {
namespace {

// Splits "(float vector[8], int, void*)" at its commas.
std::vector<std::string> splitParameters(std::string_view text) {
  std::vector<std::string> parts;
  if (text.size() < 2) return parts;
  text = text.substr(1, text.size() - 2);
  if (text.empty() || text == "void") return parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    depth += (c == '(' || c == '<' || c == '[') - (c == ')' || c == '>' || c == ']');
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
    } else if (c != ' ' || !part.empty()) {
      part += c;
    }
  }
  parts.push_back(part);
  return parts;
}

struct Buffer {
  char *data = nullptr;
  size_t bytes = 0;
  ~Buffer() { std::free(data); } // the demangler has allocated it by malloc or realloc
};

} // namespace

BuiltinName builtinName(std::string_view symbol) {
  BuiltinName result;
  result.name = symbol;
  llvm::ItaniumPartialDemangler demangler;
  std::string terminated(symbol);
  Buffer buffer;
  if (symbol.starts_with("_Z") && !demangler.partialDemangle(terminated.c_str()) && demangler.isFunction()) {
    if (char *text = demangler.getFunctionBaseName(buffer.data, &buffer.bytes)) {
      buffer.data = text;
      result.name = text;
    }
    if (char *text = demangler.getFunctionParameters(buffer.data, &buffer.bytes)) {
      buffer.data = text;
      result.parameters = splitParameters(text);
    }
  }
  if (size_t at = result.name.find("_R"); result.name.starts_with("__spirv_") && at != std::string::npos) {
    result.resultSuffix = result.name.substr(at + 2);
    result.name.resize(at);
  }
  return result;
}

NamedType namedType(std::string_view scalar) {
  struct Row {
    std::string_view name;
    NamedType type;
  };
  static constexpr Row kRows[] = {
      {"char", {8, false, true}},     {"signed char", {8, false, true}}, {"unsigned char", {8, false, false}},
      {"uchar", {8, false, false}},   {"short", {16, false, true}},      {"unsigned short", {16, false, false}},
      {"ushort", {16, false, false}}, {"int", {32, false, true}},        {"unsigned int", {32, false, false}},
      {"uint", {32, false, false}},   {"long", {64, false, true}},       {"unsigned long", {64, false, false}},
      {"ulong", {64, false, false}},  {"long long", {64, false, true}},  {"unsigned long long", {64, false, false}},
      {"half", {16, true, true}},     {"_Float16", {16, true, true}},    {"float", {32, true, true}},
      {"double", {64, true, true}},   {"bool", {1, false, false}},
  };
  for (const Row &row : kRows)
    if (row.name == scalar) return row.type;
  return {};
}

std::string_view scalarOf(std::string_view type) {
  size_t end = type.find_first_of("*[");
  type = type.substr(0, end);
  if (size_t vector = type.find(" vector"); vector != std::string_view::npos) type = type.substr(0, vector);
  for (std::string_view qualifier : {" AS0", " AS1", " AS2", " AS3", " AS4", " const", " volatile"})
    if (size_t at = type.find(qualifier); at != std::string_view::npos) type = type.substr(0, at);
  while (type.ends_with(' ')) type.remove_suffix(1);
  return type;
}

int takeNumber(std::string_view &text) {
  int number = -1;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9' && number < 100000) {
    number = (number < 0 ? 0 : number) * 10 + (text[0] - '0');
    text.remove_prefix(1);
  }
  return number;
}

bool takePrefix(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

} // namespace xt::soft
