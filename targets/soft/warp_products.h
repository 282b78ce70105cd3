// Products of a warp: mma.sync of NVIDIA's GPUs.
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"

#include <optional>
#include <string>

namespace xt::soft {

// The device function of a product: "xtWarpProduct_f16_f16_f32_16x8x16". Its arguments are the registers of a, b and c, in order,
// each of 32 bits with as many elements as fill it, or of 64 bits with one f64; its result the registers of c.
std::string warpProductName(const MmaShape &product);

// Returns the operation of such a function if the target has the product; nullopt for other names. The elements lie in the lanes
// as the target's table says.
// Arithmetic: the products of elements are added to c one by one in the order of k, with one rounding each, in f32 (f64 for f64,
// i32 for integers, which wrap around), and the sum is rounded once to the type of the result. tf32 operands lose the last 13 bits
// of their f32. (How the hardware orders and rounds its sums within a product is not documented.)
std::optional<Collective> warpProduct(const BuiltinName &name, const TargetInfo &target);

} // namespace xt::soft
