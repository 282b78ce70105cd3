// What the lanes of a subgroup hold of a matrix product: the fragments of `dpas` at lane scope.
#pragma once
#include "ir/type.h"

#include <string>
#include <variant>

namespace xt {

class Context;

// How many elements of a type fill 32 bits, side by side (the VNNI form): 2 for 16 bits, 4 for 8, else 1.
int64_t vnniFactorOf(Elem elem);

// A product of a (rows x depth) and b (depth x columns), each dealt out to the lanes of a subgroup.
struct DpasFragments {
  int64_t rows = 0, columns = 0, depth = 0;
  const Layout *a = nullptr, *b = nullptr, *c = nullptr; // of the whole matrices; on the lane axis only
};
struct DpasMismatch {
  size_t operand; // at fault: 0 a, 1 b, 2 c or the result
  std::string message;
};

// The product that fragments of these types are parts of. With L lanes and f elements in 32 bits:
//   c and the result  wi_layout = [1, L], wi_data = [1, 1]                  a fragment is [M, N/L]
//   b                 wi_layout = [1, L], wi_data = [f, 1]                  [K/f, N/L, f]; [K/f, f] where N is L; or
//   [K, N/L] a                 wi_layout = [L/w, w], wi_data = [1, f], w = K/f, at most L (seed 003), or
//                     wi_layout = [1, L], wi_data = [1, max(1, K/L)]        [m, k] or [m, k/f, f]: its shape tells
//                     which
// `c` may be null: then b's shape says how many columns there are, and a's how many rows.
std::variant<DpasFragments, DpasMismatch> dpasFragments(Context &context, Type a, Type b, Type c, int64_t lanes);

// Those fragments as the registers of Xe hardware hold them (cl_intel_subgroup_matrix_multiply_accumulate): a by columns
// where there are enough of them, else as many rows side by side as fill a register. Null layouts where sizes do not fit.
DpasFragments hardwareFragments(Context &context, int64_t rows, int64_t columns, int64_t depth, Elem a, int64_t lanes);

// sg_map<wi_layout, wi_data> of a shape; null where it does not fit.
const Layout *dealtToLanes(Context &context, std::vector<int64_t> wiLayout, std::vector<int64_t> wiData, std::span<const int64_t> shape);
// The layout of a matrix in VNNI form, `factor` rows side by side, [R/f, C, f]; null where they are not one lane's.
const Layout *packedLayout(Context &context, const Layout *matrix, int64_t factor);

} // namespace xt
