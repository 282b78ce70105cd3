// The names of LLVM's intrinsics for mma.sync (IntrinsicsNVVM.td), which code generation calls and the software device recognises.
#pragma once
#include "ir/gpu/target_info.h"

#include <string>
#include <string_view>

namespace xt {

// "llvm.nvvm.mma.m16n8k16.row.col.f32.f32" for a product of f16 with sums in f32.
std::string mmaIntrinsicName(const MmaShape &product);
// The instruction of the target with this intrinsic; null if it has none.
const MmaInstruction *mmaOfIntrinsic(const TargetInfo &target, std::string_view name);

} // namespace xt
