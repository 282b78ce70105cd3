// Asynchronous copies: cp.async, and its groups.
#include "ir/base/check.h"
#include "targets/nv/emit/nv_lane_device.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

namespace xt {

namespace Intrinsic = llvm::Intrinsic;

// Copies of 16 bytes bypass the L1 cache, which narrower ones cannot.
void NvLaneDevice::copyAsync(llvm::IRBuilderBase &b, LlvmValue *to, LlvmValue *from, int64_t bytes, LlvmValue *present) {
  struct Row {
    int64_t bytes;
    Intrinsic::ID whole, part;
  };
  constexpr Row kRows[] = {
      {16, Intrinsic::nvvm_cp_async_cg_shared_global_16, Intrinsic::nvvm_cp_async_cg_shared_global_16_s},
      {8, Intrinsic::nvvm_cp_async_ca_shared_global_8, Intrinsic::nvvm_cp_async_ca_shared_global_8_s},
      {4, Intrinsic::nvvm_cp_async_ca_shared_global_4, Intrinsic::nvvm_cp_async_ca_shared_global_4_s},
  };
  for (const Row &row : kRows) {
    if (row.bytes != bytes) continue;
    if (present)
      b.CreateIntrinsic(row.part, {}, {to, from, present});
    else
      b.CreateIntrinsic(row.whole, {}, {to, from});
    return;
  }
  XT_UNREACHABLE("the target's table lists other sizes");
}

void NvLaneDevice::commitAsync(llvm::IRBuilderBase &b) { b.CreateIntrinsic(Intrinsic::nvvm_cp_async_commit_group, {}); }

void NvLaneDevice::waitAsync(llvm::IRBuilderBase &b, int64_t later) {
  b.CreateIntrinsic(Intrinsic::nvvm_cp_async_wait_group, {}, {b.getInt32(static_cast<uint32_t>(later))});
}

} // namespace xt
