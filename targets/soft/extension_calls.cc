#include "targets/soft/extension_calls.h"

#include "ir/base/text.h"
#include "targets/soft/spirv_ops.h"
#include "targets/xe/library/mangled_symbol.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace xt::soft {
namespace {

constexpr size_t kBound = 3; // the word of the header that bounds all ids

// Numbers from the SPIR-V specification and the texts of the extensions.
enum : uint32_t {
  OpTypeVoid = 19,
  OpTypeVector = 23,
  OpTypeFunction = 33,
  OpFunction = 54,
  OpFunctionParameter = 55,
  OpFunctionEnd = 56,
  OpFunctionCall = 57,
  OpBitcast = 124,
  CapabilityFirstBlock = 6228,
  CapabilityLastBlock = 6230,
  OpFirstBlock = 6231, // the first of: load, load transformed, load transposed, prefetch, store
  OpBlockStore = 6235,
  CapabilityProduct = 6236,
  OpProduct = 6237,
  DecorationLinkage = 41,
  LinkageImport = 1,
};

struct Scalar {
  uint32_t bits = 0;
  bool isFloat = false;
  uint32_t count = 1; // number of elements of a vector
};

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

using Words = std::span<const uint32_t>;

bool isExtensionOp(uint32_t code) { return code >= OpFirstBlock && code <= OpProduct && code != CapabilityProduct; }

class Caller {
public:
  explicit Caller(std::vector<uint32_t> words) : in_(std::move(words)), bound_(in_[kBound]) {}

  Result<std::vector<uint32_t>> run() {
    eachInstruction([&](Words op) { learn(op); });
    size_t types = 0, functions = 0; // where the types and the functions begin in `out_`
    out_.assign(in_.begin(), in_.begin() + kHeaderWords);
    eachInstruction([&](Words op) {
      uint32_t code = op[0] & 0xffff;
      if (!types && code >= OpTypeVoid && code <= OpTypeFunction) types = out_.size();
      if (!functions && code == OpFunction) functions = out_.size();
      if (isExtensionOp(code)) return replace(op);
      if (!isOfExtension(op)) out_.insert(out_.end(), op.begin(), op.end());
    });
    if (!problem_.empty()) return Error::kernel(problem_);
    declaredTypes_.insert(declaredTypes_.end(), declarations_.begin(), declarations_.end());
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(functions), declaredTypes_.begin(), declaredTypes_.end());
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(types), decorations_.begin(), decorations_.end());
    out_[kBound] = bound_;
    return std::move(out_);
  }

