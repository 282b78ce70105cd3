#include "targets/soft/lower.h"

namespace xt::soft {
namespace {

using Operation = llvm::AtomicRMWInst::BinOp;

struct AtomicFunction {
  std::string_view name;
  Operation operation;
};

// Arguments: (pointer, scope, semantics, value).
constexpr AtomicFunction kSpirv[] = {
    {"__spirv_AtomicExchange", Operation::Xchg}, {"__spirv_AtomicIAdd", Operation::Add},
    {"__spirv_AtomicISub", Operation::Sub},      {"__spirv_AtomicSMin", Operation::Min},
    {"__spirv_AtomicUMin", Operation::UMin},     {"__spirv_AtomicSMax", Operation::Max},
    {"__spirv_AtomicUMax", Operation::UMax},     {"__spirv_AtomicAnd", Operation::And},
    {"__spirv_AtomicOr", Operation::Or},         {"__spirv_AtomicXor", Operation::Xor},
    {"__spirv_AtomicFAddEXT", Operation::FAdd},  {"__spirv_AtomicFMinEXT", Operation::FMin},
    {"__spirv_AtomicFMaxEXT", Operation::FMax},
};

// OpenCL C 1.x, arguments: (pointer, value).
constexpr AtomicFunction kOpencl[] = {
    {"atomic_xchg", Operation::Xchg}, {"atomic_add", Operation::Add}, {"atomic_sub", Operation::Sub},
    {"atomic_and", Operation::And},   {"atomic_or", Operation::Or},   {"atomic_xor", Operation::Xor},
    {"atomic_min", Operation::Min},   {"atomic_max", Operation::Max},
};

constexpr auto kOrder = llvm::AtomicOrdering::SequentiallyConsistent;

// Emits a read-modify-write with the natural alignment, which the device's atomics require.
llvm::Value *modify(llvm::IRBuilder<> &builder, Operation operation, llvm::Value *pointer, llvm::Value *value) {
  bool isFloat = value->getType()->isFloatingPointTy();
  if (isFloat && operation == Operation::Min) operation = Operation::FMin;
  if (isFloat && operation == Operation::Max) operation = Operation::FMax;
  return builder.CreateAtomicRMW(operation, pointer, value, llvm::Align(value->getType()->getScalarSizeInBits() / 8), kOrder);
}

llvm::Value *compareExchange(llvm::IRBuilder<> &builder, llvm::Value *pointer, llvm::Value *expected, llvm::Value *value) {
  llvm::Align alignment(value->getType()->getScalarSizeInBits() / 8);
  return builder.CreateExtractValue(builder.CreateAtomicCmpXchg(pointer, expected, value, alignment, kOrder, kOrder), 0);
}

llvm::Align naturalAlignment(llvm::Type *type) { return llvm::Align(std::max(type->getScalarSizeInBits(), 8u) / 8); }

llvm::Value *load(llvm::IRBuilder<> &builder, llvm::Type *type, llvm::Value *pointer) {
  llvm::LoadInst *value = builder.CreateAlignedLoad(type, pointer, naturalAlignment(type));
  value->setAtomic(kOrder);
  return value;
}

llvm::Value *store(llvm::IRBuilder<> &builder, llvm::Value *pointer, llvm::Value *value) {
  llvm::StoreInst *made = builder.CreateAlignedStore(value, pointer, naturalAlignment(value->getType()));
  made->setAtomic(kOrder);
  return nullptr;
}

bool lowerModify(llvm::Function &function, const BuiltinName &name) {
  for (const AtomicFunction &row : kSpirv)
    if (row.name == name.name && function.arg_size() == 4) {
      replaceCalls(function, [&](llvm::IRBuilder<> &builder, llvm::CallInst &call) {
        return modify(builder, row.operation, call.getArgOperand(0), call.getArgOperand(3));
      });
      return true;
    }
  for (const AtomicFunction &row : kOpencl)
    if (row.name == name.name && function.arg_size() == 2) {
      bool isUnsigned = name.parameters.size() == 2 && name.parameters[1].starts_with("unsigned");
      Operation operation = row.operation;
      if (isUnsigned && operation == Operation::Min) operation = Operation::UMin;
      if (isUnsigned && operation == Operation::Max) operation = Operation::UMax;
      replaceCalls(function, [&](llvm::IRBuilder<> &builder, llvm::CallInst &call) {
        return modify(builder, operation, call.getArgOperand(0), call.getArgOperand(1));
      });
      return true;
    }
  return false;
}

bool isFence(const std::string &name) {
  return name == "__spirv_MemoryBarrier" || name == "mem_fence" || name == "read_mem_fence" || name == "write_mem_fence" ||
         name == "atomic_work_item_fence";
}

} // namespace

bool lowerAtomics(LowerContext &, llvm::Function &function, const BuiltinName &name) {
  if (lowerModify(function, name)) return true;
  const std::string &n = name.name;
  using Make = llvm::function_ref<llvm::Value *(llvm::IRBuilder<> &, llvm::CallInst &)>;
  auto with = [&](Make make) { return replaceCalls(function, make), true; };
  auto argument = [](llvm::CallInst &call, unsigned i) { return call.getArgOperand(i); };
  if (isFence(n))
    return with([](llvm::IRBuilder<> &b, llvm::CallInst &) -> llvm::Value * { return b.CreateFence(kOrder), nullptr; });
  if (n == "__spirv_AtomicLoad")
    return with([&](llvm::IRBuilder<> &b, llvm::CallInst &call) { return load(b, call.getType(), argument(call, 0)); });
  if (n == "__spirv_AtomicStore")
    return with([&](llvm::IRBuilder<> &b, llvm::CallInst &call) { return store(b, argument(call, 0), argument(call, 3)); });
  if (n == "__spirv_AtomicIIncrement" || n == "__spirv_AtomicIDecrement" || n == "atomic_inc" || n == "atomic_dec") {
    bool up = n.ends_with("Increment") || n == "atomic_inc";
    return with([&](llvm::IRBuilder<> &b, llvm::CallInst &call) {
      return modify(b, up ? Operation::Add : Operation::Sub, argument(call, 0), llvm::ConstantInt::get(call.getType(), 1));
    });
  }
  // Arguments: (pointer, scope, equal, unequal, value, comparator).
  if (n.starts_with("__spirv_AtomicCompareExchange") && function.arg_size() == 6)
    return with([&](llvm::IRBuilder<> &b, llvm::CallInst &call) {
      return compareExchange(b, argument(call, 0), argument(call, 5), argument(call, 4));
    });
  if (n == "atomic_cmpxchg" && function.arg_size() == 3)
    return with([&](llvm::IRBuilder<> &b, llvm::CallInst &call) {
      return compareExchange(b, argument(call, 0), argument(call, 1), argument(call, 2));
    });
  return false;
}

} // namespace xt::soft
