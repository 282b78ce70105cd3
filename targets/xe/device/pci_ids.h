// Which hardware a GPU of Intel's is.
#pragma once
#include "ir/gpu/target_info.h"

namespace xt {

// Whether hardware multiplies the sizes of the target "spirv-coop".
bool hasCooperativeMatrices(const TargetInfo &hardware);

// The target for an Intel device, by its PCI id; "spirv" for an unknown id.
const TargetInfo *targetOfPciId(uint32_t id);

} // namespace xt
