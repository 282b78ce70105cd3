#include "targets/soft/spirv_calls.h"
#include "targets/xe/library/spirv_numbers.h"

#include <cstring>

namespace xt::soft {
namespace {

using namespace spirv;

} // namespace

SpirvCalls::SpirvCalls(std::vector<uint32_t> words) : in_(std::move(words)), bound_(in_[kBoundWord]) {
  eachInstruction([&](Words op) { learn(op); });
  out_.assign(in_.begin(), in_.begin() + kHeaderWords);
}

// Records the types of values: in each instruction with a result, the id of the result's type precedes the id of the result.
void SpirvCalls::learn(Words op) {
  uint32_t code = opcodeOf(op[0]);
  if (code == OpTypeVoid && op.size() > 1) void_ = op[1];
  if ((code == OpTypeInt || code == OpTypeFloat) && op.size() > 2) scalars_[op[1]] = {op[2], code == OpTypeFloat};
  if (code == OpTypeInt && op.size() > 2 && op[2] == 32) int_ = op[1];
  if (code == OpTypePointer && op.size() > 2) pointers_[op[1]] = op[2];
  if (code == OpTypeVector && op.size() > 3 && scalars_.contains(op[2])) {
    scalars_[op[1]] = scalars_[op[2]];
    scalars_[op[1]].count = op[3];
  }
  bool isType = (code >= OpTypeVoid && code <= OpTypeFunction) || code == OpTypeCooperativeMatrixKHR;
  if (isType && op.size() > 1) {
    typeIds_.insert(op[1]);
    return;
  }
  if (op.size() > 2 && typeIds_.contains(op[1])) typeOf_[op[2]] = op[1];
  if (code == OpConstant && op.size() == 4) constants_[op[2]] = op[3];
}

const SpirvCalls::Scalar *SpirvCalls::scalar(uint32_t type) const {
  auto found = scalars_.find(type);
  return found == scalars_.end() ? nullptr : &found->second;
}

uint32_t SpirvCalls::typeOf(uint32_t value) const {
  auto found = typeOf_.find(value);
  return found == typeOf_.end() ? 0 : found->second;
}

std::optional<uint32_t> SpirvCalls::constant(uint32_t value) const {
  auto found = constants_.find(value);
  return found == constants_.end() ? std::nullopt : std::optional(found->second);
}

uint32_t SpirvCalls::storageClass(uint32_t pointer) const {
  auto found = pointers_.find(typeOf(pointer));
  return found == pointers_.end() ? 0 : found->second;
}

void SpirvCalls::keep(Words op) {
  uint32_t code = opcodeOf(op[0]);
  if (!types_ && code >= OpTypeVoid && code <= OpTypeFunction) types_ = out_.size();
  if (!functions_ && code == OpFunction) functions_ = out_.size();
  out_.insert(out_.end(), op.begin(), op.end());
}

void SpirvCalls::add(std::vector<uint32_t> &to, uint32_t code, std::initializer_list<Words> operands) {
  size_t length = 1;
  for (Words part : operands) length += part.size();
  to.push_back(firstWord(length, code));
  for (Words part : operands) to.insert(to.end(), part.begin(), part.end());
}

void SpirvCalls::add(std::vector<uint32_t> &to, uint32_t code, std::initializer_list<uint32_t> operands) {
  add(to, code, {Words(operands.begin(), operands.size())});
}

void SpirvCalls::call(const std::string &symbol, uint32_t type, std::optional<uint32_t> result,
                      std::vector<uint32_t> arguments) {
  const Function &function = declared(symbol, type, arguments);
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (typeOf(arguments[i]) == function.parameters[i]) continue;
    // the argument and the parameter point to different types
    uint32_t cast = bound_++;
    add(out_, OpBitcast, {function.parameters[i], cast, arguments[i]});
    arguments[i] = cast;
  }
  uint32_t head[] = {type, result ? *result : bound_++, function.id};
  add(out_, OpFunctionCall, {Words(head), Words(arguments)});
}

// Returns the declaration of a function. Its parameters have the types of the arguments of its first call.
const SpirvCalls::Function &SpirvCalls::declared(const std::string &symbol, uint32_t result,
                                                 const std::vector<uint32_t> &arguments) {
  auto [found, isNew] = declared_.try_emplace(symbol);
  Function &function = found->second;
  if (!isNew) return function;
  function.id = bound_++;
  for (uint32_t argument : arguments) function.parameters.push_back(typeOf(argument));
  uint32_t type = bound_++, typeHead[] = {type, result};
  add(declaredTypes_, OpTypeFunction, {Words(typeHead), Words(function.parameters)});
  add(declarations_, OpFunction, {result, function.id, 0, type});
  for (uint32_t parameter : function.parameters) add(declarations_, OpFunctionParameter, {parameter, bound_++});
  add(declarations_, OpFunctionEnd, std::initializer_list<uint32_t>{});
  std::vector<uint32_t> name(symbol.size() / 4 + 1, 0);
  std::memcpy(name.data(), symbol.data(), symbol.size());
  uint32_t target[] = {function.id, DecorationLinkageAttributes}, import[] = {kLinkageImport};
  add(decorations_, OpDecorate, {Words(target), Words(name), Words(import)});
  return function;
}

std::vector<uint32_t> SpirvCalls::finish() {
  declaredTypes_.insert(declaredTypes_.end(), declarations_.begin(), declarations_.end());
  out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(functions_), declaredTypes_.begin(), declaredTypes_.end());
  out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(types_), decorations_.begin(), decorations_.end());
  out_[kBoundWord] = bound_;
  return std::move(out_);
}

} // namespace xt::soft
