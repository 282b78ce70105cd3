#include "targets/soft/lower.h"

#include "ir/base/text.h"
#include "targets/llvm/machine.h"
#include "targets/soft/runtime.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Metadata.h>

#include <set>

namespace xt::soft {
namespace {

constexpr const char *kEntryPrefix = "xt_soft_entry_";

// The integers of a kernel's `!name !{i32 …}`; empty if it has no such metadata.
std::vector<uint32_t> kernelNumbers(const llvm::Function &function, const char *name) {
  std::vector<uint32_t> numbers;
  if (const llvm::MDNode *node = function.getMetadata(name))
    for (const llvm::MDOperand &operand : node->operands())
      if (auto *value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(operand))
        numbers.push_back(static_cast<uint32_t>(value->getZExtValue()));
  return numbers;
}

// Emits `void entry(ptr arguments)`, which loads each argument from its address and calls the kernel.
void makeEntry(LowerContext &context, llvm::Function &kernel, const std::string &symbol) {
  llvm::LLVMContext &llvm = context.llvm();
  llvm::Type *pointer = llvm::PointerType::get(llvm, 0);
  auto *type = llvm::FunctionType::get(llvm::Type::getVoidTy(llvm), {pointer}, false);
  auto *entry = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, symbol, context.module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(llvm, "", entry));
  llvm::FunctionCallee local = context.runtime(kLocalArgumentSymbol, pointer, {builder.getInt64Ty()});
  std::vector<llvm::Value *> values;
  for (llvm::Argument &argument : kernel.args()) {
    if (argument.getType()->isPointerTy() && argument.getType()->getPointerAddressSpace() == kLocalSpace) {
      llvm::Value *address = builder.CreateCall(local, {builder.getInt64(argument.getArgNo())});
      values.push_back(builder.CreateAddrSpaceCast(address, argument.getType()));
      continue;
    }
    llvm::Value *at = builder.CreateLoad(pointer, builder.CreateConstGEP1_64(pointer, entry->getArg(0), argument.getArgNo()));
    bool byValue = argument.hasByValAttr(); // a struct, to which the kernel gets a pointer
    values.push_back(byValue ? at : builder.CreateAlignedLoad(argument.getType(), at, llvm::Align(1)));
  }
  builder.CreateCall(&kernel, values);
  builder.CreateRetVoid();
}

void describeArguments(const llvm::Function &kernel, LoweredKernel &result) {
  const llvm::DataLayout &layout = kernel.getParent()->getDataLayout();
  for (const llvm::Argument &argument : kernel.args()) {
    llvm::Type *type = argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
    KernelArgument described{layout.getTypeAllocSize(type).getFixedValue()};
    if (type->isPointerTy() && !argument.hasByValAttr()) {
      described.isLocal = type->getPointerAddressSpace() == kLocalSpace;
      described.isPointer = !described.isLocal;
    }
    result.arguments.push_back(described);
  }
}

size_t privateBytes(const llvm::Function &function, std::set<const llvm::Function *> &seen) {
  if (!seen.insert(&function).second) return 0;
  const llvm::DataLayout &layout = function.getParent()->getDataLayout();
  size_t total = 0;
  for (const llvm::Instruction &each : llvm::instructions(function)) {
    if (const auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&each))
      if (auto size = variable->getAllocationSize(layout)) total += size->getFixedValue();
    if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&each))
      if (const llvm::Function *callee = call->getCalledFunction()) total += privateBytes(*callee, seen);
  }
  return total;
}

void describeKernel(LowerContext &context, llvm::Function &kernel) {
  LoweredKernel result;
  result.name = kernel.getName();
  result.symbol = kEntryPrefix + result.name;
  std::span<const int64_t> sizes = context.device.target->subgroupSizes;
  result.subgroupSize = static_cast<size_t>(sizes[0]);
  std::vector<uint32_t> subgroup = kernelNumbers(kernel, "intel_reqd_sub_group_size");
  if (!subgroup.empty()) result.subgroupSize = subgroup[0];
  if (std::find(sizes.begin(), sizes.end(), static_cast<int64_t>(result.subgroupSize)) == sizes.end())
    context.errors.push_back(str("kernel ", result.name, " requires subgroups of ", result.subgroupSize, " lanes; ",
                                 context.device.target->name, " has ", join(sizes, ", ")));
  std::vector<uint32_t> group = kernelNumbers(kernel, "reqd_work_group_size");
  for (size_t d = 0; d < 3 && d < group.size(); ++d) result.requiredGroupSize[d] = group[d];
  describeArguments(kernel, result);
  std::set<const llvm::Function *> seen;
  result.privateBytes = privateBytes(kernel, seen);
  context.program.kernels.push_back(std::move(result));
}

