#include "targets/cpu/ahead/library_source.h"

#include "ir/base/text.h"
#include "ir/effects.h"
#include "ir/elem_kinds.h"
#include "targets/cpu/ahead/c_names.h"

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
  return str("@", kernel.name, "(", join(parameters, ", "), ")");
}

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

std::string number(int64_t value) { return value == kDynamic ? "XTRT_DYNAMIC" : str("INT64_C(", value, ")"); }

std::string numbers(std::span<const int64_t> values) {
  std::vector<std::string> all;
  for (int64_t value : values) all.push_back(number(value));
  return all.empty() ? "0" : join(all, ", ");
}

// The initializer of an xtrt_code.
std::string codeText(const KernelCode &code, size_t frameBytes, bool failures) {
  int64_t shared = 0;
  for (size_t d = 0; d < code.output.sharedDims.size(); ++d) shared |= int64_t{code.output.sharedDims[d]} << d;
  return str("{", code.symbol, ", ", code.output.numbers.empty() ? "0" : numbersName(code), ", ", code.scratchBytes, ", ",
             code.output.usesFibers ? code.fibers : 0, ", ", code.lanes, ", ", code.slmBytes, ", ", frameBytes, ", ",
             code.output.mostParts, ", ", code.output.partsAreCheap ? 1 : 0, ", ", shared, ", ",
             code.output.sharedDims.empty() ? 0 : 1, ", ", failures ? code.symbol + "_failures" : "0", ", ",
             failures ? code.output.failures.size() : 0, "}");
}

void declare(std::string &out, const KernelCode &code) {
  out += str("extern void ", code.symbol, "(const uint64_t *, int64_t, int64_t, void *);\n");
  if (!code.output.numbers.empty()) out += str("extern const int64_t ", numbersName(code), "[];\n");
}

void addFailures(std::string &out, const KernelCode &code) {
  if (code.output.failures.empty()) return;
  out += str("static const char *const ", code.symbol, "_failures[] = {\n");
  for (const Failure &failure : code.output.failures) out += str("  ", cString(failure.message), ",\n");
  out += "};\n";
}

// `table` begins the names of the kernel's tables.
std::string parameterTable(const Kernel &kernel, const std::string &table) {
  std::string shapes, rows;
  std::vector<bool> writes = kernelEffects(kernel).writes;
  for (size_t i = 0; i < kernel.paramCount; ++i) {
    Type type = kernel.param(i)->type();
    if (!type.isMemRef()) {
      rows += str("  {", cString(kernel.param(i)->name()), ", -1, 0, 0, 0, 0},\n");
      continue;
    }
    std::string of = str(table, "_", i);
    shapes += str("static const int64_t ", of, "_shape[] = {", numbers(type.shape()), "}, ", of, "_strides[] = {",
                  numbers(memrefStrides(type)), "};\n");
    rows += str("  {", cString(kernel.param(i)->name()), ", ", type.rank(), ", ", elemInfo(type.elem()).storageBytes, ", ",
                writes[i] ? 1 : 0, ", ", of, "_shape, ", of, "_strides},\n");
  }
  if (rows.empty()) rows = "  {0, -1, 0, 0, 0, 0},\n"; // an array in C has an element
  return str(shapes, "static const xtrt_parameter ", table, "_parameters[] = {\n", rows, "};\n");
}

// The function that users call.
std::string functionText(const LibraryNames &names, const Kernel &kernel, const std::string &table) {
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
  return out + str("  return xtrt_launch(&", table, "_kernel, xtrt_arguments, message, message_bytes);\n}\n");
}

} // namespace

std::string functionName(const LibraryNames &names, const Kernel &kernel) {
  return names.name + "_" + cIdentifier(kernel.name);
}

bool isVariant(const Kernel &kernel) { return kernel.name.find('$') != std::string::npos; }

Result<void> checkFunctionNames(const Module &module, const LibraryNames &names) {
  std::map<std::string, std::string> functions = {{names.name + "_set_threads", ""}}; // and the kernels that they launch
  for (const auto &kernel : module.kernels) {
    if (isVariant(*kernel)) continue;
    std::string function = functionName(names, *kernel);
    auto [other, isNew] = functions.insert({function, kernel->name});
    if (isNew) continue;
    std::string of = other->second.empty() ? "which sets the number of threads" : str("that of @", other->second);
    return Error::environment(
        str("@", kernel->name, " cannot be in the library ", names.name, ": its function would be ", function, ", ", of),
        kernel->nameRange);
  }
  return {};
}

