#include "targets/soft/nvvm_calls.h"

#include "ir/base/text.h"
#include "targets/nv/library/mma_name.h"
#include "targets/soft/counting_barriers.h"
#include "targets/soft/lower.h"
#include "targets/soft/runtime.h"
#include "targets/soft/warp_loads.h"
#include "targets/soft/warp_products.h"
#include "targets/xe/library/spirv_numbers.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <optional>

namespace xt::soft {
namespace {

namespace Intrinsic = llvm::Intrinsic;
using Builder = llvm::IRBuilder<>;

constexpr uint64_t kAllLanes = 0xffffffff, kLastLane = 31;

// A special register: the function of OpenCL C that returns it, and the dimension that this function takes.
struct SpecialRegister {
  Intrinsic::ID id;
  const char *function;
  uint32_t dimension;
};
constexpr SpecialRegister kRegisters[] = {
    {Intrinsic::nvvm_read_ptx_sreg_tid_x, "get_local_id", 0},
    {Intrinsic::nvvm_read_ptx_sreg_tid_y, "get_local_id", 1},
    {Intrinsic::nvvm_read_ptx_sreg_tid_z, "get_local_id", 2},
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, "get_group_id", 0},
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_y, "get_group_id", 1},
    {Intrinsic::nvvm_read_ptx_sreg_ctaid_z, "get_group_id", 2},
    {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, "get_num_groups", 0},
    {Intrinsic::nvvm_read_ptx_sreg_nctaid_y, "get_num_groups", 1},
    {Intrinsic::nvvm_read_ptx_sreg_nctaid_z, "get_num_groups", 2},
};

class Replacer {
public:
  Replacer(llvm::Module &module, const DeviceSettings &device) : module_(module), device_(device) {}

  Result<void> run() {
    watchFences();
    std::vector<llvm::Function *> intrinsics;
    for (llvm::Function &function : module_) {
      if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel) describe(function);
      if (function.getName().starts_with("llvm.nvvm.")) intrinsics.push_back(&function);
    }
    for (llvm::Function *function : intrinsics)
      if (!replace(*function)) unknown(*function, "the software device does not know it");
    if (!problems_.empty()) return Error::kernel(join(problems_, "\n"));
    return {};
  }