// Device functions are recognised by name; each family has its own file.
void lowerDeclaration(LowerContext &context, llvm::Function &function) {
  if (function.use_empty()) return function.eraseFromParent();
  if (function.isIntrinsic() || function.getName() == kFenceSymbol || function.getName() == kKeepsSymbol) return;
  BuiltinName name = builtinName(function.getName());
  for (auto *lower : {lowerIds, lowerAtomics, lowerMath, lowerVectors, lowerConversions, lowerCollectives, lowerCopies})
    if (lower(context, function, name)) return;
  std::string parameters = name.parameters.empty() ? "" : str("(", join(name.parameters, ", "), ")");
  context.errors.push_back(str("the software Xe device (", context.device.target->name, ") does not know the device function ",
                               name.name, parameters, ", symbol ", function.getName().str()));
}

// Gives names to the program's variables and constants, so that their addresses can be found: kernels may have pointers to
// them.
void nameData(LowerContext &context) {
  for (llvm::GlobalVariable &variable : context.module.globals()) {
    if (variable.getAddressSpace() == kLocalSpace || variable.isDeclaration()) continue;
    variable.setName("xt_soft_data_" + std::to_string(context.program.data.size()));
    variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    size_t bytes = context.module.getDataLayout().getTypeAllocSize(variable.getValueType()).getFixedValue();
    context.program.data.emplace_back(variable.getName().str(), bytes);
  }
}

void countCalls(LowerContext &context) {
  for (llvm::Function &function : context.module) {
    std::map<const llvm::Value *, int> seen;
    for (llvm::Instruction &each : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&each)) context.calls[call] = ++seen[call->getCalledOperand()];
  }
}

// Replaces the calling conventions of the device, which mean nothing to the processor.
void makeOrdinary(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.setCallingConv(llvm::CallingConv::C);
    for (llvm::Instruction &each : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallBase>(&each)) call->setCallingConv(llvm::CallingConv::C);
  }
}

} // namespace

llvm::FunctionCallee LowerContext::runtime(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> arguments) const {
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
  llvm::cast<llvm::Function>(callee.getCallee())->setDoesNotThrow();
  return callee;
}

int32_t LowerContext::site(const llvm::Instruction &at, std::string function) {
  std::string place;
  if (const llvm::DebugLoc &location = at.getDebugLoc()) {
    // llvm-spirv splits a path into folder and name; without a folder it writes ".".
    llvm::StringRef folder = location->getDirectory(), name = location->getFilename();
    bool whole = folder.empty() || folder == "." || name.starts_with("/");
    place = str(" at ", whole ? "" : str(folder.str(), folder.ends_with("/") ? "" : "/"), name.str(), ":", location.getLine(),
                ":", location.getCol());
  }
  auto counted = calls.find(&at);
  int call = counted == calls.end() ? 0 : counted->second;
  program.sites.push_back({std::move(function), std::move(place), call});
  return static_cast<int32_t>(program.sites.size()) - 1;
}

void replaceCalls(llvm::Function &function, llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::CallInst &)> make) {
  std::vector<llvm::CallInst *> calls;
  for (llvm::User *user : function.users())
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(user); call && call->getCalledFunction() == &function)
      calls.push_back(call);
  for (llvm::CallInst *call : calls) {
    llvm::IRBuilder<> builder(call);
    llvm::Value *value = make(builder, *call);
    if (!call->getType()->isVoidTy()) call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }
  if (function.use_empty()) function.eraseFromParent();
}

Result<LoweredProgram> lowerModule(llvm::Module &module, const DeviceSettings &device) {
  LoweredProgram program;
  LowerContext context{module, device, program, {}, {}, {}};
  std::vector<llvm::Function *> kernels, declarations;
  for (llvm::Function &function : module) {
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL) kernels.push_back(&function);
    if (function.isDeclaration()) declarations.push_back(&function);
  }
  makeOrdinary(module);
  countCalls(context);
  watchPolling(context);
  for (llvm::Function *kernel : kernels) describeKernel(context, *kernel);
  for (llvm::Function *declaration : declarations) lowerDeclaration(context, *declaration);
  if (!context.errors.empty()) return Error::kernel(join(context.errors, "\n"));
  placeLocals(context);
  nameData(context);
  checkAccesses(context);
  pauseInLoops(context);
  for (size_t i = 0; i < kernels.size(); ++i) {
    makeEntry(context, *kernels[i], program.kernels[i].symbol);
    kernels[i]->setLinkage(llvm::GlobalValue::InternalLinkage);
  }
  if (!context.errors.empty()) return Error::kernel(join(context.errors, "\n"));
  // Reports use the copies of source positions in the sites; debug information in the code would only cost time.
  llvm::StripDebugInfo(module);
  if (Result<void> valid = verifyLlvm(module); !valid) return valid.error();
  return program;
}

} // namespace xt::soft
