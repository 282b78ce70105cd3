// Rewrites a SPIR-V module instruction by instruction, and replaces some by calls of imported functions.
#pragma once
#include "targets/xe/library/spirv_numbers.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace xt::soft {

class SpirvCalls {
public:
  using Words = std::span<const uint32_t>;
  // A scalar type, or a vector of `count` such elements.
  struct Scalar {
    uint32_t bits = 0;
    bool isFloat = false;
    uint32_t count = 1;
  };

  // The instructions must fill the module (readableSpirv checks it).
  explicit SpirvCalls(std::vector<uint32_t> words);

  // Calls `f` for each instruction of the module.
  template <class F> void eachInstruction(F f) const {
    spirv::eachInstruction(in_, [&](spirv::Opcode, Words words) { f(words); });
  }

  const Scalar *scalar(uint32_t type) const; // null for other types
  uint32_t typeOf(uint32_t value) const; // 0: unknown
  std::optional<uint32_t> constant(uint32_t value) const; // of 32 bits
  uint32_t storageClass(uint32_t pointer) const; // of the type of a pointer
  uint32_t intType() const { return int_; } // the type of integers of 32 bits; 0: the module has none
  uint32_t voidType() const { return void_; }

  // Add an instruction to the result. Instructions must come in the order of the module.
  void keep(Words op);
  // Adds a call of the function with this symbol. Its parameters have the types of the arguments of its first call. `result`: the
  // id of the result; nullopt: a new one.
  void call(const std::string &symbol, uint32_t type, std::optional<uint32_t> result, std::vector<uint32_t> arguments);

  // The rewritten module.
  std::vector<uint32_t> finish();

private:
  struct Function {
    uint32_t id = 0;
    std::vector<uint32_t> parameters; // ids of types
  };

  void learn(Words op);
  static void add(std::vector<uint32_t> &to, uint32_t code, std::initializer_list<Words> operands);
  static void add(std::vector<uint32_t> &to, uint32_t code, std::initializer_list<uint32_t> operands);
  const Function &declared(const std::string &symbol, uint32_t result, const std::vector<uint32_t> &arguments);

  std::vector<uint32_t> in_, out_, declaredTypes_, declarations_, decorations_;
  size_t types_ = 0, functions_ = 0; // where the types and the functions begin in `out_`
  uint32_t bound_, void_ = 0, int_ = 0;
  std::map<uint32_t, Scalar> scalars_; // by id of the type
  std::set<uint32_t> typeIds_;
  std::map<uint32_t, uint32_t> pointers_; // storage classes, by id of the type
  std::map<uint32_t, uint32_t> typeOf_, constants_; // by id of the value
  std::map<std::string, Function> declared_;
};

} // namespace xt::soft
