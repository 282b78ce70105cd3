// Layouts: which subgroup, lane and register holds each element of a tile. The only layout arithmetic of the project.
//
// A Layout belongs to a shape. Each dimension's index is a mixed-radix number whose digits (factors, outermost first)
// each go to one axis with a stride: the owner's coordinate on an axis is the sum of digit * stride over all factors
// of that axis. Coordinates that no index determines are listed as replication: every combination of them holds a copy.
// On the subgroup and the lane axis, factors and replication together count every coordinate exactly once: no owner
// holds nothing, and none stands for two places in the tile.
// Two layouts of a shape are equal when they own alike on those axes; a Layout is interned in canonical form, so equal
// layouts are the same pointer.
#pragma once
#include "ir/base/source.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace xt {

class Context;

enum class Axis : uint8_t { Register, Lane, Subgroup }; // an open list: warpgroup, workgroup may follow
inline constexpr int kAxisCount = 3;

struct Factor {
  int64_t extent;
  Axis axis;
  int64_t stride; // on the axis; registers are numbered row-major over an owner's elements, so theirs is derived
  bool operator==(const Factor &) const = default;
};

// wg_map<sg_layout = [a, b], sg_data = [p, q]> (RFC, "Workgroup Level XeTile extension"): subgroup ids are row-major in
// sg_layout. Per dimension, sg_layout*sg_data divides the extent (round-robin) or the extent divides it (wrap-around).
// A subgroup's data must not wrap around inside itself: sg_data divides the extent or is a multiple of it (the subgroup
// then holds the whole extent). There are as many subgroups as sg_layout multiplies to, also where some only hold
// copies.
struct WgMap {
  std::vector<int64_t> sgLayout, sgData;
  bool operator==(const WgMap &) const = default;
};
// sg_map<wi_layout, wi_data> (seed 003): continues inside the subgroup; lane ids are row-major in wi_layout. In an
// xe_map wi_layout*wi_data divides sg_data, and goes round sg_data; where sg_data is larger than the extent it wraps
// around as sg_data does. Alone (subgroup scope) wi_layout*wi_data divides the extent. Leading entries of 1 may exceed
// the rank (seed 003 writes wi_layout = [1, 16] for a rank-1 shape).
struct SgMap {
  std::vector<int64_t> wiLayout, wiData;
  bool operator==(const SgMap &) const = default;
};
// nested_layout (seed 001): index = (((subgroup * batch_tile + batch) * outer_tile + outer) * thread_tile + thread) *
// element_tile + element, with subgroup = (subgroup_id / subgroup_stride) % subgroup_tile and thread likewise. A stride
// of 0 belongs to a tile of 1. Ids between the strides hold copies (stride 4 under a tile of 8 uses 32 ids); strides
// that make one id stand for two places, or leave a place without an id, are errors.
struct NestedLayout {
  std::vector<int64_t> subgroupTile, batchTile, outerTile, threadTile, elementTile, subgroupStrides, threadStrides;
  bool operator==(const NestedLayout &) const = default;
};
// layout<…>: the factors themselves, for what no other notation can spell. One list per dimension, outermost first; a
// number alone is a register digit, extent:axis*stride one on an axis (sg or lane); `copies` lists the replication and
// is left out where there is none:
//   #layout<[8:sg*4, 32], [2, 16:lane*1], copies = [4:sg*1]>
// A dimension's factors multiply to its extent. Register strides are derived; what is given for them is ignored.
struct FactorMap {
  std::vector<std::vector<Factor>> dims;
  std::vector<Factor> replication;
  bool operator==(const FactorMap &) const = default;
};

// A layout as it is written, before the shape is known. xe_map is a WgMap and a SgMap.
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
  // Row-major linear indices of the elements that a subgroup holds, in register order (row-major over what it holds).
  std::vector<int64_t> elementsOf(int64_t subgroup) const;
  // The indices along one dimension that a subgroup holds, ascending. What a subgroup holds is the product of these.
  std::vector<int64_t> sliceOf(int64_t subgroup, int dim) const;
  // The same for what a coordinate on any axis holds of the dimension.
  std::vector<int64_t> sliceOf(Axis axis, int64_t owner, int dim) const;
  // Extents of what one owner on an axis holds, per dimension (the same for every owner).
  std::vector<int64_t> ownerShape(Axis axis) const;
  // Extents of what one subgroup holds, per dimension (the same for every subgroup).
  std::vector<int64_t> subgroupShape() const;
  bool isReplicated(Axis axis) const; // some element has several owners on the axis

  // The spelling in canonical form: a wg_map where one owns alike; where there are lanes, a sg_map if there is one
  // subgroup, else a xe_map; else layout<…>. makeLayout gives this layout back from it.
  LayoutSpec spec() const;
  std::string text() const { return spec().text(); }
  // Who owns what, one cell per block that no owner splits; the number is the subgroup (the first, if replicated, with
  // a '+'), or the lane where there is only one subgroup. The first line says so and gives a cell's extents. At most
  // `maxCells` cells a side; larger ones are cut with an ellipsis. A rank above 2 gives one grid per leading cell, each
  // under a line with its place. Lines end in '\n'.
  std::string picture(int maxCells = 16) const;

