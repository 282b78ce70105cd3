// How much code a lane's part of a kernel becomes on a GPU: its vectors are unrolled, element by element.
#pragma once
#include "ir/base/diagnostics.h"
#include "ir/module.h"
#include "ir/target_info.h"

namespace xt {

// Operations on single elements in the code of one lane. A kernel with this many takes half a minute to compile, and its
// values fill the registers many times over.
inline constexpr int64_t kMostElementOps = int64_t{1} << 16;

// The same before the tiles of a subgroup are cut into blocks, where it is a rough number: what blocks have in common is
// computed once, and products become loops.
inline constexpr int64_t kMostElementOpsOfTiles = 4 * kMostElementOps;

// Of a kernel at lane scope: each op counts as many as it has elements, a product of matrices as many as it multiplies;
// loops count once.
int64_t elementOps(const Kernel &kernel);

// False: a kernel at lane scope has more than kMostElementOps. Reported at the op of the source from which most of them
// come, with the nearest size that fits.
bool codeFits(const Kernel &kernel, Diagnostics &diagnostics);

// False: a kernel at subgroup or workgroup scope has more than kMostElementOpsOfTiles for each lane. Reported alike.
bool tilesFit(const Kernel &kernel, const TargetInfo &target, Diagnostics &diagnostics);

} // namespace xt
