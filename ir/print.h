// Parts of the printer (`print` is declared in ir/module.h): unique names, types spelled with the source's aliases, and the
// spelling of symbols and strings. Create new objects for each dump.
#pragma once
#include "ir/module.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace xt {

// The limit on the nesting of regions and expressions; the parser rejects deeper text.
inline constexpr int kMaxPrintDepth = 2000;

// Unique names for the values of one kernel. A value keeps its own name if that is free; otherwise a number is appended (%acc,
// %acc_1). Values without a name, or whose name is a number, are numbered: %0, %1. If the output is parsed, naming its values
// again gives the same names.
class ValueNames {
public:
  void add(const Value &value);
  // Adds the parameters and results of the block and of all nested blocks, in text order.
  void add(const Block &block);
  // Prints `value` with the name of `other`.
  void share(const Value &value, const Value &other);
  // The name with '%'. A value that was not added is named now.
  const std::string &of(const Value &value);

private:
  std::string pick(const std::string &wanted);
  std::unordered_map<const Value *, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> suffixes_;
  size_t unnamed_ = 0;
};

// Spells types. A layout is spelled as the first alias of the module that stands for it on the type's shape. If there is none
// (or no module), the layout is spelled out.
class TypeNames {
public:
  explicit TypeNames(const Module *module) : module_(module) {}
  const std::string &of(Type type);
  // `type` as if its layout were `layout` (null: no layout is written).
  std::string withLayout(Type type, const Layout *layout);
  // "#mp_b", for an attribute group after an op.
  std::string layoutOf(Type type) { return spell(type, type.layout()).text; }

private:
  struct Spelled {
    std::string text;
    bool spellsOrder = false;
  };
  Spelled spell(Type type, const Layout *layout);
  const Module *module_;
  std::unordered_map<const TypeData *, std::string> texts_; // used for lookup only (no deterministic order)
};

// "@gemm$BM=128"; in quotes if the name is not a plain symbol.
std::string symbolText(std::string_view name);
// "a \"word\"" with its quotes and escapes.
std::string quotedText(std::string_view text);

// The bounds and steps of a kernel's grid variables, outermost first, as `print` writes them: "0", "dim(%A, 0)", "256".
struct GridText {
  std::string lower, upper, step;
};
std::vector<GridText> gridTexts(const Kernel &kernel);
// What the kernel's `requires` states, as `print` writes it: "dim(%B, 0) == dim(%A, 1)".
std::vector<std::string> requirementTexts(const Kernel &kernel);

// Parts of print(const Module &): they append the text of a kernel or of a test to `out`.
void printKernel(std::string &out, const Kernel &kernel, const Module *module);
void printTest(std::string &out, const HostTest &test);

// All aliases that stand for `layout` on the shape of `type` (aliasOf), in the order of the module.
std::vector<const LayoutAlias *> aliasesOf(Context &context, std::span<const LayoutAlias> aliases, Type type,
                                           const Layout *layout);

} // namespace xt
