#include "targets/soft/extension_calls.h"

#include "ir/base/text.h"
#include "targets/soft/matrix_calls.h"
#include "targets/soft/spirv_calls.h"
#include "targets/xe/library/mangled_symbol.h"
#include "targets/xe/library/spirv_numbers.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace xt::soft {
namespace {

using namespace spirv;

// The element types of a product's operands, with the bits of the instruction's mask that stand for the type of operand `a`,
// and of operand `b`.
struct OperandType {
  uint32_t ofA, ofB;
  std::string_view name;
  bool isUnsigned = false;
};
constexpr uint32_t kSignedA = 0x1, kSignedB = 0x2, kSumBits = 0x4 | 0x8; // kSumBits: the sum has bf16
constexpr OperandType kOperandTypes[] = {{0x10 | kSignedA, 0x20 | kSignedB, "i8"},
                                         {0x10, 0x20, "u8", true},
                                         {0x100, 0x200, "tf32"},
                                         {0x400, 0x800, "f16"},
                                         {0x1000, 0x2000, "bf16"}};

using Words = SpirvCalls::Words;

bool isIntelOp(uint32_t code) {
  return code >= OpSubgroup2DBlockLoadINTEL && code <= OpSubgroupMatrixMultiplyAccumulateINTEL &&
         code != CapabilitySubgroupMatrixMultiplyAccumulateINTEL;
}

bool isOfIntelExtension(Words op) {
  uint32_t code = opcodeOf(op[0]);
  if (code == OpCapability && op.size() > 1)
    return (op[1] >= CapabilitySubgroup2DBlockIOINTEL && op[1] <= CapabilitySubgroup2DBlockTransposeINTEL) ||
           op[1] == CapabilitySubgroupMatrixMultiplyAccumulateINTEL;
  if (code != OpExtension) return false;
  std::string_view name = literal(op.subspan(1));
  return name == "SPV_INTEL_2d_block_io" || name == "SPV_INTEL_subgroup_matrix_multiply_accumulate";
}

// Replaces the instructions of Intel's extensions.
class IntelCalls {
public:
  explicit IntelCalls(SpirvCalls &module) : module_(module) {}

  // Takes an instruction and returns true if it is one of the extensions.
  bool take(Words op) {
    uint32_t code = opcodeOf(op[0]);
    if (!isIntelOp(code)) return isOfIntelExtension(op);
    if (!(code == OpSubgroupMatrixMultiplyAccumulateINTEL ? product(op) : block(code, op)) && problem_.empty())
      problem_ = str("the SPIR-V instruction ", code, " has sizes or types that no ",
                     code == OpSubgroupMatrixMultiplyAccumulateINTEL ? "product of matrices" : "2D block message", " has");
    return true;
  }
  const std::string &problem() const { return problem_; }

private:
  bool block(uint32_t code, Words op) {
    static constexpr std::string_view kKinds[] = {"read", "read_transform", "read_transpose", "prefetch", "write"};
    std::string_view kind = kKinds[code - OpSubgroup2DBlockLoadINTEL];
    bool moves = kind != "prefetch";
    if (op.size() != (moves ? 11u : 10u)) return false;
    uint32_t sizes[4]; // bytes of an element, columns, rows, blocks
    for (size_t i = 0; i < 4; ++i) {
      std::optional<uint32_t> size = module_.constant(op[1 + i]);
      if (!size || *size > 256) return false;
      sizes[i] = *size;
    }
    std::vector<uint32_t> arguments(op.begin() + 5, op.end());
    if (code == OpSubgroup2DBlockStoreINTEL)
      std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end()); // the lane's memory comes last
    std::vector<std::string> parameters = {"PU3AS1v", "i", "i", "i", "Dv2_i"};
    // A word of the lane's memory holds one element, or the elements of a row that belong to one of the 16 lanes,
    // whichever is larger. Words of a transformed block have 32 bits.
    uint32_t bits = 8 * sizes[0], word = kind == "read_transform" ? 32 : std::max(bits, sizes[1] * bits / 16);
    if (moves) parameters.emplace_back(word == 8 ? "Ph" : word == 16 ? "Pt" : word == 32 ? "Pj" : "Pm");
    module_.call(
        mangledSymbol(str("intel_sub_group_2d_block_", kind, "_", bits, "b_", sizes[2], "r", sizes[1], "x", sizes[3], "c"),
                      parameters),
        module_.voidType(), std::nullopt, arguments);
    return true;
  }