private:
  llvm::FunctionCallee device(const char *name, llvm::Type *result, llvm::ArrayRef<llvm::Type *> arguments) {
    return module_.getOrInsertFunction(name, llvm::FunctionType::get(result, arguments, false));
  }

  // A fence of the work-item, besides the one of this machine for other workgroups.
  void watchFences() {
    for (llvm::Function &function : module_)
      for (llvm::Instruction &each : llvm::instructions(function))
        if (llvm::isa<llvm::FenceInst>(each))
          Builder(&each).CreateCall(device(kFenceSymbol, llvm::Type::getVoidTy(module_.getContext()), {}));
  }

  void unknown(const llvm::Function &function, const char *why) {
    problems_.push_back(str(device_.name, ": the intrinsic ", function.getName().str(), ": ", why));
  }

  // Describes a kernel as SPIR-V does: the lanes of a subgroup, and the work-items of a workgroup (`nvvm.reqntid`: "128,1,1").
  void describe(llvm::Function &kernel) {
    llvm::LLVMContext &context = module_.getContext();
    auto number = [&](uint32_t value) {
      return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
    };
    kernel.setCallingConv(llvm::CallingConv::SPIR_KERNEL);
    auto lanes = static_cast<uint32_t>(device_.target->subgroupSizes[0]);
    kernel.setMetadata("intel_reqd_sub_group_size", llvm::MDNode::get(context, {number(lanes)}));
    llvm::SmallVector<llvm::StringRef, 3> sizes;
    kernel.getFnAttribute("nvvm.reqntid").getValueAsString().split(sizes, ',', -1, false);
    llvm::SmallVector<llvm::Metadata *, 3> numbers;
    for (llvm::StringRef size : sizes) {
      uint32_t items = 0;
      size.getAsInteger(10, items);
      numbers.push_back(number(items));
    }
    if (!numbers.empty()) kernel.setMetadata("reqd_work_group_size", llvm::MDNode::get(context, numbers));
  }

  bool replace(llvm::Function &function) {
    for (const SpecialRegister &special : kRegisters)
      if (special.id == function.getIntrinsicID()) return read(function, special), true;
    switch (function.getIntrinsicID()) { // NOLINT: of thousands, these are known
    case Intrinsic::nvvm_shfl_sync_idx_i32: return shuffle(function, "__spirv_GroupNonUniformShuffle"), true;
    case Intrinsic::nvvm_shfl_sync_bfly_i32: return shuffle(function, "__spirv_GroupNonUniformShuffleXor"), true;
    case Intrinsic::nvvm_barrier_cta_sync_aligned_all: return barrier(function, spirv::kScopeWorkgroup, 0), true;
    case Intrinsic::nvvm_barrier_cta_sync_aligned_count: return rename(function, kSyncCountedName), true;
    case Intrinsic::nvvm_barrier_cta_arrive_aligned_count: return rename(function, kArriveCountedName), true;
    case Intrinsic::nvvm_bar_warp_sync: return barrier(function, spirv::kScopeSubgroup, kAllLanes), true;
    case Intrinsic::nvvm_cp_async_ca_shared_global_4:
    case Intrinsic::nvvm_cp_async_ca_shared_global_4_s: return copy(function, 4), true;
    case Intrinsic::nvvm_cp_async_ca_shared_global_8:
    case Intrinsic::nvvm_cp_async_ca_shared_global_8_s: return copy(function, 8), true;
    case Intrinsic::nvvm_cp_async_cg_shared_global_16:
    case Intrinsic::nvvm_cp_async_cg_shared_global_16_s: return copy(function, 16), true;
    case Intrinsic::nvvm_cp_async_commit_group: return rename(function, kCommitCopiesSymbol), true;
    case Intrinsic::nvvm_cp_async_wait_group: return rename(function, kWaitForCopiesSymbol), true;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16: return rename(function, warpLoadName(1, false)), true;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16: return rename(function, warpLoadName(2, false)), true;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16: return rename(function, warpLoadName(4, false)), true;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16: return rename(function, warpLoadName(1, true)), true;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16: return rename(function, warpLoadName(2, true)), true;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16: return rename(function, warpLoadName(4, true)), true;
    default: return product(function);
    }
  }

  void read(llvm::Function &function, const SpecialRegister &special) {
    llvm::Type *word = llvm::Type::getInt32Ty(module_.getContext()), *wide = llvm::Type::getInt64Ty(module_.getContext());
    replaceCalls(function, [&](Builder &b, llvm::CallInst &) {
      return b.CreateTrunc(b.CreateCall(device(special.function, wide, {word}), {b.getInt32(special.dimension)}), word);
    });
  }

  static bool isConstant(const llvm::Value *value, uint64_t wanted) {
    auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
    return constant && constant->getZExtValue() == wanted;
  }

  // Arguments: (mask of lanes, value, lane, the last lane of a segment).
  void shuffle(llvm::Function &function, const char *name) {
    llvm::Type *word = llvm::Type::getInt32Ty(module_.getContext());
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) -> llvm::Value * {
      if (!isConstant(call.getArgOperand(0), kAllLanes) || !isConstant(call.getArgOperand(3), kLastLane))
        unknown(function, "it must be of the whole warp");
      return b.CreateCall(device(name, word, {word, word, word}),
                          {b.getInt32(spirv::kScopeSubgroup), call.getArgOperand(1), call.getArgOperand(2)});
    });
  }

  // `wanted`: the number of the barrier, or the mask of lanes.
  void barrier(llvm::Function &function, uint32_t scope, uint64_t wanted) {
    llvm::Type *word = llvm::Type::getInt32Ty(module_.getContext());
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) -> llvm::Value * {
      if (!isConstant(call.getArgOperand(0), wanted)) unknown(function, "it must be of the whole workgroup or warp");
      uint32_t orders = spirv::kSequentiallyConsistent | spirv::kWorkgroupMemory | spirv::kCrossWorkgroupMemory;
      b.CreateCall(device("__spirv_ControlBarrier", b.getVoidTy(), {word, word, word}),
                   {b.getInt32(scope), b.getInt32(scope), b.getInt32(orders)});
      return nullptr;
    });
  }

  // Lets a device function with the same parameters replace the intrinsic.
  void rename(llvm::Function &function, const std::string &name) {
    llvm::FunctionCallee made = module_.getOrInsertFunction(name, function.getFunctionType());
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) {
      std::vector<llvm::Value *> arguments(call.arg_begin(), call.arg_end());
      return b.CreateCall(made, arguments);
    });
  }

  // Arguments: (to, from), and how many bytes are read if not all.
  void copy(llvm::Function &function, uint32_t bytes) {
    llvm::Type *word = llvm::Type::getInt32Ty(module_.getContext()), *none = llvm::Type::getVoidTy(module_.getContext());
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) {
      llvm::Value *to = call.getArgOperand(0), *from = call.getArgOperand(1);
      llvm::Value *present = call.arg_size() > 2 ? call.getArgOperand(2) : b.getInt32(bytes);
      llvm::CallInst *made = b.CreateCall(device(kCopySymbol, none, {to->getType(), from->getType(), word, word}),
                                          {to, from, b.getInt32(bytes), present});
      made->setDebugLoc(call.getDebugLoc());
      return made;
    });
  }

  bool product(llvm::Function &function) {
    const MmaInstruction *row = mmaOfIntrinsic(*device_.target, std::string_view(function.getName()));
    if (!row) return false;
    llvm::FunctionCallee made = module_.getOrInsertFunction(warpProductName(*row), function.getFunctionType());
    replaceCalls(function, [&](Builder &b, llvm::CallInst &call) {
      std::vector<llvm::Value *> arguments(call.arg_begin(), call.arg_end());
      return b.CreateCall(made, arguments);
    });
    return true;
  }

  llvm::Module &module_;
  const DeviceSettings &device_;
  std::vector<std::string> problems_;
};

} // namespace

Result<void> replaceNvvm(llvm::Module &module, const DeviceSettings &device) { return Replacer(module, device).run(); }

} // namespace xt::soft
