// Pieces of the printer (print itself is declared in ir/module.h): names that are unique, types that speak the source's
// aliases, and the spelling of symbols and strings. One object of each serves one dump.
#pragma once
#include "ir/module.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace xt {

// Regions and expressions nest no deeper than this; the parser refuses deeper text.
inline constexpr int kMaxPrintDepth = 2000;

// Unique names of the values of one kernel. A value keeps its own name where that is free, else gets a number behind it
// (%acc, %acc_1); values without a name, or whose name is a number, are counted: %0, %1. Naming what was printed gives
// the same names again.
class ValueNames {
public:
  void add(const Value &value);
  // Parameters and results of the block and of all blocks in it, in the order of the text.
  void add(const Block &block);
  // `value` is spelled like `other`, which has a name.
  void share(const Value &value, const Value &other);
  // With '%'. A value that was not added is named now.
  const std::string &of(const Value &value);

private:
  std::string pick(const std::string &wanted);
  std::unordered_map<const Value *, std::string> names_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, size_t> suffixes_;
  size_t unnamed_ = 0;
};

// Spells types. Of the module's aliases the first that owns alike on the type's shape is used; without one (or without
// a module) the layout is spelled out.
class TypeNames {
public:
  explicit TypeNames(const Module *module) : module_(module) {}
  const std::string &of(Type type);
  // `type` as if its layout were `layout` (null: none written).
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
  std::unordered_map<const TypeData *, std::string> texts_; // only to find: its order is never used
};

// "@gemm$BM=128"; in quotes where the name is not a plain one.
std::string symbolText(std::string_view name);
// "a \"word\"" with its quotes and escapes.
std::string quotedText(std::string_view text);

// Parts of print(Module).
void printKernel(std::string &out, const Kernel &kernel, const Module *module);
void printTest(std::string &out, const HostTest &test);

} // namespace xt