  // A type of the module as a function's symbol spells it: "Dv8_s".
  std::optional<std::string> mangled(uint32_t type, bool isUnsigned) const {
    const SpirvCalls::Scalar *found = module_.scalar(type);
    if (!found) return std::nullopt;
    const SpirvCalls::Scalar &s = *found;
    std::string letter = s.isFloat      ? (s.bits == 16 ? "Dh" : "f")
                         : s.bits == 16 ? (isUnsigned ? "t" : "s")
                                        : (isUnsigned ? "j" : "i");
    return s.count == 1 ? letter : str("Dv", s.count, "_", letter);
  }

  bool product(Words op) {
    if (op.size() < 7 || !module_.constant(op[3])) return false;
    uint32_t mask = op.size() > 7 ? op[7] & ~kSumBits : 0;
    const OperandType *a = nullptr, *b = nullptr;
    for (const OperandType &type : kOperandTypes) {
      if ((mask & (0x1550 | kSignedA)) == type.ofA) a = &type;
      if ((mask & (0x2aa0 | kSignedB)) == type.ofB) b = &type;
    }
    if (!a || !b) return false;
    std::vector<std::string> parameters;
    for (size_t i = 0; i < 3; ++i) {
      std::optional<std::string> type =
          mangled(module_.typeOf(op[4 + i]), (i == 0 && a->isUnsigned) || (i == 1 && b->isUnsigned));
      if (!type) return false;
      parameters.push_back(*type);
    }
    module_.call(
        mangledSymbol(str("intel_sub_group_", a->name, "_", b->name, "_matrix_mad_k", *module_.constant(op[3])), parameters),
        op[1], op[2], {op[4], op[5], op[6]});
    return true;
  }

  SpirvCalls &module_;
  std::string problem_;
};

// Replaces messages in inline assembly by calls of _xt_raw_send_DESCRIPTOR and _xt_raw_store_DESCRIPTOR_REGISTERS
// (block_messages.h), and steps of their payloads by calls of _xt_payload_step_LANE_AMOUNT (lower_ids.cc).
class AssemblyCalls {
public:
  explicit AssemblyCalls(SpirvCalls &module) : module_(module) {}

  // Takes an instruction and returns true if it is one of the extension.
  bool take(Words op) {
    switch (opcodeOf(op[0])) {
    case OpCapability: return op.size() > 1 && op[1] == CapabilityAsmINTEL;
    case OpExtension: return literal(op.subspan(1)) == "SPV_INTEL_inline_assembly";
    case OpDecorate: return op.size() > 2 && op[2] == DecorationSideEffectsINTEL;
    case OpAsmTargetINTEL: return true;
    case OpAsmINTEL: return learn(op), true;
    case OpAsmCallINTEL: return call(op), true;
    default: return false;
    }
  }
  const std::string &problem() const { return problem_; }

private:
  // The text and the constraints, with a line between them.
  void learn(Words op) {
    if (op.size() < 7) return;
    std::string_view text = literal(op.subspan(5));
    size_t constraints = 5 + text.size() / 4 + 1;
    if (constraints < op.size()) texts_[op[2]] = str(text, "\n", literal(op.subspan(constraints)));
  }

