#include "targets/xe/emit/line_marks.h"

#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/CodeGen/MachineInstrBuilder.h>
#include <llvm/CodeGen/MachineRegisterInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/CodeGen/TargetRegisterInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <map>

namespace xt {
namespace {

// The header with the opcodes of the SPIR-V back end is not installed, so instructions are found by name.
unsigned opcodeNamed(const llvm::TargetInstrInfo &instructions, llvm::StringRef name) {
  for (unsigned i = 0; i < instructions.getNumOpcodes(); ++i)
    if (instructions.getName(i) == name) return i;
  return 0;
}

const llvm::TargetRegisterClass *idClass(const llvm::TargetRegisterInfo &registers) {
  for (const llvm::TargetRegisterClass *each : registers.regclasses())
    if (llvm::StringRef(registers.getRegClassName(each)) == "ID") return each;
  return nullptr;
}

// Whether no OpLine may precede an instruction: the back end moves it out of the function, or it must be first in the function
// or in a block.
bool takesNoLine(llvm::StringRef name) {
  for (const char *start :
       {"OpType",          "OpConstant",      "OpSpecConstant", "OpFunction",   "OpVariable",  "OpPhi",
        "OpLabel",         "OpUndef",         "OpName",         "OpMemberName", "OpDecorate",  "OpMemberDecorate",
        "OpGroupDecorate", "OpExecutionMode", "OpEntryPoint",   "OpCapability", "OpExtension", "OpExtInstImport",
        "OpString",        "OpSource",        "OpLine",         "OpAsm",        "ASSIGN_TYPE", "UNKNOWN"})
    if (name.starts_with(start)) return name != "OpFunctionCall";
  return !name.starts_with("Op");
}

// A pass that inserts OpLine. It runs when all instructions are SPIR-V instructions.
class LineMarkPass final : public llvm::MachineFunctionPass {
public:
  static char ID;
  LineMarkPass() : MachineFunctionPass(ID) {}
  llvm::StringRef getPassName() const override { return "xt: lines of source files"; }

  bool runOnMachineFunction(llvm::MachineFunction &function) override {
    instructions_ = function.getSubtarget().getInstrInfo();
    line_ = opcodeNamed(*instructions_, "OpLine"), string_ = opcodeNamed(*instructions_, "OpString");
    ids_ = idClass(*function.getSubtarget().getRegisterInfo());
    if (!function.getFunction().getSubprogram() || !line_ || !string_ || !ids_) return false;
    files_.clear();
    for (llvm::MachineBasicBlock &block : function) mark(block);
    return true;
  }

private:
  void mark(llvm::MachineBasicBlock &block) {
    const llvm::DILocation *last = nullptr;
    for (llvm::MachineInstr &each : llvm::make_early_inc_range(block)) {
      const llvm::DILocation *location = each.getDebugLoc();
      // A terminator may follow a merge instruction, and nothing may be inserted between them.
      if (!location || !location->getLine() || each.isTerminator() || takesNoLine(instructions_->getName(each.getOpcode())))
        continue;
      if (last && last->getLine() == location->getLine() && last->getColumn() == location->getColumn() &&
          last->getScope() == location->getScope())
        continue;
      last = location;
      llvm::BuildMI(block, each, llvm::DebugLoc(), instructions_->get(line_))
          .addUse(file(*block.getParent(), location->getFilename()))
          .addImm(location->getLine())
          .addImm(location->getColumn());
    }
  }

  llvm::Register file(llvm::MachineFunction &function, llvm::StringRef name) {
    llvm::Register &known = files_[name.str()];
    if (known.isValid()) return known;
    known = function.getRegInfo().createVirtualRegister(ids_);
    function.getRegInfo().setType(known, llvm::LLT::scalar(32));
    llvm::MachineBasicBlock &entry = function.front();
    auto made = llvm::BuildMI(entry, entry.begin(), llvm::DebugLoc(), instructions_->get(string_)).addDef(known);
    for (size_t i = 0; i <= name.size(); i += 4) { // with a terminating zero, padded with zeros
      uint32_t word = 0;
      for (size_t k = i; k < std::min(i + 4, name.size()); ++k)
        word |= static_cast<uint32_t>(static_cast<unsigned char>(name[k])) << 8 * (k - i);
      made.addImm(word);
    }
    return known;
  }

  const llvm::TargetInstrInfo *instructions_ = nullptr;
  const llvm::TargetRegisterClass *ids_ = nullptr;
  unsigned line_ = 0, string_ = 0;
  std::map<std::string, llvm::Register> files_;
};

char LineMarkPass::ID = 0;

} // namespace

SpirvLineMarks::SpirvLineMarks()
    : callback_([](llvm::TargetMachine &, llvm::legacy::PassManagerBase &, llvm::TargetPassConfig *config) {
        // Inserted after the last pass that every target runs.
        config->insertPass(&llvm::XRayInstrumentationID, new LineMarkPass);
      }) {}

} // namespace xt
