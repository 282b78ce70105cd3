#include "targets/ahead/library_text.h"

#include "ir/base/text.h"
#include "ir/effects.h"
#include "ir/elem_kinds.h"
#include "ir/print.h"
#include "targets/ahead/c_names.h"

#include <algorithm>
#include <map>
#include <set>

namespace xt {
namespace {

// The C type of an element in memory. Those of floats that C lacks hold their bits.
std::string_view elementType(Elem elem) {
  switch (elem) {
  case Elem::I1:
  case Elem::U8:
  case Elem::F8E4M3:
  case Elem::F8E5M2:
  case Elem::U4:
  case Elem::F4E2M1:
  case Elem::F8E8M0: return "uint8_t";
  case Elem::I4:
  case Elem::I8: return "int8_t";
  case Elem::I16: return "int16_t";
  case Elem::I32: return "int32_t";
  case Elem::I64:
  case Elem::Index: return "int64_t";
  case Elem::U16:
  case Elem::F16:
  case Elem::BF16: return "uint16_t";
  case Elem::U32: return "uint32_t";
  case Elem::U64: return "uint64_t";
  case Elem::F64: return "double";
  case Elem::F32:
  case Elem::TF32: return "float";
  }
  XT_UNREACHABLE("element type");
}

std::string arrayType(Type type) { return str("xt_array_", type.rank(), "_", elemName(type.elem())); }

std::string parameterType(Type type) {
  return type.isMemRef() ? str("const ", arrayType(type), " *") : str(elementType(type.elem()), " ");
}

// "int gemm_gemm(const xt_array_2_f32 *A, …, char *message, size_t message_bytes)"
std::string prototype(const LibraryNames &names, const Kernel &kernel) {
  std::string out = str("int ", functionName(names, kernel), "(");
  std::vector<std::string> parameters = cParameterNames(kernel);
  for (size_t i = 0; i < kernel.paramCount; ++i) out += str(parameterType(kernel.param(i)->type()), parameters[i], ", ");
  return out + "char *message, size_t message_bytes)";
}

std::string signatureText(const Kernel &kernel) {
  std::vector<std::string> parameters;
  for (size_t i = 0; i < kernel.paramCount; ++i)
    parameters.push_back(str("%", kernel.param(i)->name(), ": ", typeText(kernel.param(i)->type())));
  std::vector<std::string> required = requirementTexts(kernel);
  return str("@", kernel.name, "(", join(parameters, ", "), ")",
             required.empty() ? "" : str(" requires (", join(required, ", "), ")"));
}

std::string number(int64_t value) { return value == kDynamic ? "XTRT_DYNAMIC" : str("INT64_C(", value, ")"); }

} // namespace

std::string cString(std::string_view text) {
  static constexpr char kDigits[] = "01234567";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 32 && byte < 127 && c != '"' && c != '\\' && c != '?')
      out += c;
    else
      for (int shift : {9, 6, 3, 0}) out += shift == 9 ? '\\' : kDigits[(byte >> shift) & 7];
  }
  return out + "\"";
}

std::string numbers(std::span<const int64_t> values) {
  std::vector<std::string> all;
  for (int64_t value : values) all.push_back(number(value));
  return all.empty() ? "0" : join(all, ", ");
}

std::string tableName(size_t kernel) { return str("xtrt_k", kernel); }

namespace {

// `table` begins the names of the kernel's tables.
std::string parameterTable(const Kernel &kernel, const std::string &table) {
  std::string shapes, rows;
  std::vector<bool> writes = kernelEffects(kernel).writes;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    if (!type.isMemRef()) {
      rows += str("  {", cString(kernel.param(i)->name()), ", -1, ", static_cast<int>(type.elem()), ", 0, 0, 0, 0},\n");
      continue;
    }
    std::string of = str(table, "_", i);
    shapes += str("static const int64_t ", of, "_shape[] = {", numbers(type.shape()), "}, ", of, "_strides[] = {",
                  numbers(memrefStrides(type)), "};\n");
    rows += str("  {", cString(kernel.param(i)->name()), ", ", type.rank(), ", ", static_cast<int>(type.elem()), ", ",
                elemInfo(type.elem()).storageBytes, ", ", writes[i] ? 1 : 0, ", ", of, "_shape, ", of, "_strides},\n");
  }
  if (rows.empty()) rows = "  {0, -1, 0, 0, 0, 0, 0},\n"; // an array in C has an element
  return str(shapes, "static const xtrt_parameter ", table, "_parameters[] = {\n", rows, "};\n");
}

// The function that users call.
std::string functionText(const LibraryNames &names, const Kernel &kernel, const std::string &table, const std::string &launch) {
  std::string out = str("__attribute__((visibility(\"default\"))) ", prototype(names, kernel), " {\n"), list;
  std::vector<std::string> parameters = cParameterNames(kernel);
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    const std::string &name = parameters[i];
    Type type = kernel.param(i)->type();
    if (type.isMemRef()) {
      list += str(i ? ", " : "", name);
      continue;
    }
    list += str(i ? ", " : "", "&xtrt_word", i);
    if (elementType(type.elem()) == "float" || elementType(type.elem()) == "double")
      out += str("  uint64_t xtrt_word", i, " = 0;\n  __builtin_memcpy(&xtrt_word", i, ", &", name, ", sizeof ", name, ");\n");
    else
      out += str("  const uint64_t xtrt_word", i, " = (uint64_t)", name, ";\n");
  }
  out += str("  const xtrt_argument xtrt_arguments[] = {", list.empty() ? "0" : list, "};\n");
  return out + str("  return ", launch, "&", table, "_kernel, xtrt_arguments, message, message_bytes);\n}\n");
}

} // namespace

