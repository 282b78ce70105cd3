// Products of a subgroup on its systolic array: cl_intel_subgroup_matrix_multiply_accumulate and its tf32 companion.
#pragma once
#include "ir/gpu/target_info.h"
#include "targets/soft/builtin_name.h"
#include "targets/soft/collective.h"

#include <optional>

namespace xt::soft {

// Returns the operation of a function
// intel_sub_group_{f16_f16,bf16_bf16,tf32_tf32,i8_i8,i8_u8,u8_i8,u8_u8}_matrix_mad_k*(A, B, C) = A * B + C, with 1, 2, 4 or 8
// rows, for subgroups with as many lanes as the target's products have columns; nullopt for other names. The driver's library
// (targets/xe/library) determines which of these functions exist.
//   A    lane l holds columns l * n to l * n + n - 1 of each row, where n elements fill a component (32 / lanes bytes);
//        component i is row i. For tf32 with 16 lanes, A has 8 columns, and component i holds rows 2 i (lanes 0 to 7) and
//        2 i + 1
//   B    component i of lane l holds the rows that fill the 32-bit word i of column l
//   C    component i of lane l is row i, column l
// Arithmetic: each element of C is converted to f32 (to i32 if A and B have integers), the products of elements of A and B are
// added to it one by one in the order of k with one rounding each, and the sum is rounded once to the type of the result;
// products of f16, bf16 and tf32 are exact in f32 as far as its exponents reach. tf32 operands lose the last 13 bits of their
// f32. i32 sums wrap around. (How the hardware orders its sums within a product is not documented.)
std::optional<Collective> matrixProduct(const BuiltinName &name, const TargetInfo &target);

// The product of cooperative matrices as a function (cooperative_matrices.h): its name, with the operands' types as
// elemName() spells them, for subgroups of `lanes` lanes, and its operation if the target has such a product, else nullopt.
// Arithmetic as above.
std::string cooperativeProductName(const MmaShape &product, uint32_t lanes);
std::optional<Collective> cooperativeProduct(const BuiltinName &name, const TargetInfo &target);

// The conversions of the products; reductions use them too.
float fromHalf(uint16_t bits);
uint16_t toHalf(float value); // to nearest, ties to even
float fromBfloat(uint16_t bits);
uint16_t toBfloat(float value);

} // namespace xt::soft
