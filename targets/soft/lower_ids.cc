#include "targets/soft/lower.h"
#include "targets/soft/runtime.h"

#include <cstddef>
#include <cstdio>

namespace xt::soft {
namespace {

// A member of WorkItemIds with its names in SPIR-V and OpenCL C. If `byDimension`, the function takes the dimension.
struct IdFunction {
  std::string_view spirv, opencl;
  size_t offset;
  bool byDimension;
};

constexpr IdFunction kIdFunctions[] = {
    {"__spirv_BuiltInLocalInvocationId", "get_local_id", offsetof(WorkItemIds, localId), true},
    {"__spirv_BuiltInWorkgroupId", "get_group_id", offsetof(WorkItemIds, groupId), true},
    {"__spirv_BuiltInGlobalInvocationId", "get_global_id", offsetof(WorkItemIds, globalId), true},
    {"__spirv_BuiltInWorkgroupSize", "get_local_size", offsetof(WorkItemIds, localSize), true},
    {"__spirv_BuiltInEnqueuedWorkgroupSize", "get_enqueued_local_size", offsetof(WorkItemIds, localSize), true},
    {"__spirv_BuiltInNumWorkgroups", "get_num_groups", offsetof(WorkItemIds, groupCount), true},
    {"__spirv_BuiltInGlobalSize", "get_global_size", offsetof(WorkItemIds, globalSize), true},
    {"__spirv_BuiltInGlobalOffset", "get_global_offset", offsetof(WorkItemIds, globalOffset), true},
    {"__spirv_BuiltInLocalInvocationIndex", "get_local_linear_id", offsetof(WorkItemIds, localLinear), false},
    {"__spirv_BuiltInGlobalLinearId", "get_global_linear_id", offsetof(WorkItemIds, globalLinear), false},
    {"__spirv_BuiltInSubgroupId", "get_sub_group_id", offsetof(WorkItemIds, subgroup), false},
    {"__spirv_BuiltInSubgroupLocalInvocationId", "get_sub_group_local_id", offsetof(WorkItemIds, lane), false},
    {"__spirv_BuiltInSubgroupSize", "get_sub_group_size", offsetof(WorkItemIds, subgroupSize), false},
    {"__spirv_BuiltInSubgroupMaxSize", "get_max_sub_group_size", offsetof(WorkItemIds, subgroupMaxSize), false},
    {"__spirv_BuiltInNumSubgroups", "get_num_sub_groups", offsetof(WorkItemIds, subgroupCount), false},
    {"__spirv_BuiltInNumEnqueuedSubgroups", "get_enqueued_num_sub_groups", offsetof(WorkItemIds, subgroupCount), false},
    {"__spirv_BuiltInWorkDim", "get_work_dim", offsetof(WorkItemIds, dimensions), false},
};

// The ids of a work-item never change, so LLVM may merge calls.
llvm::FunctionCallee idsFunction(LowerContext &context) {
  llvm::FunctionCallee ids = context.runtime(kIdsSymbol, llvm::PointerType::get(context.llvm(), 0), {});
  auto *function = llvm::cast<llvm::Function>(ids.getCallee());
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  return ids;
}

llvm::Value *idAt(LowerContext &context, llvm::IRBuilder<> &builder, llvm::Value *place, llvm::Type *type) {
  llvm::LoadInst *value = builder.CreateLoad(builder.getInt64Ty(), place);
  value->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context.llvm(), {}));
  return builder.CreateZExtOrTrunc(value, type);
}

// _xt_payload_step_LANE_AMOUNT, in base 16, which stands for inline assembly (extension_calls.h): adds the amount to the word of one
// lane.
bool lowerPayloadStep(LowerContext &context, llvm::Function &function, const BuiltinName &name) {
  unsigned lane = 0, amount = 0;
  if (std::sscanf(std::string(name.name).c_str(), "_xt_payload_step_%x_%x", &lane, &amount) != 2) return false;
  replaceCalls(function, [&](llvm::IRBuilder<> &builder, llvm::CallInst &call) {
    llvm::Value *word = call.getArgOperand(0),
                *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), builder.CreateCall(idsFunction(context)),
                                                    offsetof(WorkItemIds, lane)),
                *own = builder.CreateICmpEQ(idAt(context, builder, place, builder.getInt32Ty()), builder.getInt32(lane));
    return builder.CreateSelect(own, builder.CreateAdd(word, builder.getInt32(amount)), word);
  });
  return true;
}

} // namespace

bool lowerIds(LowerContext &context, llvm::Function &function, const BuiltinName &name) {
  if (lowerPayloadStep(context, function, name)) return true;
  const IdFunction *row = nullptr;
  for (const IdFunction &each : kIdFunctions)
    if (name.name == each.spirv || name.name == each.opencl) row = &each;
  if (!row || function.arg_size() != (row->byDimension ? 1 : 0) || !function.getReturnType()->isIntegerTy()) return false;
  replaceCalls(function, [&](llvm::IRBuilder<> &builder, llvm::CallInst &call) {
    llvm::Value *place = builder.CreateConstGEP1_64(builder.getInt8Ty(), builder.CreateCall(idsFunction(context)), row->offset);
    if (row->byDimension) {
      llvm::Value *dimension = builder.CreateZExt(call.getArgOperand(0), builder.getInt64Ty());
      llvm::Value *known = builder.CreateICmpULT(dimension, builder.getInt64(3));
      place = builder.CreateGEP(builder.getInt64Ty(), place, builder.CreateSelect(known, dimension, builder.getInt64(3)));
    }
    return idAt(context, builder, place, call.getType());
  });
  return true;
}

} // namespace xt::soft
