// What one lane holds of a distributed vector, as a vector of its own: its shape, the order of its elements, and where each of
// them lies in the tile.
//
// The shape has two forms ('iree_vector_ext' Dialect, NestedLayoutAttr, "Element distribution on a thread" and "A full
// example"). With batch_tile = [2, 4], outer_tile = [1, 1] and element_tile = [1, 4]
//   the full form is vector<2x4x1x1x1x4>: [batch] x [outer] x [element], with as many extents each as the vector has dimensions;
//   the collapsed form is vector<2x16>: batch * outer * element in each dimension.
// Both hold the same elements. An element's row-major position in the collapsed form is its register number
// (Layout::owners(index, Axis::Register)); in the full form the positions are permuted, and registerOf() converts them.
#pragma once
#include "ir/layout/layout.h"

namespace xt {

// The full form. The map must be one that makeLayout accepts.
std::vector<int64_t> distributedShape(const NestedLayout &map);
// The collapsed form, for a layout in any notation: in each dimension, the product of the factors that count registers. If the
// layout has no lanes, this is what a subgroup holds. If subgroups stand for several virtual ones (onSubgroupsModulo), the
// elements of all of these count.
std::vector<int64_t> collapsedShape(const Layout &layout);

// The register that holds the element at row-major position `position` of the full form. The map must be one that makeLayout
// accepts, and the position must lie in the shape.
int64_t registerOf(const NestedLayout &map, int64_t position);
// The index in the tile of the element that lane `lane` of subgroup `subgroup` holds in register `number`, all counted from 0:
// the inverse of Layout::owners. `number` is also the row-major position of the element in the collapsed form.
std::vector<int64_t> indexOfRegister(const Layout &layout, int64_t subgroup, int64_t lane, int64_t number);

} // namespace xt