namespace {

// The table that begins with xtrt_k and the number of the kernel, as no function of a library does.
std::string tableName(size_t kernel) { return str("xtrt_k", kernel); }

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

// The tables of a kernel's code.
std::string kernelTables(const LibraryCode &code, const Kernel &kernel, size_t k, size_t &grids) {
  const std::string table = tableName(k);
  std::string out, levels;
  const KernelCode *grid = kernel.grid.empty() ? nullptr : &code.grids.kernels[grids++];
  if (grid) {
    declare(out, *grid);
    out += str("static const xtrt_code ", table, "_grid = ", codeText(*grid, code.grids.frameBytes, false), ";\n");
  }
  for (const ObjectCode &level : code.levels) {
    declare(out, level.kernels[k]);
    addFailures(out, level.kernels[k]);
    levels += str("  ", codeText(level.kernels[k], level.frameBytes, !level.kernels[k].output.failures.empty()), ",\n");
  }
  return out + str("static const xtrt_code ", table, "_levels[XTRT_LEVELS] = {\n", levels, "};\n") +
         parameterTable(kernel, table);
}

} // namespace

std::string librarySource(const Module &module, const LibraryCode &code, const LibraryNames &names) {
  std::string out = "#include <xtrt.h>\n#include \"" + names.name + ".h\"\n", functions;
  size_t grids = 0;
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    out += kernelTables(code, *module.kernels[k], k, grids);
    out += str("static const xtrt_kernel ", tableName(k), "_kernel;\n");
  }
  for (size_t k = 0; k < module.kernels.size(); ++k) {
    const Kernel &kernel = *module.kernels[k];
    const std::string table = tableName(k);
    size_t variants = 0;
    out += variantTables(module, names, kernel, table, variants);
    const std::string name = kernel.name.substr(0, kernel.name.find('$'));
    out += str("static const xtrt_kernel ", table, "_kernel = {", cString("@" + name), ", ", table, "_parameters, ",
               kernel.paramCount, ", ", kernel.grid.size(), ", ", kernel.grid.empty() ? "0" : "&" + table + "_grid", ", ",
               table, "_levels, ", variants ? table + "_variants" : "0", ", ", variants, "};\n");
    if (!isVariant(kernel)) functions += functionText(names, kernel, table);
  }
  return out + functions +
         str("__attribute__((visibility(\"default\"))) void ", names.name,
             "_set_threads(int threads) { xtrt_set_threads(threads); }\n");
}

std::string libraryHeader(const Module &module, const LibraryNames &names) {
  std::string guard = "XT_LIBRARY_" + names.name + "_H";
  std::string out = str("/* Kernels of ", names.source, ", compiled ahead of time by ", names.maker, R"(.
 *
 * Link with lib)",
                        names.name, ".so, or with lib", names.name,
                        R"(.a and -lm -lpthread. Each function runs a kernel and waits for the end. It
 * returns 0, or a status: 1 if an argument is wrong (nothing has run then), 5 if a check of the kernel failed, 6 if there is no
 * memory. `message` receives what is wrong, cut to `message_bytes` bytes with a zero byte at the end; it may be NULL.
 *
 * An array is the address of element [0, ..., 0], extents, and strides in elements, which are not negative. The memory is the
 * caller's, is not copied, and must exist during the call. Types of 16 and 8 bits that C lacks are passed as their bits.
 *
 * The functions may be called by several threads at once: launches run one after another, each on all threads of the library.
 * The code is chosen for the processor at the first launch: )",
                        join(kCodeLevels, ", "), R"(; the environment
 * variable XT_CODE_LEVEL limits it. */
)",
                        "#ifndef ", guard, "\n#define ", guard,
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
  out += str("/* The number of threads that run later launches, with the calling one; 0: one per processor. Waits for "
             "launches. */\nvoid ",
             names.name, "_set_threads(int threads);\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
  return out;
}

} // namespace xt
