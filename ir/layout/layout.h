// Layouts: which subgroup, lane and register holds each element of a tile. The only layout arithmetic of the project.
//
// A Layout belongs to a shape. Each dimension's index is a mixed-radix number. Each of its digits (factors, outermost first)
// belongs to one axis and has a stride: the owner's coordinate on an axis is the sum of digit * stride over all factors of
// that axis. Coordinates that no index determines are listed as replication: every combination of them holds a copy. On the
// subgroup and the lane axis, factors and replication together count every coordinate exactly once: every coordinate holds
// elements, and none stands for two different parts of the tile.
//
// Two layouts of a shape are equal if every owner on those axes holds the same elements; a Layout is interned in canonical
// form, so equal layouts are the same pointer.
#pragma once
#include "ir/base/source.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace xt {

class LayoutTable;

enum class Axis : uint8_t { Register, Lane, Subgroup }; // an open list: warpgroup, workgroup may follow
inline constexpr int kAxisCount = 3;

struct Factor {
  int64_t extent;
  Axis axis;
  int64_t stride; // on the axis; register strides are derived: registers number an owner's elements row-major
  bool operator==(const Factor &) const = default;
};

// wg_map<sg_layout = [a, b], sg_data = [p, q]> (RFC for XeTile Dialect, "Workgroup Level XeTile extension"): subgroup ids are
// row-major in sg_layout. Per dimension, sg_layout*sg_data divides the extent (round-robin) or the extent divides it
// (wrap-around). A subgroup's data must not wrap around inside itself: sg_data divides the extent or is a multiple of it (the
// subgroup then holds the whole extent). The number of subgroups is the product of sg_layout, even if some only hold copies.
struct WgMap {
  std::vector<int64_t> sgLayout, sgData;
  bool operator==(const WgMap &) const = default;
};
// sg_map<wi_layout, wi_data> (RFC for XeTile and XeGPU Dialect): distributes a subgroup's data over its lanes; lane ids are
// row-major in wi_layout. In an xe_map wi_layout*wi_data divides sg_data and repeats round-robin over it; if sg_data is larger
// than the extent, it wraps around as sg_data does. Without a wg_map (subgroup scope) wi_layout*wi_data divides the extent.
// Leading entries of 1 may exceed the rank (that RFC writes wi_layout = [1, 16] for a rank-1 shape).
struct SgMap {
  std::vector<int64_t> wiLayout, wiData;
  bool operator==(const SgMap &) const = default;
};
// nested_layout ('iree_vector_ext' Dialect, NestedLayoutAttr): index = (((subgroup * batch_tile + batch) * outer_tile + outer)
// * thread_tile + thread) * element_tile + element, with subgroup = (subgroup_id / subgroup_stride) % subgroup_tile, and
// thread computed the same way from the lane id. A stride of 0 belongs to a tile of 1. Ids between the strides hold copies
// (stride 4 under a tile of 8 uses 32 ids). Strides that give one id two positions, or leave a position without an id, are
// errors.
struct NestedLayout {
  std::vector<int64_t> subgroupTile, batchTile, outerTile, threadTile, elementTile, subgroupStrides, threadStrides;
  bool operator==(const NestedLayout &) const = default;
};
// layout<…>: the factors themselves, for layouts that no other notation can spell. One list per dimension, outermost first; a
// plain number is a register digit, extent:axis*stride a digit on an axis (sg or lane); `copies` lists the replication and is
// left out if there is none:
//   #layout<[8:sg*4, 32], [2, 16:lane*1], copies = [4:sg*1]>
// The product of the factors of a dimension is its extent. Register strides are derived; if they are given, they are ignored.
struct FactorMap {
  std::vector<std::vector<Factor>> dims;
  std::vector<Factor> replication;
  bool operator==(const FactorMap &) const = default;
};

// A layout as it is written in the source, before the shape is known. An xe_map is a WgMap and a SgMap.
struct LayoutSpec {
  std::optional<WgMap> wg;
  std::optional<SgMap> sg;
  std::optional<NestedLayout> nested;
  std::optional<FactorMap> factors;
  bool operator==(const LayoutSpec &) const = default;

