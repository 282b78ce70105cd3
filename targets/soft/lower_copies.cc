#include "targets/soft/lower.h"
#include "targets/soft/runtime.h"

#include "ir/base/text.h"

namespace xt::soft {

// The device functions for asynchronous copies, which nvvm_calls declares. Each call gets its site as the last argument.
bool lowerCopies(LowerContext &context, llvm::Function &function, const BuiltinName &name) {
  for (const char *symbol : {kCopySymbol, kCommitCopiesSymbol, kWaitForCopiesSymbol}) {
    if (name.name != symbol) continue;
    function.setName(str("call.", symbol));
    replaceCalls(function, [&](llvm::IRBuilder<> &builder, llvm::CallInst &call) {
      std::vector<llvm::Type *> types;
      std::vector<llvm::Value *> arguments;
      for (llvm::Value *argument : call.args()) {
        if (argument->getType()->isPointerTy()) argument = builder.CreateAddrSpaceCast(argument, builder.getPtrTy());
        arguments.push_back(argument);
      }
      arguments.push_back(builder.getInt32(static_cast<uint32_t>(context.site(call, "asynchronous copy"))));
      for (llvm::Value *argument : arguments) types.push_back(argument->getType());
      return builder.CreateCall(context.runtime(symbol, builder.getVoidTy(), types), arguments);
    });
    return true;
  }
  return false;
}

} // namespace xt::soft
