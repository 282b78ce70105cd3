#include "targets/xe/library/raw_send.h"

#include "ir/base/text.h"
#include "targets/xe/library/spirv_numbers.h"

namespace xt {
namespace {

using namespace spirv;

// The words of a module, instruction by instruction.
class ModuleWriter {
public:
  explicit ModuleWriter(uint32_t bound) : words_{kMagic, kVersion14, 0, bound, 0} {}
  void add(Opcode opcode, std::vector<uint32_t> operands, std::initializer_list<std::string> texts = {}) {
    for (const std::string &text : texts) addLiteral(operands, text);
    words_.push_back(firstWord(operands.size() + 1, opcode));
    words_.insert(words_.end(), operands.begin(), operands.end());
  }
  std::vector<uint8_t> bytes() const {
    const auto *from = reinterpret_cast<const uint8_t *>(words_.data());
    return {from, from + words_.size() * sizeof(uint32_t)};
  }

private:
  std::vector<uint32_t> words_;
};

} // namespace

// 15: the shared function for memory (LSC, untyped). Operands: the payload, its second part (what is stored), the result.
std::string assemblyOf(const RawSend &send) {
  const char *operands = send.registers() > 0 ? ":ud $1.0 %null.0 $0.0"
                         : send.stored > 0    ? ":ud $0.0 $1.0 %null.0"
                                              : ":ud $0.0 %null.0 %null.0";
  return str("raw_sends.15.1.", send.stored, ".", send.registers(), " (M1, 16) 0x0:ud 0x", std::hex, send.descriptor, operands);
}

std::string constraintsOf(const RawSend &send) { return send.registers() > 0 ? "=rw,rw" : send.stored > 0 ? "rw,rw" : "rw"; }

// M1_NM: whichever lanes are active.
std::string assemblyOf(const PayloadStep &step) {
  return str("add (M1_NM, 1) $0(0,", step.lane, ")<1> $1(0,", step.lane, ")<0;1,0> 0x", std::hex,
             static_cast<uint32_t>(step.amount), ":d");
}

std::vector<uint8_t> inlineAssemblyProbe() {
  enum Id : uint32_t {
    Void = 1,
    Word,
    Block,
    KernelType,
    MessageType,
    StepType,
    Zero,
    Target,
    Message,
    Step,
    Kernel,
    Begin,
    Stepped,
    Loaded,
    Bound
  };
  // Physical64 and OpenCL of OpMemoryModel; the execution model Kernel.
  constexpr uint32_t kPhysical64 = 2, kOpenCl = 2, kKernelModel = 6, kLanes = 16;
  constexpr RawSend kLoad{0x2800403}; // a block of 8 rows of 16 words
  ModuleWriter out(Bound);
  for (Capability each :
       {CapabilityAddresses, CapabilityKernel, CapabilityVector16, CapabilitySubgroupDispatch, CapabilityAsmINTEL})
    out.add(OpCapability, {each});
  out.add(OpExtension, {}, {kInlineAssemblyExtension});
  out.add(OpMemoryModel, {kPhysical64, kOpenCl});
  out.add(OpEntryPoint, {kKernelModel, Kernel}, {"probe"});
  out.add(OpExecutionMode, {Kernel, kModeSubgroupSize, kLanes});
  out.add(OpDecorate, {Message, DecorationSideEffectsINTEL});
  out.add(OpTypeVoid, {Void});
  out.add(OpTypeInt, {Word, 32, 0});
  out.add(OpTypeVector, {Block, Word, kLoad.registers()});
  out.add(OpTypeFunction, {KernelType, Void});
  out.add(OpTypeFunction, {MessageType, Block, Word});
  out.add(OpTypeFunction, {StepType, Word, Word});
  out.add(OpConstant, {Word, Zero, 0});
  out.add(OpAsmTargetINTEL, {Target}, {kAssemblyTarget});
  out.add(OpAsmINTEL, {Block, Message, MessageType, Target}, {assemblyOf(kLoad), constraintsOf(kLoad)});
  out.add(OpAsmINTEL, {Word, Step, StepType, Target}, {assemblyOf(PayloadStep{5, 8}), kStepConstraints});
  out.add(OpFunction, {Void, Kernel, 0, KernelType});
  out.add(OpLabel, {Begin});
  out.add(OpAsmCallINTEL, {Word, Stepped, Step, Zero});
  out.add(OpAsmCallINTEL, {Block, Loaded, Message, Stepped});
  out.add(OpReturn, {});
  out.add(OpFunctionEnd, {});
  return out.bytes();
}

} // namespace xt