  static LayoutSpec of(WgMap map) { return {std::move(map), {}, {}, {}}; }
  // "#wg_map<sg_layout = [8, 4], sg_data = [32, 32]>", "#sg_map<wi_layout = [1, 16], wi_data = [1, 1]>",
  // "#xe_map<wg = #wg_map<…>, sg = #sg_map<…>>", "#nested_layout<subgroup_tile = [2, 1], …>" or "#layout<…>".
  std::string text() const;
};

class Layout {
public:
  std::span<const int64_t> shape() const { return shape_; }
  int rank() const { return static_cast<int>(shape_.size()); }
  std::span<const Factor> factors(int dim) const { return factors_[static_cast<size_t>(dim)]; }
  std::span<const Factor> replication() const { return replication_; }
  // Number of coordinates on an axis: subgroups per workgroup, lanes per subgroup, registers (elements) per owner.
  int64_t axisSize(Axis axis) const { return axisSize_[static_cast<size_t>(axis)]; }
  int64_t subgroups() const { return axisSize(Axis::Subgroup); }

  // All coordinates on `axis` that hold the element, ascending.
  std::vector<int64_t> owners(std::span<const int64_t> index, Axis axis) const;
  // Row-major linear indices of the elements that a subgroup holds, in register order (row-major over the held elements).
  std::vector<int64_t> elementsOf(int64_t subgroup) const;
  // The indices along one dimension that a subgroup holds, ascending. A subgroup holds the product of these slices.
  std::vector<int64_t> sliceOf(int64_t subgroup, int dim) const;
  // Like the function above, for the owner at coordinate `owner` of any axis.
  std::vector<int64_t> sliceOf(Axis axis, int64_t owner, int dim) const;
  // Extents of the part that one owner on an axis holds, per dimension (the same for every owner).
  std::vector<int64_t> ownerShape(Axis axis) const;
  // Extents of the part that one subgroup holds, per dimension (the same for every subgroup).
  std::vector<int64_t> subgroupShape() const;
  bool isReplicated(Axis axis) const; // whether some element has several owners on the axis

  // The canonical spelling. If maps can express the layout, it is a wg_map; with lanes, an xe_map, or a sg_map if there is one
  // subgroup and its lanes do not wrap around. Otherwise it is layout<…>. makeLayout of the result gives this layout back.
  LayoutSpec spec() const;
  std::string text() const { return spec().text(); }
  // Draws the owners of the elements as a grid with one cell per block that belongs to one owner. The number in a cell is the
  // subgroup (the first one, followed by '+', if there are copies), or the lane if there is only one subgroup. The first line
  // explains this and gives the extents of a cell. There are at most `maxCells` cells per side; larger pictures are cut with
  // an ellipsis. If the rank is above 2, there is one grid per cell of the leading dimensions, each below a line with its
  // position. Lines end in '\n'.
  std::string picture(int maxCells = 16) const;

private:
  friend class LayoutTable;
  friend struct LayoutBuilder;
  std::vector<int64_t> shape_;
  std::vector<std::vector<Factor>> factors_;
  std::vector<Factor> replication_;
  int64_t axisSize_[kAxisCount] = {1, 1, 1};
};

// Why a map does not fit a shape.
struct LayoutError {
  std::string message; // "extent 48 is neither a multiple nor a divisor of sg_layout * sg_data = 4 * 32 = 128"
  int dim = -1; // the dimension at fault; -1: the map as a whole (its rank, an extent of 0 …)
  // The nearest numbers that would fit, a few lines that end in '\n'; "" if there are none to list.
  std::string table = {};
};
using LayoutOrError = std::variant<const Layout *, LayoutError>;

LayoutOrError makeLayout(LayoutTable &table, const LayoutSpec &spec, std::span<const int64_t> shape);

