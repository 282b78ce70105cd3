// The fragments of products whose lanes work in quads: the operands of NVIDIA's mma.sync (PTX ISA, "Matrix fragments for mma").
#pragma once
#include "ir/gpu/lane_fragments.h"

namespace xt {

inline constexpr int64_t kQuadLanes = 32, kLanesOfQuad = 4;

// The fragments of a product in 32 lanes, if its sizes fit: M is 8 or a multiple of it, N is 8, K is a multiple of 4 f, where f
// elements fill 32 bits (1 if an element is as wide). Quad g = lane / 4 holds
//   a       rows g, g + 8, …; lane t of the quad holds the elements t f to t f + f - 1 of each 4 f along K: [M/8, K/4]
//   b       column g, with the same elements along K: [K/4, 1]
//   c       rows as a; lane t holds the columns 2 t and 2 t + 1: [M/8, 2]
std::optional<DpasFragments> quadFragments(Context &context, const MmaShape &product);

// The product whose fragments have these types; nullopt if they are not such fragments. `b` may also be [K/(4 f), 1, f].
std::optional<DpasFragments> quadFragments(Context &context, Type a, Type b, Type c);

// The layout of a block of `b` of any such size, of which a lane holds what it holds of the parts of 4 f rows and 8 columns; null if
// the block does not consist of these.
const Layout *quadLayoutOfB(Context &context, std::span<const int64_t> shape, Elem elem);

} // namespace xt