std::string functionName(const LibraryNames &names, const Kernel &kernel) {
  return names.name + "_" + cIdentifier(kernel.name);
}

bool isVariant(const Kernel &kernel) { return kernel.name.find('$') != std::string::npos; }

Result<void> checkFunctionNames(const Module &module, const LibraryNames &names, const LibraryForm &form) {
  std::map<std::string, std::string> functions; // and what they do
  for (const OwnFunction &own : form.functions) functions.insert({own.name, own.what});
  for (const auto &kernel : module.kernels) {
    if (isVariant(*kernel)) continue;
    std::string function = functionName(names, *kernel);
    auto [other, isNew] = functions.insert({function, str("that of @", kernel->name)});
    if (isNew) continue;
    return Error::environment(str("@", kernel->name, " cannot be in the library ", names.name, ": its function would be ",
                                  function, ", ", other->second),
                              kernel->nameRange);
  }
  return {};
}

namespace {

// The tables of the kernels that serve launches of some sizes, and of these sizes; "" if there are none.
std::string variantTables(const Module &module, const LibraryNames &names, const Kernel &kernel, const std::string &table,
                          size_t &count) {
  std::vector<std::string> rows;
  std::string sizes;
  for (const LibraryVariant &variant : names.variants) {
    if (variant.kernel != kernel.name) continue;
    auto of = std::ranges::find(module.kernels, variant.name, [](const auto &other) { return other->name; });
    XT_CHECK(of != module.kernels.end(), "a variant is a kernel of the module");
    std::vector<int64_t> extents;
    for (const auto &array : variant.arrays) extents.insert(extents.end(), array.begin(), array.end());
    std::string own = str(table, "_sizes", rows.size());
    sizes += str("static const int64_t ", own, "[] = {", numbers(extents), "};\n");
    rows.push_back(
        str("  {&", tableName(static_cast<size_t>(of - module.kernels.begin())), "_kernel, ", own, ", ", extents.size(), "}"));
  }
  count = rows.size();
  return rows.empty() ? "" : str(sizes, "static const xtrt_variant ", table, "_variants[] = {\n", join(rows, ",\n"), "\n};\n");
}

std::string requirementTable(const Kernel &kernel, const std::string &table) {
  if (kernel.requirements.empty()) return "";
  std::string rows;
  const std::vector<std::string> texts = requirementTexts(kernel);
  for (size_t i = 0; i < texts.size(); ++i)
    rows += str("  {", cString(texts[i]), ", ", comparesIndices(*kernel.requirements[i].condition) ? 1 : 0, "},\n");
  return str("static const xtrt_requirement ", table, "_requirements[] = {\n", rows, "};\n");
}

} // namespace

std::string librarySource(const Module &module, const LibraryNames &names, const LibraryForm &form,
                          std::span<const KernelTables> tables) {
  std::string out = "#include <xtrt.h>\n#include \"" + names.name + ".h\"\n", functions;
  for (size_t k = 0; k < module.kernels.size(); ++k)
    out += str(tables[k].definitions, parameterTable(*module.kernels[k], tableName(k)), "static const xtrt_kernel ",
               tableName(k), "_kernel;\n");
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    const Kernel &kernel = *module.kernels[k];
    const std::string table = tableName(k);
    size_t variants = 0;
    out += variantTables(module, names, kernel, table, variants);
    out += requirementTable(kernel, table);
    const std::string name = kernel.name.substr(0, kernel.name.find('$'));
    out += str("static const xtrt_kernel ", table, "_kernel = {", cString("@" + name), ", ", table, "_parameters, ",
               kernel.paramCount, ", ", kernel.grid.size(), ", ", tables[k].header, ", ", tables[k].levels, ", ",
               variants ? table + "_variants" : "0", ", ", variants, ", ",
               kernel.requirements.empty() ? "0" : table + "_requirements", ", ", kernel.requirements.size(), "};\n");
    if (!isVariant(kernel)) functions += functionText(names, kernel, table, form.launch);
  }
  return out + form.definitions + functions;
}

std::string libraryHeader(const Module &module, const LibraryNames &names, const LibraryForm &form) {
  std::string guard = "XT_LIBRARY_" + names.name + "_H";
  std::string out = str("/* Kernels of ", names.source, ", compiled ahead of time by ", names.maker, ".\n *\n",
                        form.description, " */\n#ifndef ", guard, "\n#define ", guard,
                        "\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
  std::set<std::string> declared;
  for (const auto &kernel : module.kernels)
    for (size_t i = 0; i < kernel->paramCount; ++i) { // variants have the types of the kernels that they replace
      Type type = kernel->param(i)->type();
      std::string name = type.isMemRef() ? arrayType(type) : "";
      if (name.empty() || !declared.insert(name).second) continue;
      std::string rest = type.rank() > 0 ? str("\n  int64_t sizes[", type.rank(), "], strides[", type.rank(), "];") : "";
      out += str("#ifndef ", name, "_defined\n#define ", name, "_defined\ntypedef struct ", name, " {\n  ",
                 elementType(type.elem()), " *data;", rest, "\n} ", name, ";\n#endif\n\n");
    }
  for (const auto &kernel : module.kernels)
    if (!isVariant(*kernel)) out += str("/* ", signatureText(*kernel), " */\n", prototype(names, *kernel), ";\n\n");
  for (const OwnFunction &own : form.functions) out += str(own.declaration, "\n\n");
  return out + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

} // namespace xt