// --- the algebra -----------------------------------------------------------------------------------------------------
// Permutes the dimensions: result dimension d is source dimension permutation[d].
const Layout *transposed(LayoutTable &table, const Layout *layout, std::span<const int64_t> permutation);
// Whether dimension `da` of `a` and dimension `db` of `b` are distributed in the same way: every subgroup holds the same
// indices of both.
bool sameDistribution(const Layout *a, int da, const Layout *b, int db);
// Dimension d of the result is distributed as dimension dims[d].dim of dims[d].layout; if that layout is null, every owner
// holds the whole dimension. Owners that no dimension determines hold copies. Null if the dimensions need one owner at two
// positions, if extents disagree, or if the layouts differ in the number of subgroups or lanes. At least one layout must not
// be null. The shape must be static.
struct DimOf {
  const Layout *layout;
  int dim;
};
const Layout *combined(LayoutTable &table, std::span<const DimOf> dims, std::span<const int64_t> shape);
// Reduces the extent of `dim` to 1; its single index is held by all former owners of the dimension. The other dimensions stay
// as they are. This is the layout of the operand of a broadcast, and of the result of a reduction.
const Layout *collapsed(LayoutTable &table, const Layout *layout, int dim);
// Joins blocks of n indices of `dim` into one index, so extent E becomes E/n. Each index is held by all owners of its block, on
// each axis separately: by all subgroups and all lanes that held any of it. This is the result layout of a reduction with
// reduction_size = n, and the operand layout that a broadcast with broadcast_size = n needs for its result (a subgroup then
// holds everything it replicates). n = E is collapsed(). Null if n does not divide E, or if blocks straddle owners in a way
// that no layout can describe (extent 24 over 3 subgroups of 8 in blocks of 6).
const Layout *grouped(LayoutTable &table, const Layout *layout, int dim, int64_t n);
// Repeats each index of `dim` n times in a row with the same owners, so extent E becomes E*n; an extent of 1 stretches to the
// whole dimension. grouped() by n is the inverse. Null if E*n does not fit 64 bits.
const Layout *repeated(LayoutTable &table, const Layout *layout, int dim, int64_t n);
// Changes the shape; all elements keep their row-major order and their owners. Null if the shapes differ in their number of
// elements, or if no layout describes the result (a subgroup's elements are no longer a product of indices per dimension).
const Layout *reshaped(LayoutTable &table, const Layout *layout, std::span<const int64_t> shape);

// Like `layout` on the subgroup axis, without lanes: what the lanes of a subgroup hold belongs to the subgroup.
const Layout *onSubgroups(LayoutTable &table, const Layout *layout);
// The layout on subgroups of `lanes` lanes, a multiple of its own number: the remaining lanes hold copies.
const Layout *withCopies(LayoutTable &table, const Layout *layout, int64_t lanes);
// The layout on `subgroups` subgroups, of which subgroup x stands for the subgroups of `layout` whose number is x modulo
// `subgroups` ('iree_vector_ext' Dialect, NestedLayoutAttr, "Subgroups per Workgroup"). If there are fewer than in `layout`, each
// holds what all of these hold, in registers of its own; if there are more, the additional ones hold copies. Null if neither
// number is a multiple of the other, or if `subgroups` cuts through a factor: subgroups 0, 4, 8 of [3:sg*1], [4:sg*3] hold the
// diagonal (0, 0), (1, 1), (2, 2), which is no product of indices per dimension.
const Layout *onSubgroupsModulo(LayoutTable &table, const Layout *layout, int64_t subgroups);
// The numbers up to `most` and up to the subgroups of the layout for which onSubgroupsModulo gives a layout, ascending.
std::vector<int64_t> subgroupsModulo(const Layout *layout, int64_t most);
// The layout of a part of this shape, when each owner keeps its own elements: the outermost digit of a dimension is cut where it
// counts registers. Null where a part of this extent is not a number of such steps.
const Layout *sliced(LayoutTable &table, const Layout *layout, std::span<const int64_t> shape);

// The most expensive data movement that converting a vector between two layouts of a shape can need.
enum class Movement : uint8_t {
  None, // all owners hold the same elements: no register changes
  InLane, // every lane holds the elements it needs; which registers they are in depends on the lane's id
  InSubgroup, // every subgroup holds the elements it needs, but lanes exchange them, or a layout has no (matching) lanes
  AcrossSubgroups, // some subgroup needs elements that only others hold
};
Movement movement(const Layout *from, const Layout *to);
// The bytes that a conversion must move between subgroups: for each subgroup, the elements that it holds under `to` and did
// not hold under `from`. 0 if movement() is not AcrossSubgroups. If there are more than 2^20 subgroups or 2^24 indices to
// examine, counts all elements that the subgroups hold under `to`. Saturates at the largest int64_t. For messages about costs.
int64_t movedBytes(const Layout *from, const Layout *to, int64_t elemBytes);

} // namespace xt
