// The parts of a matrix product that the lanes of a subgroup hold: the fragments of `dpas` at lane scope.
#pragma once
#include "ir/gpu/target_info.h"
#include "ir/type.h"

#include <optional>
#include <string>
#include <variant>

namespace xt {

class Context;

// The number of consecutive elements of a type that fill 32 bits (the VNNI form): 2 for 16 bits, 4 for 8 bits, else 1.
int64_t vnniFactorOf(Elem elem);

// A product of a (rows x depth) and b (depth x columns), each distributed over the lanes of a subgroup.
struct DpasFragments {
  int64_t rows = 0, columns = 0, depth = 0;
  const Layout *a = nullptr, *b = nullptr, *c = nullptr; // of the whole matrices; on the lane axis only
};
struct DpasMismatch {
  size_t operand; // the operand at fault: 0 a, 1 b, 2 c or the result
  std::string message;
};

// The product whose fragments have these types. With L lanes and f elements per 32 bits:
//   c and the result  wi_layout = [1, L], wi_data = [1, 1]              a fragment is [M, N/L]
//   b                 wi_layout = [1, L], wi_data = [f, 1]              [K/f, N/L, f], or [K/f, f] if N is L, or [K, N/L]
//   a                 wi_layout = [L/w, w], wi_data = [1, f], w = K/f, at most L (RFC for XeTile and XeGPU Dialect), or
//                     wi_layout = [1, L], wi_data = [1, max(1, K/L)]    [m, k] or [m, k/f, f]; its shape tells which layout
// In 32 lanes they may also be the fragments of quads (quad_fragments.h), whose c has twice as many columns as b; no fragments are
// both. `c` may be null: the shape of b then gives the number of columns, and the shape of a the number of rows.
std::variant<DpasFragments, DpasMismatch> dpasFragments(Context &context, Type a, Type b, Type c, int64_t lanes);

// The fragments of a product that best suit the instruction of the target: those of quads if the instruction takes them. Else a
// has the layout that the instruction takes if that is one of those above. Otherwise, and if there is no such instruction, it is distributed by columns if there are at least as many
// as lanes, else in as many adjacent rows as fill a register. Layouts are null if sizes do not fit.
DpasFragments instructionFragments(Context &context, const TargetInfo &target, const MmaShape &product, int64_t lanes);

// How the lanes of a subgroup hold a joint matrix, a vector type with TypeData::matrix: as the fragments of `dpas` that have two
// dimensions. a: single columns of each row, or a few adjacent ones, if the lanes divide K and K/f is less than L; else the layout
// of packed a above.
// b and accumulators: `wi_layout = [1, L], wi_data = [1, 1]`. Nullopt if the sizes do not fit.
std::optional<SgMap> matrixSgMap(Context &context, Type matrix, int64_t lanes);
// The vector of the elements that one lane holds of such a matrix; null if the sizes do not fit.
Type matrixFragment(Context &context, Type matrix, int64_t lanes);

// sg_map<wi_layout, wi_data> for a shape; null if it does not fit.
const Layout *dealtToLanes(Context &context, std::vector<int64_t> wiLayout, std::vector<int64_t> wiData,
                           std::span<const int64_t> shape);
// How a 2D block message deals out a block of this shape, whose elements take `bits` bits in memory, to the lanes of a subgroup;
// the layout is that of the block in memory. Null if no layout describes it. Source: cl_intel_subgroup_2d_block_io. A lane gets
// one column of 16- and 32-bit elements, or a pair of columns of 8-bit ones; where the block is narrower than the subgroup, the
// lanes continue with the next rows. VNNI forms (`packs`) put 32 bits of a column in one lane, transposed forms 32 bits of a row.
const Layout *blockMessageLayout(Context &context, std::span<const int64_t> shape, int64_t bits, int64_t lanes, bool transposes,
                                 bool packs);
// The layout in which each lane holds the whole vector.
const Layout *replicatedOverLanes(Context &context, std::span<const int64_t> shape, int64_t lanes);
// The layout of a matrix in VNNI form, [R/f, C, f] with `factor` rows interleaved; null if no layout describes it.
const Layout *packedLayout(Context &context, const Layout *matrix, int64_t factor);

} // namespace xt