  void call(Words op) {
    if (op.size() < 5) return void(problem_ = "a call of inline assembly is cut off");
    const std::string &text = texts_[op[3]];
    std::string name = op.size() == 6 ? storeName(text) : op.size() != 5 ? "" : stepName(text);
    if (name.empty() && op.size() == 5) name = sendName(text);
    std::vector<std::string> types = {"j"};
    if (const SpirvCalls::Scalar *stored = op.size() == 6 ? module_.scalar(module_.typeOf(op[5])) : nullptr)
      types.push_back(mangledWords(*stored));
    if (name.empty() || types.size() + 4 != op.size())
      problem_ = str("the software device does not know the inline assembly `", text, "`");
    else
      module_.call(mangledSymbol(name, types), op[1], op[2], {op.begin() + 4, op.end()});
  }

  // A vector of words, or one, as a function's symbol spells it.
  static std::string mangledWords(const SpirvCalls::Scalar &words) {
    std::string letter = words.bits == 8 ? "h" : words.bits == 16 ? "t" : words.bits == 32 ? "j" : "m";
    return words.count == 1 ? letter : str("Dv", words.count, "_", letter);
  }

  // "": the text is no message that stores.
  static std::string storeName(const std::string &text) {
    unsigned registers = 0, descriptor = 0;
    int begins = 0;
    const int found = std::sscanf(text.c_str(), "raw_sends.15.1.%u.0 (M1, 16) 0x0:ud 0x%x%n", &registers, &descriptor, &begins);
    const bool known = found == 2 && text.substr(static_cast<size_t>(begins)) == ":ud $0.0 $1.0 %null.0\nrw,rw";
    return known ? str("_xt_raw_store_", std::hex, descriptor, "_", std::dec, registers) : "";
  }

  // "": the text is no message.
  static std::string sendName(const std::string &text) {
    unsigned registers = 0, descriptor = 0;
    int begins = 0;
    const int found = std::sscanf(text.c_str(), "raw_sends.15.1.0.%u (M1, 16) 0x0:ud 0x%x%n", &registers, &descriptor, &begins);
    const char *operands = registers > 0 ? ":ud $1.0 %null.0 $0.0\n=rw,rw" : ":ud $0.0 %null.0 %null.0\nrw";
    const bool known =
        found == 2 && text.substr(static_cast<size_t>(begins)) == operands && (descriptor >> 20 & 31) == registers;
    return known ? str("_xt_raw_send_", std::hex, descriptor) : "";
  }

  // "": the text is no step.
  static std::string stepName(const std::string &text) {
    unsigned to = 0, from = 0, amount = 0;
    int begins = 0;
    const int found =
        std::sscanf(text.c_str(), "add (M1_NM, 1) $0(0,%u)<1> $1(0,%u)<0;1,0> 0x%x%n", &to, &from, &amount, &begins);
    const bool known = found == 3 && text.substr(static_cast<size_t>(begins)) == ":d\n=rw,0" && to == from && to < 16;
    return known ? str("_xt_payload_step_", std::hex, to, "_", amount) : "";
  }

  SpirvCalls &module_;
  std::map<uint32_t, std::string> texts_; // by id
  std::string problem_;
};

} // namespace

Result<std::vector<uint32_t>> callExtensions(std::vector<uint32_t> words) {
  bool any = false;
  for (size_t at = kHeaderWords; at < words.size() && !any; at += lengthOf(words[at])) {
    uint32_t code = opcodeOf(words[at]);
    any = isIntelOp(code) || code == OpTypeCooperativeMatrixKHR || code == OpAsmINTEL;
  }
  if (!any) return words;
  SpirvCalls module(std::move(words));
  IntelCalls intel(module);
  MatrixCalls matrices(module);
  AssemblyCalls assembly(module);
  module.eachInstruction([&](Words op) {
    if (!intel.take(op) && !matrices.take(op) && !assembly.take(op)) module.keep(op);
  });
  for (const std::string *problem : {&intel.problem(), &matrices.problem(), &assembly.problem()})
    if (!problem->empty()) return Error::kernel(*problem);
  return module.finish();
}

} // namespace xt::soft