private:
  friend class Context;
  friend struct LayoutBuilder;
  std::vector<int64_t> shape_;
  std::vector<std::vector<Factor>> factors_;
  std::vector<Factor> replication_;
  int64_t axisSize_[kAxisCount] = {1, 1, 1};
};

// Why a map does not fit a shape.
struct LayoutError {
  std::string message; // "extent 48 is neither a multiple nor a divisor of sg_layout * sg_data = 4 * 32 = 128"
  int dim = -1;        // the dimension at fault; -1: the map as a whole (its rank, an extent of 0 …)
  std::string table =
      {}; // the nearest numbers that would fit, a few lines that end in '\n'; "" where there are none to tell
};
using LayoutOrError = std::variant<const Layout *, LayoutError>;

LayoutOrError makeLayout(Context &context, const LayoutSpec &spec, std::span<const int64_t> shape);

// --- the algebra -----------------------------------------------------------------------------------------------------
// Dimensions permuted: result dimension d is source dimension permutation[d].
const Layout *transposed(Context &context, const Layout *layout, std::span<const int64_t> permutation);
// Whether dimension da of a and dimension db of b are distributed alike: every subgroup holds the same indices.
bool sameDistribution(const Layout *a, int da, const Layout *b, int db);
// Dimension d of the result is distributed as dimension dims[d].dim of dims[d].layout; where that layout is null, every
// owner holds the whole dimension. Owners that no dimension decides hold copies. Null where the dimensions need one
// owner in two places, where extents disagree, or where the layouts differ in how many subgroups or lanes there are.
// At least one layout is not null, and the shape is static.
struct DimOf {
  const Layout *layout;
  int dim;
};
const Layout *combined(Context &context, std::span<const DimOf> dims, std::span<const int64_t> shape);
// The layout that owns like `layout` along every dimension but `dim`, whose extent becomes 1, held by all of its former
// owners (the operand of a broadcast; the result of a reduction).
const Layout *collapsed(Context &context, const Layout *layout, int dim);
// Blocks of n indices of `dim` become one index, so extent E becomes E/n; it is held by all owners of its block, axis
// by axis: subgroups that held any of it, lanes that held any of it. What a reduction with reduction_size = n gives of
// its operand, and what a broadcast with broadcast_size = n wants as operand of its result (a subgroup then has all
// that it replicates). n = E is collapsed(). Null where n does not divide E, and where the blocks straddle owners so
// that no layout spells it (extent 24 over 3 subgroups of 8 in blocks of 6).
const Layout *grouped(Context &context, const Layout *layout, int dim, int64_t n);
// Each index of `dim` becomes n neighbours with the same owners, so extent E becomes E*n. From an extent of 1, the
// dimension stretches. grouped() by n leads back. Null where E*n does not fit 64 bits.
const Layout *repeated(Context &context, const Layout *layout, int dim, int64_t n);
// The same elements in the same row-major order and with the same owners, in another shape. Null where the shapes
// differ in their number of elements, and where no layout spells it (a subgroup's elements are not a product any more).
const Layout *reshaped(Context &context, const Layout *layout, std::span<const int64_t> shape);

// What converting a vector from one layout of a shape to another costs at most.
enum class Movement : uint8_t {
  None,            // the layouts own alike: every register stays what it is
  InLane,          // every lane holds what it needs, and picks it (which registers, depends on its id)
  InSubgroup,      // every subgroup holds what it needs; its lanes exchange, or lanes are not (or differently) laid out
  AcrossSubgroups, // some subgroup needs what only others hold
};
Movement movement(const Layout *from, const Layout *to);
// What a conversion must carry between subgroups, in bytes: for each subgroup of `to`, what it is to hold and did not
// hold under `from`. 0 where movement() is not AcrossSubgroups. From 2^20 subgroups on, or 2^24 indices to look at, all
// that they are to hold. Saturates at the largest int64_t. For messages about costs.
int64_t movedBytes(const Layout *from, const Layout *to, int64_t elemBytes);

} // namespace xt