private:
  struct Function {
    uint32_t id = 0;
    std::vector<uint32_t> parameters; // ids of types
  };

  // Calls `f` for each instruction. Their lengths need no check: readableSpirv has checked that the instructions fill the
  // module.
  template <class F> void eachInstruction(F f) const {
    for (size_t at = kHeaderWords; at < in_.size(); at += in_[at] >> 16) f(Words(in_).subspan(at, in_[at] >> 16));
  }

  // Records the types of values: in each instruction with a result, the id of the result's type precedes the id of the
  // result.
  void learn(Words op) {
    uint32_t code = op[0] & 0xffff;
    if (code == OpTypeVoid && op.size() > 1) void_ = op[1];
    if ((code == OpTypeInt || code == OpTypeFloat) && op.size() > 2) scalars_[op[1]] = {op[2], code == OpTypeFloat};
    if (code == OpTypeVector && op.size() > 3 && scalars_.contains(op[2])) {
      scalars_[op[1]] = scalars_[op[2]];
      scalars_[op[1]].count = op[3];
    }
    if (code >= OpTypeVoid && code <= OpTypeFunction && op.size() > 1) {
      types_.insert(op[1]);
      return;
    }
    if (op.size() > 2 && types_.contains(op[1])) typeOf_[op[2]] = op[1];
    if (code == OpConstant && op.size() == 4) constants_[op[2]] = op[3];
  }

  static bool isOfExtension(Words op) {
    uint32_t code = op[0] & 0xffff;
    if (code == OpCapability && op.size() > 1)
      return (op[1] >= CapabilityFirstBlock && op[1] <= CapabilityLastBlock) || op[1] == CapabilityProduct;
    if (code != OpExtension) return false;
    std::string_view name = literal(op.subspan(1));
    return name == "SPV_INTEL_2d_block_io" || name == "SPV_INTEL_subgroup_matrix_multiply_accumulate";
  }

  void replace(Words op) {
    uint32_t code = op[0] & 0xffff;
    if (!(code == OpProduct ? product(op) : block(code, op)) && problem_.empty())
      problem_ = str("the SPIR-V instruction ", code, " has sizes or types that no ",
                     code == OpProduct ? "product of matrices" : "2D block message", " has");
  }

  bool block(uint32_t code, Words op) {
    static constexpr std::string_view kKinds[] = {"read", "read_transform", "read_transpose", "prefetch", "write"};
    std::string_view kind = kKinds[code - OpFirstBlock];
    bool moves = kind != "prefetch";
    if (op.size() != (moves ? 11u : 10u)) return false;
    uint32_t sizes[4]; // bytes of an element, columns, rows, blocks
    for (size_t i = 0; i < 4; ++i) {
      auto found = constants_.find(op[1 + i]);
      if (found == constants_.end() || found->second > 256) return false;
      sizes[i] = found->second;
    }
    std::vector<uint32_t> arguments(op.begin() + 5, op.end());
    if (code == OpBlockStore)
      std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end()); // the lane's memory comes last
    std::vector<std::string> parameters = {"PU3AS1v", "i", "i", "i", "Dv2_i"};
    // A word of the lane's memory holds one element, or the elements of a row that belong to one of the 16 lanes,
    // whichever is larger. Words of a transformed block have 32 bits.
    uint32_t bits = 8 * sizes[0], word = kind == "read_transform" ? 32 : std::max(bits, sizes[1] * bits / 16);
    if (moves) parameters.emplace_back(word == 8 ? "Ph" : word == 16 ? "Pt" : word == 32 ? "Pj" : "Pm");
    call(mangledSymbol(str("intel_sub_group_2d_block_", kind, "_", bits, "b_", sizes[2], "r", sizes[1], "x", sizes[3], "c"),
                       parameters),
         void_, std::nullopt, arguments);
    return true;
  }

  // A type of the module as a function's symbol spells it: "Dv8_s".
  std::optional<std::string> mangled(uint32_t type, bool isUnsigned) const {
    auto found = scalars_.find(type);
    if (found == scalars_.end()) return std::nullopt;
    const Scalar &s = found->second;
    std::string letter = s.isFloat      ? (s.bits == 16 ? "Dh" : "f")
                         : s.bits == 16 ? (isUnsigned ? "t" : "s")
                                        : (isUnsigned ? "j" : "i");
    return s.count == 1 ? letter : str("Dv", s.count, "_", letter);
  }

  bool product(Words op) {
    if (op.size() < 7 || !constants_.contains(op[3])) return false;
    uint32_t mask = op.size() > 7 ? op[7] & ~kSumBits : 0;
    const OperandType *a = nullptr, *b = nullptr;
    for (const OperandType &type : kOperandTypes) {
      if ((mask & (0x1550 | kSignedA)) == type.ofA) a = &type;
      if ((mask & (0x2aa0 | kSignedB)) == type.ofB) b = &type;
    }
    if (!a || !b) return false;
    std::vector<std::string> parameters;
    for (size_t i = 0; i < 3; ++i) {
      std::optional<std::string> type = mangled(typeOf_[op[4 + i]], (i == 0 && a->isUnsigned) || (i == 1 && b->isUnsigned));
      if (!type) return false;
      parameters.push_back(*type);
    }
    call(mangledSymbol(str("intel_sub_group_", a->name, "_", b->name, "_matrix_mad_k", constants_[op[3]]), parameters), op[1],
         op[2], {op[4], op[5], op[6]});
    return true;
  }

  void add(std::vector<uint32_t> &to, uint32_t code, std::initializer_list<Words> operands) {
    size_t length = 1;
    for (Words part : operands) length += part.size();
    to.push_back(static_cast<uint32_t>(length) << 16 | code);
    for (Words part : operands) to.insert(to.end(), part.begin(), part.end());
  }
  void add(std::vector<uint32_t> &to, uint32_t code, std::initializer_list<uint32_t> operands) {
    add(to, code, {Words(operands.begin(), operands.size())});
  }

  // Adds a call. `result`: the id of the result; nullopt if the instruction has none.
  void call(const std::string &symbol, uint32_t type, std::optional<uint32_t> result, std::vector<uint32_t> arguments) {
    const Function &function = declared(symbol, type, arguments);
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (typeOf_[arguments[i]] == function.parameters[i]) continue;
      // the argument and the parameter point to different types
      uint32_t cast = bound_++;
      add(out_, OpBitcast, {function.parameters[i], cast, arguments[i]});
      arguments[i] = cast;
    }
    uint32_t head[] = {type, result ? *result : bound_++, function.id};
    add(out_, OpFunctionCall, {Words(head), Words(arguments)});
  }

  // Returns the declaration of a function. Its parameters have the types of the arguments of its first call.
  const Function &declared(const std::string &symbol, uint32_t result, const std::vector<uint32_t> &arguments) {
    auto [found, isNew] = functions_.try_emplace(symbol);
    Function &function = found->second;
    if (!isNew) return function;
    function.id = bound_++;
    for (uint32_t argument : arguments) function.parameters.push_back(typeOf_[argument]);
    uint32_t type = bound_++, typeHead[] = {type, result};
    add(declaredTypes_, OpTypeFunction, {Words(typeHead), Words(function.parameters)});
    add(declarations_, OpFunction, {result, function.id, 0, type});
    for (uint32_t parameter : function.parameters) add(declarations_, OpFunctionParameter, {parameter, bound_++});
    add(declarations_, OpFunctionEnd, std::initializer_list<uint32_t>{});
    std::vector<uint32_t> name(symbol.size() / 4 + 1, 0);
    std::memcpy(name.data(), symbol.data(), symbol.size());
    uint32_t target[] = {function.id, DecorationLinkage}, import[] = {LinkageImport};
    add(decorations_, OpDecorate, {Words(target), Words(name), Words(import)});
    return function;
  }

  std::vector<uint32_t> in_, out_, declaredTypes_, declarations_, decorations_;
  uint32_t bound_, void_ = 0;
  std::map<uint32_t, Scalar> scalars_; // by id of the type
  std::set<uint32_t> types_;
  std::map<uint32_t, uint32_t> typeOf_, constants_; // by id of the value
  std::map<std::string, Function> functions_;
  std::string problem_;
};

} // namespace

Result<std::vector<uint32_t>> callExtensions(std::vector<uint32_t> words) {
  bool any = false;
  for (size_t at = kHeaderWords; at < words.size() && !any; at += words[at] >> 16) any = isExtensionOp(words[at] & 0xffff);
  if (!any) return words;
  return Caller(std::move(words)).run();
}

} // namespace xt::soft
